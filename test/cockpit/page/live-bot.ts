import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findRunningBot, sendToRunningBot } from "#bot/control-client.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { BotStatus } from "../../../assets/cockpit/frame.js";
import { captureCli } from "../../cli/captured-cli.js";
import { until } from "../../cli/until.js";
import { builtCommand } from "../../support/built-command.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const LINK = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+/;
const { clock } = createLiveRuntime();

/** A line of the audit file. */
export interface AuditLine {
  readonly via: string;
  readonly command: Readonly<Record<string, unknown>>;
  readonly outcome: string;
}

/** The bot of `npm start` in a process and a folder of its own, with its embedded exchange. */
export class LiveBot {
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #env: Readonly<Record<string, string>>;
  #said = "";

  private constructor() {
    const command = builtCommand();
    this.#folder = mkdtempSync(join(tmpdir(), "marketwright-cockpit-"));
    cpSync(join(ROOT, "config"), this.#folder, {
      recursive: true,
      filter: (path) => !path.includes(".marketwright"),
    });
    const text = readFileSync(this.file, "utf8").replace(/^cockpit:.*$/m, "");
    writeFileSync(this.file, `${text}\ncockpit: { port: 0, control: true }\n`);
    this.#env = { XDG_RUNTIME_DIR: this.#folder };
    const exchange = ["--exchange", join(this.#folder, "exchange.yaml")];
    const ports = ["--port", "0", "--rpc-port", "0", "--metrics-port", "0"];
    this.#process = spawn(
      process.execPath,
      [command, "start", this.file, ...exchange, "--no-screen", ...ports],
      { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...this.#env } },
    );
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.setEncoding("utf8").on("data", (chunk: string) => {
        this.#said += chunk;
      });
  }

  /** Starts it, and waits until it has printed its link. */
  static async start(): Promise<LiveBot> {
    const bot = new LiveBot();
    await until(
      () => bot.#said,
      (said) => LINK.test(said),
    );
    return bot;
  }

  get file(): string {
    return join(this.#folder, "bot.yaml");
  }

  /** The link that it printed at its start. */
  get link(): string {
    return LINK.exec(this.#said)?.[0] ?? "";
  }

  /** Another link, as the command prints it. */
  async newLink(): Promise<string> {
    const { out } = await captureCli(["cockpit", this.file], this.#env);
    return LINK.exec(out)?.[0] ?? "";
  }

  async status(): Promise<BotStatus> {
    const bot = await this.#entry();
    return (await sendToRunningBot(bot, { command: "status" }, clock)) as BotStatus;
  }

  /** As many statuses as it answers within a time, one after the other. */
  async statusesFor(ms: number): Promise<readonly BotStatus[]> {
    const bot = await this.#entry();
    const statuses: BotStatus[] = [];
    const end = clock.monotonicMs() + ms;
    while (clock.monotonicMs() < end)
      statuses.push((await sendToRunningBot(bot, { command: "status" }, clock)) as BotStatus);
    return statuses;
  }

  /** The commands in the audit file that came from the cockpit. */
  auditLines(): readonly AuditLine[] {
    const names = readdirSync(this.#folder, { recursive: true }) as string[];
    return names
      .filter((name) => basename(name) === "audit.jsonl")
      .flatMap((name) => readFileSync(join(this.#folder, name), "utf8").trim().split("\n"))
      .map((line) => JSON.parse(line) as AuditLine)
      .filter(({ via }) => via === "cockpit");
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      this.#process.kill("SIGINT");
      await once(this.#process, "close");
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #entry() {
    return findRunningBot({ file: this.file, env: this.#env, accountFor: () => "" });
  }
}
