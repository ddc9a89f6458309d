import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorText } from "#cli/exit.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { builtCommand } from "../support/built-command.js";
import { captureCli, startCli } from "./captured-cli.js";

const { clock } = createLiveRuntime();
const KEY = `0x${"11".repeat(32)}`;
let command: string;
let folder: string;
beforeAll(() => {
  command = builtCommand();
  folder = mkdtempSync(join(tmpdir(), "mw-process-end-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bot = (rest: string, stream: string): string => {
  const file = join(folder, "bot.yaml");
  writeFileSync(
    file,
    `exchange: { rest: "${rest}", stream: "${stream}" }
account: { keyEnv: KEY }
quotes: { timeInForce: POST_ONLY }
markets: { btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 }, limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 } } }
risk: { maxDrawdownQuote: 500 }
`,
  );
  return file;
};

/** Collects a child's output until it ends. */
async function endOf(child: ChildProcess) {
  let err = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const [code, signal] = await once(child, "close");
  return { code: code as number | null, signal: signal as string | null, err };
}

/** A pipe for writing, once it has a reader. */
async function opened(pipe: string): Promise<number> {
  for (;;) {
    try {
      return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch {
      await new Promise<void>((resolve) => clock.setTimer(20, resolve));
    }
  }
}

describe("a limit of open files that is too low", () => {
  // The error was attributed to the strategies. Later versions of Node open modules one by one, and
  // 40 files are enough.
  it.skipIf(Number(process.versions.node.split(".")[0]) > 20)(
    "is named by what the system says of it, with what would do",
    async () => {
      const file = bot("http://127.0.0.1:1/v1", "ws://127.0.0.1:1/v1");
      const script = `ulimit -n 40 && exec "$@"`;
      const child = spawn("sh", ["-c", script, "sh", process.execPath, command, "check", file], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      const { code, err } = await endOf(child);
      expect(code).toBe(1);
      expect(err).toMatch(
        /^marketwright: the process may open no more files \(EMFILE: .*\); expected a limit of 256 or more: ulimit -n$/m,
      );
      expect(err).not.toContain("strategy");
    },
  );

  it("is named in the error of a command that reaches it", () => {
    const error = Object.assign(new Error("EMFILE: too many open files, open 'bot.yaml'"), {
      code: "EMFILE",
    });
    expect(errorText(error)).toBe(
      "marketwright: the process may open no more files (EMFILE: too many open files, open 'bot.yaml'); expected a limit of 256 or more: ulimit -n\n",
    );
    expect(errorText(new Error("something else"))).toContain("unexpected Error: something else");
  });
});

describe("a signal", () => {
  // Before the command's own modules are there: on a slow machine that is the first second of its
  // life.
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)(
    "that comes first, %s, ends the process with a line and the code that a shell knows it by",
    async (signal, code) => {
      const module = new URL("../dist/cli/process/process-end.js", pathToFileURL(command));
      const script = `const { ProcessEnd } = await import(${JSON.stringify(module.href)}); new ProcessEnd(); process.stdout.write("up"); setInterval(() => {}, 1000);`;
      const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      child.stdout.once("data", () => child.kill(signal));
      expect(await endOf(child)).toEqual({
        code,
        signal: null,
        err: `marketwright: interrupted (${signal}): nothing was started\n`,
      });
    },
  );

  // An exchange that outlived the start that was ended held its port, and the next start found it
  // in use.
  it("has the same effect as the end of the process that started this one, even before the command begins", async () => {
    const module = new URL("../dist/cli/process/process-end.js", pathToFileURL(command));
    const script = `const { ProcessEnd } = await import(${JSON.stringify(module.href)}); new ProcessEnd(); process.stdout.write("up"); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    child.stdout?.once("data", () => child.disconnect());
    expect(await once(child, "exit")).toEqual([143, null]);
  });

  // A comparison runs a session's bot without a pause: for minutes in a long one, and forever if
  // its strategy never returns. Here a pipe without a writer keeps it running.
  it.each(["SIGINT", "SIGTERM"] as const)(
    "%s ends a journal's replay wherever it is: what is never done hears of none",
    async (signal) => {
      const pipe = join(folder, `${signal}.journal`);
      execFileSync("mkfifo", [pipe]);
      const child = spawn(process.execPath, [command, "replay", pipe], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      const ended = endOf(child);
      const writer = await opened(pipe);
      child.kill(signal);
      expect(await ended).toEqual({ code: null, signal, err: "" });
      closeSync(writer);
    },
  );

  // After a second Ctrl-C the user has orders at the exchange, and must know about them.
  it("that comes a second time ends the process at once, and names the orders that are left and the command that cancels them", async () => {
    const module = new URL("../dist/cli/process/process-end.js", pathToFileURL(command));
    const script = `const { ProcessEnd } = await import(${JSON.stringify(module.href)});
const end = new ProcessEnd();
let nowMs = 0;
end.setExitNote(() => "orders that may still fill are left: btcusdc 0xab (open); marketwright cancel-all bot.yaml cancels them");
void end.signal(() => (nowMs += 2000)).then(() => process.stdout.write("stopping"));
process.stdout.write("up");
setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.on("data", () => child.kill("SIGINT"));
    expect(await endOf(child)).toEqual({
      code: 1,
      signal: null,
      err: `marketwright: ended by a second signal (SIGINT): unfinished work is abandoned
marketwright: orders that may still fill are left: btcusdc 0xab (open); marketwright cancel-all bot.yaml cancels them
`,
    });
  });

  it("of a closed terminal ends the process with its own exit code, though the terminal cannot be restored", async () => {
    const module = new URL("../dist/cli/process/process-end.js", pathToFileURL(command));
    const program = join(folder, "hung-up.mjs");
    writeFileSync(
      program,
      `import { ProcessEnd } from ${JSON.stringify(module.href)};
const end = new ProcessEnd();
void end.signal(() => performance.now()).then(() => setTimeout(() => void end.with(0), 100));
setInterval(() => {}, 1000);
process.stdout.write(String(process.pid));
`,
    );
    const said = join(folder, "hung-up.txt");
    const terminal = spawn(
      "script",
      ["-qec", `exec '${process.execPath}' '${program}' 2>'${said}'`, "/dev/null"],
      {
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    const [pid] = await once(terminal.stdout, "data");
    terminal.kill("SIGKILL");
    for (let tries = 0; tries < 1200 && existsSync(`/proc/${Number(pid)}`); tries++)
      await new Promise<void>((resolve) => clock.setTimer(100, resolve));
    // Node says there that it aborts.
    expect(readFileSync(said, "utf8")).toBe("");
  });

  it.each([
    ["check", ["--connect"], "nothing was changed"],
    ["cancel-all", [], "orders may be left; the same command cancels them"],
  ] as const)(
    "ends %s at once, whatever the exchange does, and says what is left",
    async (name, options, left) => {
      const silent = createServer(() => {});
      const asked = once(silent, "request");
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      const address = silent.address();
      const at = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/v1`;
      const run = startCli([name, bot(`http://${at}`, `ws://${at}`), ...options], { KEY });
      await asked;
      run.interrupt();
      expect(await run.done).toEqual({
        code: 130,
        out: "",
        err: `marketwright: interrupted (SIGINT): ${left}\n`,
      });
      silent.closeAllConnections();
      await new Promise((resolve) => silent.close(resolve));
    },
  );

  // A broken ssh session sends it to everything in it, the guard too: orders would rest until
  // someone notices.
  it("of a closed terminal makes a live bot cancel its orders", async () => {
    const path = join(folder, "exchange.yaml");
    writeFileSync(
      path,
      "port: 0\nmarkets: { btcusdc: { flow: { kind: synthetic, startPriceQuote: 60000 } } }\n",
    );
    const exchange = startCli(["exchange", path, "--json"]);
    const { restUrl, streamUrl } = JSON.parse(await exchange.firstLine);
    const file = bot(restUrl, streamUrl);
    const env = { KEY, XDG_RUNTIME_DIR: folder };
    // Not those that have matched whole: they are listed until they are settled.
    const open = async () => {
      const { out } = await captureCli(["call", "openOrders", "--bot", file], env);
      const listed: { readonly availableAmount: string }[] = JSON.parse(out || "[]");
      return listed.filter(({ availableAmount }) => Number(availableAmount) > 0).length;
    };
    const child = spawn(process.execPath, [command, "run", file, "--json"], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const ended = endOf(child);
    for (let tries = 0; tries < 1200 && (await open()) === 0; tries++)
      await new Promise<void>((resolve) => clock.setTimer(100, resolve));
    child.kill("SIGHUP");
    expect(await ended).toMatchObject({
      code: 0,
      signal: null,
      err: expect.stringContaining('"reason":"SIGHUP"'),
    });
    expect(await open()).toBe(0);
    exchange.interrupt();
    await exchange.done;
  });
});

// Its orders would lose their guard because the reader of its output ended.
it("a reader of the output that goes away does not end a bot or a guard", async () => {
  const module = new URL("../dist/cli/process/process-end.js", pathToFileURL(command));
  const script = `const { ProcessEnd } = await import(${JSON.stringify(module.href)});
const end = new ProcessEnd();
process.stdout.write("first\\n");
process.stdin.once("data", () => {
  process.stdout.write("second\\n");
  setTimeout(() => { process.stderr.write("done"); void end.with(0); }, 50);
});`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdout.once("data", () => {
    child.stdout.destroy();
    child.stdout.once("close", () => child.stdin.write("go"));
  });
  expect(await endOf(child)).toEqual({ code: 0, signal: null, err: "done" });
});
