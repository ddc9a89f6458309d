import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { protectSecret } from "#core/secrets.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { createLog, type Log } from "#monitoring/log.js";
import { TerminalLog } from "#monitoring/terminal-log.js";
import { builtCommand } from "../support/built-command.js";

const ESCAPE = "\u001b";
const TIME = /^\d\d:\d\d:\d\d\.\d{3} {2}/;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mw-terminal-log-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A log as a terminal shows it. */
function shown({ color = false, timeZone = "UTC" } = {}) {
  const clock = new VirtualClock(Date.UTC(2026, 10, 27, 12, 34, 56, 789));
  const terminal = new TerminalLog({ color, timeZone });
  const lines: string[] = [];
  const log: Log = createLog(
    { write: (line) => lines.push(terminal.format(line)) },
    { level: "debug", clock },
  );
  return { log, clock, text: () => lines.join(""), terminal };
}

describe("a line of the log on a terminal", () => {
  it("has time, level and message in columns, then each field by its name", () => {
    const { log, text } = shown();
    log.info({ marketId: "btcusdc", side: "SELL", price: "30010.5" }, "fill");
    log.warn({ targetLots: 0n, isLate: true, last: null }, "the book is stale");
    log.debug({}, "nothing to do");
    expect(text()).toBe(
      [
        "12:34:56.789  info   fill                          marketId btcusdc  side SELL  price 30010.5",
        "12:34:56.789  warn   the book is stale             targetLots 0  isLate true  last none",
        "12:34:56.789  debug  nothing to do",
        "",
      ].join("\n"),
    );
  });

  it("has the time of the machine's place, and the date when it changes", () => {
    const { log, clock, text } = shown({ timeZone: "Asia/Kolkata" });
    log.info({}, "before");
    clock.stepWall(6 * 3_600_000);
    log.info({}, "after");
    expect(text()).toBe(
      "18:04:56.789  info   before\nSaturday, 28 November 2026\n00:04:56.789  info   after\n",
    );
  });

  it("has lists and maps in one line", () => {
    const { log, text } = shown();
    log.info({ markets: ["a", "b"], left: [], orders: [{ id: 5n }], empty: "" }, "x");
    expect(text().trim()).toMatch(
      / {2}markets a, b {2}left none {2}orders \[\{"id":"5"\}\] {2}empty ""$/,
    );
  });

  it("has an error's message, and where it was thrown below it", () => {
    const { log, text } = shown();
    log.error({ error: new Error("gone") }, "the stream failed");
    log.error({ stack: "Error: worse\n    at a (b.js:1:2)" }, "the strategy failed");
    const lines = text().split("\n");
    expect(lines[0]).toMatch(/error gone$/);
    expect(lines[1]).toMatch(/^ {4}at .*terminal-log\.test\.ts/);
    expect(lines.slice(-3)).toEqual([
      "12:34:56.789  error  the strategy failed           stack Error: worse",
      "    at a (b.js:1:2)",
      "",
    ]);
  });

  // An exchange's text or a strategy's may hold anything.
  it("cannot move the cursor, set a colour or pretend to be another line", () => {
    const { log, text } = shown();
    log.info({ why: `${ESCAPE}[2Jgone\r12:00:00`, [`a${ESCAPE}b`]: "\u009b31m" }, `x${ESCAPE}[31m`);
    log.info({ why: "one\n12:00:00.000  info   quoting" }, "y");
    expect(text()).not.toMatch(/[^\P{Cc}\n]/u);
    expect(text()).toContain("why \\x1b[2Jgone\\x0d12:00:00");
    expect(text()).toContain("why one\n    12:00:00.000  info   quoting\n");
  });

  it("colours the level only where colours are wanted", () => {
    const plain = shown();
    const colored = shown({ color: true });
    for (const { log } of [plain, colored]) log.warn({ ageMs: 5 }, "stale");
    expect(colored.text()).toContain(`${ESCAPE}[33mwarn ${ESCAPE}[0m`);
    expect(stripVTControlCharacters(colored.text())).toBe(plain.text());
  });

  it("shows no secret, also not one whose characters JSON escapes", () => {
    protectSecret('a "quoted" secret');
    const { log, text } = shown();
    log.info({ why: 'with a "quoted" secret', password: "hush" }, "x");
    expect(text()).not.toMatch(/quoted|hush/);
    expect(text()).toContain("[secret]");
  });

  it("is left as it is when it is no line of the log", () => {
    const { terminal } = shown();
    for (const line of ["{broken\n", '{"level":3,"time":1,"msg":"x"}\n'])
      expect(terminal.format(line)).toBe(line);
  });
});

/** The output of a program with two lines of log, on a terminal of its own or in a pipe. */
function logged(env: Readonly<Record<string, string>>, into: "terminal" | "pipe"): string {
  const built = (module: string): string =>
    JSON.stringify(new URL(`../dist/${module}`, pathToFileURL(builtCommand())).href);
  const program = join(folder, "logging.mjs");
  writeFileSync(
    program,
    `import { isatty } from "node:tty";
const { openLog } = await import(${built("monitoring/log.js")});
const { createLiveRuntime } = await import(${built("core/runtime/live-runtime.js")});
const { protectSecret } = await import(${built("core/crypto/secrets.js")});
protectSecret("the-key-of-a-bot");
const { clock } = createLiveRuntime();
for (const file of [undefined, process.argv[2]]) {
  const log = openLog({ level: "info", clock, ...(file === undefined ? {} : { file }) });
  log.warn({ marketId: "btcusdc", why: "the-key-of-a-bot" }, "stale");
  log.close();
}
`,
  );
  const file = join(folder, "bot.log");
  rmSync(file, { force: true });
  const { status, stdout, stderr } =
    into === "pipe"
      ? spawnSync(process.execPath, [program, file], { encoding: "utf8", env })
      : spawnSync("script", ["-qec", `"${process.execPath}" "${program}" "${file}"`, "/dev/null"], {
          encoding: "utf8",
          env: { PATH: process.env.PATH ?? "", ...env },
          stdio: ["ignore", "pipe", "pipe"],
        });
  expect(status, stderr).toBe(0);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ level: "warn", msg: "stale" });
  return into === "pipe" ? stderr : stdout.replaceAll("\r\n", "\n");
}

describe("the log of a process", () => {
  const terminal = { TERM: "xterm-256color", TZ: "UTC" };
  const plain = /^\d\d:\d\d:\d\d\.\d{3} {2}warn {3}stale {25}marketId btcusdc {2}why \[secret\]\n$/;

  it("is text with colours on a terminal", () => {
    const text = logged(terminal, "terminal");
    expect(text).toContain(`${ESCAPE}[33mwarn ${ESCAPE}[0m`);
    expect(stripVTControlCharacters(text)).toMatch(plain);
  });

  it.each([
    ["NO_COLOR", { ...terminal, NO_COLOR: "1" }],
    ["a terminal without colours", { ...terminal, TERM: "dumb" }],
  ])("is text without colours with %s", (_name, env) => {
    expect(logged(env, "terminal")).toMatch(plain);
  });

  it("is JSON in a pipe", () => {
    const text = logged(terminal, "pipe");
    expect(JSON.parse(text)).toEqual({
      level: "warn",
      time: expect.any(Number),
      marketId: "btcusdc",
      why: "[secret]",
      msg: "stale",
    });
  });

  it("is text on the terminal of a bot without its screen", () => {
    const bot = join(folder, "bot.yaml");
    writeFileSync(
      bot,
      `exchange: { rest: "http://127.0.0.1:1/v1", stream: "ws://127.0.0.1:1/v1", connectWithinMs: 1 }
account: { keyEnv: MARKETWRIGHT_KEY }
quotes: { timeInForce: POST_ONLY }
markets: { btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 }, limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 } } }
risk: { maxDrawdownQuote: 500 }
`,
    );
    const { stdout } = spawnSync(
      "script",
      ["-qec", `"${process.execPath}" "${builtCommand()}" run "${bot}" --no-screen`, "/dev/null"],
      {
        encoding: "utf8",
        cwd: folder,
        env: {
          PATH: process.env.PATH ?? "",
          NO_COLOR: "1",
          MARKETWRIGHT_KEY: `0x${"19".repeat(32)}`,
          XDG_RUNTIME_DIR: folder,
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const [first = ""] = stdout.split("\r\n");
    expect(first).toMatch(TIME);
    expect(first).toContain("warn   no guard runs: POST_ONLY orders would outlive this bot");
  });
});
