import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { on, once } from "node:events";
import {
  closeSync,
  constants,
  createReadStream,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { builtCommand } from "../support/built-command.js";

const { clock } = createLiveRuntime();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mw-stalled-reader-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const built = (module: string): string =>
  JSON.stringify(new URL(`../dist/${module}`, pathToFileURL(builtCommand())).href);

let pipes = 0;
/** A pipe without a reader so far. */
function unreadPipe(): { readonly path: string; readonly reader: number; readonly writer: number } {
  pipes += 1;
  const path = join(folder, `${pipes}.pipe`);
  execFileSync("mkfifo", [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { path, reader, writer: openSync(path, constants.O_WRONLY) };
}

/**
 * A process that logs some lines of a thousand bytes to a pipe, says on stdout that it went on, and
 * ends once it hears something.
 */
function logging(lines: number, writer: number): ChildProcess {
  const program = `
const { openLog } = await import(${built("monitoring/log.js")});
const { createLiveRuntime } = await import(${built("core/runtime/live-runtime.js")});
const log = openLog({ level: "info", clock: createLiveRuntime().clock });
for (let line = 0; line < ${lines}; line++) log.info({ line, filling: "x".repeat(930) }, "line");
process.stdout.write("went on");
process.stdin.once("data", () => { log.close(); process.stdout.write(", and ended"); process.stdin.destroy(); });
`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["pipe", "pipe", writer],
  });
  closeSync(writer);
  return child;
}

/** The first text on the standard output of a program. @throws Error when it ends without one. */
async function firstOutput(child: ChildProcess): Promise<string> {
  for await (const data of on(child.stdout as NodeJS.ReadableStream, "data", { close: ["end"] }))
    return String(data[0]);
  throw new Error("the program ended without a word");
}

// A terminal after Ctrl-S, one behind a stalled ssh, a pager at rest: a process that waits for them
// cannot manage its orders.
describe("a log whose reader stands still", () => {
  it("does not block a process, neither while it runs nor at its end", async () => {
    const { reader, writer } = unreadPipe();
    const child = logging(3000, writer);
    expect(await firstOutput(child)).toBe("went on");
    child.stdin?.write("end");
    expect(await once(child, "exit")).toEqual([0, null]);
    closeSync(reader);
  });

  it("has every line, each once and in order, for one that reads on before a mebibyte has come", async () => {
    const { path, reader, writer } = unreadPipe();
    const child = logging(800, writer);
    await firstOutput(child);
    const read = text(createReadStream(path, { fd: openSync(path, constants.O_RDONLY) }));
    closeSync(reader);
    child.stdin?.write("end");
    const lines = (await read).trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual(
      Array.from({ length: 800 }, (_, line) => line),
    );
  });

  it("reaches a reader that resumes, even without further log lines", async () => {
    const { path, reader, writer } = unreadPipe();
    const child = logging(800, writer);
    await firstOutput(child);
    let read = "";
    const stream = createReadStream(path, {
      fd: openSync(path, constants.O_RDONLY),
      encoding: "utf8",
    });
    closeSync(reader);
    for await (const piece of stream) {
      read += String(piece);
      if (read.includes('"line":799')) break;
    }
    child.kill();
    expect(read).toContain('"line":799');
  });

  it("lets the process end where its reader has gone away meanwhile", async () => {
    const { reader, writer } = unreadPipe();
    const child = logging(800, writer);
    await firstOutput(child);
    closeSync(reader);
    child.stdin?.write("end");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("is unchanged for other writers, which still block", async () => {
    const { reader, writer } = unreadPipe();
    const flags = (): string => readFileSync(`/proc/self/fdinfo/${writer}`, "utf8");
    const before = flags();
    const { openNonBlocking } = await import("#monitoring/non-blocking-descriptor.js");
    const unwaiting = openNonBlocking(writer);
    expect(unwaiting).toBeDefined();
    expect(flags()).toBe(before);
    for (const descriptor of [reader, writer, unwaiting as number]) closeSync(descriptor);
  });
});

describe("a screen whose terminal stands still", () => {
  it("holds no process up, and shows whole screens, without its secrets, when the terminal goes on", async () => {
    const done = join(folder, "done.txt");
    const program = join(folder, "screen.mjs");
    writeFileSync(
      program,
      `import { writeFileSync } from "node:fs";
import { TerminalFrames } from ${built("monitoring/screen/terminal-frames.js")};
import { withMaskedOutput } from ${built("cli/process/masked-output.js")};
import { protectSecret } from ${built("core/crypto/secrets.js")};
protectSecret("hunter2x");
// As a command has it.
const { stdout } = withMaskedOutput(process);
const frames = new TerminalFrames(stdout);
let shown = 0;
for (let frame = 0; frame < 5000; frame++) if (frames.show("<" + frame + ":hunter2x" + "─".repeat(700) + ">")) shown += 1;
writeFileSync(${JSON.stringify(done)}, String(shown));
frames.flush("<end>");
frames.close();
`,
    );
    const terminal = spawn(
      "script",
      ["-qec", `exec '${process.execPath}' '${program}'`, "/dev/null"],
      {
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    while (!existsSync(done)) {
      expect(terminal.exitCode, "the program ended before it had shown its frames").toBeNull();
      await new Promise<void>((resolve) => clock.setTimer(20, resolve));
    }
    const output = await text(terminal.stdout);
    const numbers = [...output.matchAll(/<(\d+):\[secret\]─{700}>/g)].map(([, number]) =>
      Number(number),
    );
    expect(output.replaceAll(/<\d+:\[secret\]─{700}>/g, "")).toBe("<end>");
    expect(numbers).toHaveLength(Number(readFileSync(done, "utf8")));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(numbers.length).toBeLessThan(5000);
  });
});

describe("the frames of a screen", () => {
  it("show the cockpit's link whole, and mask every other address and secret in them", async () => {
    const { path, reader, writer } = unreadPipe();
    const program = `
const { TerminalFrames } = await import(${built("monitoring/screen/terminal-frames.js")});
const frames = new TerminalFrames({ fd: 1, write: (text) => process.stdout.write(text) });
const link = "http://127.0.0.1:8630/#token=abc";
frames.show("cockpit: " + link + " rpc: https://user:hidden@rpc.example/?key=hidden " + link + "x", link);
frames.show("before " + link);
frames.close();
`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", writer, "inherit"],
    });
    closeSync(writer);
    await once(child, "exit");
    const shown = readFileSync(reader, "utf8");
    closeSync(reader);
    rmSync(path);
    expect(shown).toContain("cockpit: http://127.0.0.1:8630/#token=abc rpc: ");
    expect(shown).not.toContain("hidden");
    // Without leave, a link is masked as any address.
    expect(shown).toMatch(/before http:\/\/127\.0\.0\.1:8630\/\?\[secret\]$/);
  });
});
