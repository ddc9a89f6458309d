import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NpmLaunch } from "#cli/npm-launch.js";
import { builtCommand } from "../support/built-command.js";
import { captureCli } from "./captured-cli.js";
import { until } from "./until.js";

const NPM = { npm_lifecycle_event: "npx" };

/** Processes as /proc shows them: pid, name, parent and session. */
class Processes {
  readonly #stats = new Map<number, string>();
  parentPid = 0;

  set(pid: number, name: string, parent: number, session = 1): void {
    this.#stats.set(pid, `${pid} (${name}) S ${parent} 7 ${session} 0 -1 4194304`);
  }

  hide(): void {
    this.#stats.clear();
  }

  find(env: Readonly<Record<string, string>>): NpmLaunch | undefined {
    this.parentPid = 30;
    return NpmLaunch.find(
      env,
      40,
      () => this.parentPid,
      (pid) => this.#stats.get(pid),
    );
  }
}

/** npx, the shell that it runs the command in, and the command. */
function npxWithShell(): Processes {
  const processes = new Processes();
  processes.set(10, "bash", 1);
  processes.set(20, "npm exec market", 10);
  processes.set(30, "sh", 20);
  processes.set(40, "node", 30);
  return processes;
}

describe("the npm that started a process", () => {
  it("is gone when its shell is: a SIGTERM to npx ends the shell and does not reach the bot", () => {
    const processes = npxWithShell();
    const launch = processes.find(NPM);
    expect(launch?.hasExited()).toBe(false);
    processes.parentPid = 1;
    expect(launch?.hasExited()).toBe(true);
  });

  it("is gone when npx was killed and its shell still waits for the bot", () => {
    const processes = npxWithShell();
    const launch = processes.find(NPM);
    processes.set(30, "sh", 1);
    expect(launch?.hasExited()).toBe(true);
  });

  it("is not gone when the terminal above npx is: npx still runs", () => {
    const processes = npxWithShell();
    const launch = processes.find(NPM);
    processes.set(20, "npm exec market", 1);
    expect(launch?.hasExited()).toBe(false);
  });

  it("is not gone while /proc cannot be read, as where no more files may be opened", () => {
    const processes = npxWithShell();
    const launch = processes.find(NPM);
    processes.hide();
    expect(launch?.hasExited()).toBe(false);
  });

  it("is nobody where another program started the bot, which may run on without it: nohup, systemd, a container", () => {
    expect(npxWithShell().find({})).toBeUndefined();
  });

  it("is nobody where the bot leads a session of its own: setsid in a script of npm's detaches it on purpose", () => {
    const processes = npxWithShell();
    processes.set(40, "node) S 1 (x", 30, 40);
    expect(processes.find(NPM)).toBeUndefined();
  });
});

describe("a command that was started by npx", () => {
  let project: string;
  let folder: string;
  beforeAll(() => {
    project = dirname(dirname(builtCommand()));
    folder = mkdtempSync(join(tmpdir(), "mw-npx-"));
    writeFileSync(
      join(folder, "exchange.yaml"),
      "port: 0\nmarkets: { btcusdc: { flow: { kind: synthetic, startPriceQuote: 60000 } } }\n",
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  // The bot continued without a parent and quoted, although its user believed it stopped.
  it.each(["SIGTERM", "SIGKILL"] as const)("stops in order after a %s to npx", async (signal) => {
    const npx = spawn(
      "npx",
      ["--no", "marketwright", "exchange", join(folder, "exchange.yaml"), "--json"],
      {
        cwd: project,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let err = "";
    npx.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    npx.stdout.once("data", () => npx.kill(signal));
    // The pipes close when the command, which holds them too, has ended.
    await new Promise((resolve) => npx.once("close", resolve));
    expect(err).toContain("the exchange is stopping");
    expect(err).toContain("the process that started this one has ended");
  });

  it("of npm start receives a SIGTERM to npm itself, and npm waits for it: its orders are cancelled before npm ends", async () => {
    const file = join(folder, "bot.yaml");
    writeFileSync(
      file,
      `exchange: { rest: "http://127.0.0.1:1/v1", stream: "ws://127.0.0.1:1/v1" }
account: { keyEnv: KEY }
quotes: { timeInForce: POST_ONLY }
markets: { btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 } } }
risk: { maxDrawdownQuote: 500 }
`,
    );
    const args = [
      "--silent",
      "start",
      "--",
      file,
      "--exchange",
      join(folder, "exchange.yaml"),
      "--port",
      "0",
      "--json",
    ];
    const env = { ...process.env, XDG_RUNTIME_DIR: folder };
    const npm = spawn("npm", args, { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    npm.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    npm.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    await until(
      () => captureCli(["status"], { XDG_RUNTIME_DIR: folder }),
      ({ out: told }) => / [1-9]\d* bids?, /.test(told),
    );
    npm.kill("SIGTERM");
    const closed = new Promise((resolve) => npm.once("close", resolve));
    const [code] = await once(npm, "exit");
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('"reason":"SIGTERM"') });
    await closed;
    expect(JSON.parse(out)).toMatchObject({ openOrdersLeft: 0, stopReason: "SIGTERM" });
  });
});
