import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseDocument } from "yaml";
import { TELEGRAM_TOKEN } from "../../test/notify/chat-services.js";
import { builtCommand } from "../../test/support/built-command.js";
import { TmuxTerminal } from "../pictures/tmux-terminal.js";
import type { Replacement } from "./page-camera.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const BOT_FILE = "docs/examples/day.yaml";
const EXCHANGE_FILE = "docs/examples/day-exchange.yaml";
const COMPETITOR_FILE = "config/liquidations-competitor.yaml";

/** A folder with the files of the page, and terminals in it. */
export class TraderDesk {
  /** The folder of this run, and that of the page's reader. */
  readonly folder: Replacement;
  /** Below /tmp the folder's path is as long as the reader's, which keeps columns aligned. */
  readonly #root = realpathSync(mkdtempSync(`${tmpdir()}/`));
  readonly #terminals: TmuxTerminal[] = [];
  readonly #env: NodeJS.ProcessEnv;
  #competitor: ChildProcess | undefined;

  /** @param chatUrl address that takes Telegram's place */
  constructor(chatUrl: string) {
    this.folder = { text: join(this.#root, "d"), shown: "/home/you/day" };
    for (const name of ["bin", "run", "d"]) mkdirSync(join(this.#root, name), { mode: 0o700 });
    symlinkSync(builtCommand(), join(this.#root, "bin/marketwright"));
    for (const file of [BOT_FILE, EXCHANGE_FILE])
      copyFileSync(join(ROOT, file), join(this.folder.text, basename(file)));
    this.#setChatUrl(chatUrl);
    this.#env = {
      ...process.env,
      PATH: `${join(this.#root, "bin")}:${process.env.PATH}`,
      TZ: "UTC",
      XDG_RUNTIME_DIR: join(this.#root, "run"),
      MARKETWRIGHT_KEY: newKey(),
      TELEGRAM_TOKEN,
    };
  }

  /** Types a command into a shell and returns what it prints, as the page shows it. */
  async run(command: string): Promise<string> {
    return this.readable(await this.print(command));
  }

  /** The output of a command, which may be a secret. */
  async print(command: string): Promise<string> {
    const child = spawn("bash", ["-c", `${command} 2>&1`], {
      cwd: this.folder.text,
      env: this.#env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`"${command}" ended with ${code}: ${printed}`);
    return printed;
  }

  /** Starts a command in a terminal of its own. */
  open(command: string, columns: number, rows: number): TmuxTerminal {
    const terminal = new TmuxTerminal({
      command: `exec ${command}`,
      folder: this.folder.text,
      columns,
      rows,
      env: this.#env,
    });
    this.#terminals.push(terminal);
    return terminal;
  }

  /** Starts somebody else's liquidator, in a folder and with a key of its own. */
  startCompetitor(): void {
    const folder = join(this.#root, "competitor");
    mkdirSync(folder, { mode: 0o700 });
    copyFileSync(join(ROOT, COMPETITOR_FILE), join(folder, basename(COMPETITOR_FILE)));
    this.#competitor = spawn("marketwright", ["run", basename(COMPETITOR_FILE), "--no-screen"], {
      cwd: folder,
      env: { ...this.#env, XDG_RUNTIME_DIR: folder, MARKETWRIGHT_KEY: newKey() },
      stdio: "ignore",
    });
  }

  /** A text with the reader's folder in place of this one, and without the cockpit's tokens. */
  readable(text: string): string {
    return text
      .replaceAll(this.folder.text, this.folder.shown)
      .replaceAll(/#token=[\w-]+/g, "#token=...");
  }

  /** Ends what still runs, and removes the folder. */
  async dispose(): Promise<void> {
    const competitor = this.#competitor;
    if (competitor !== undefined && competitor.exitCode === null) {
      competitor.kill("SIGTERM");
      await once(competitor, "close");
    }
    for (const terminal of this.#terminals) terminal.close();
    rmSync(this.#root, { recursive: true, force: true });
  }

  #setChatUrl(url: string): void {
    const file = join(this.folder.text, basename(BOT_FILE));
    const bot = parseDocument(readFileSync(file, "utf8"));
    bot.setIn(["notify", "channels", "phone", "telegram", "url"], url);
    writeFileSync(file, bot.toString());
  }
}

function newKey(): string {
  return `0x${randomBytes(32).toString("hex")}`;
}
