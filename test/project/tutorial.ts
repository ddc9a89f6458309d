import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../cli/until.js";
import { builtCommand } from "../support/built-command.js";
import { type Block, blocksOf, type Page } from "./pages.js";

/** One command line that has been started. */
interface StartedCommand {
  readonly line: string;
  readonly child: ChildProcess;
  stdout: string;
  stderr: string;
  /** The exit code, once the command has ended. */
  code: number | null | undefined;
}

/** The setup of the project itself, which `test/project/command.test.ts` tries. */
const SETUP = "npm ci && npm link";

/** The port of the exchange in the pages. The test uses a free one instead. */
const PAGE_PORT = "8620";

/** The folder in which the reader of the pages made the empty folder. */
const PAGE_HOME = "/home/you";

/**
 * Shorter times than the pages ask a reader to wait. A run that has not done what the page shows,
 * because a busy machine took long to its first quotes, is started again for a longer time.
 */
const SHORT_RUN = "--for 10s";
const LONGER_RUNS = ["--for 30s", "--for 90s"];
/** Long enough to fill orders in a backtest of it. */
const SHORT_RECORDING = "--for 20s";

const RUNS_UNTIL_INTERRUPTED = /^marketwright (exchange|guard|run)\b(?!.* --for )/;

/**
 * Follows a page of `docs/start` from an empty folder, block by block, as a reader does:
 *
 * - A `sh` block is typed into a terminal, line by line. A command that runs until Ctrl-C stands
 *   alone in its block and gets a terminal of its own.
 * - A `text` block behind a `sh` block is what the commands print. A line `...` stands for any
 *   lines, `...` within a line for any text, a number with a decimal point for any number, and a
 *   whole number other than 0 for any number other than 0. Spaces align the columns of one
 *   output: behind a number, and where the page has several, there may be any number of them.
 * - A `text` block without a `sh` block before it is what the newest command that still runs
 *   prints at Ctrl-C.
 * - Any other block is a file, which its first line names in a comment.
 */
export class Tutorial {
  readonly #page: Page;
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), "start-")));
  readonly #running: StartedCommand[] = [];
  readonly #exports: string[] = [];
  #folder = this.#root;
  #port: string | undefined;

  constructor(page: Page) {
    this.#page = page;
    mkdirSync(join(this.#root, "bin"));
    symlinkSync(builtCommand(), join(this.#root, "bin/marketwright"));
  }

  /** The folder that the reader works in. */
  get folder(): string {
    return this.#folder;
  }

  /** @throws Error naming the page and the block that does not do what the page says. */
  async follow(): Promise<void> {
    let typed: Block | undefined;
    for (const block of blocksOf(this.#page)) {
      const isOutput = block.language === "text";
      const shown = isOutput ? this.#here(block.text) : undefined;
      if (typed !== undefined) await this.#type(typed.text, shown);
      else if (shown !== undefined) await this.#interruptNewest(shown);
      typed = block.language === "sh" ? block : undefined;
      if (typed === undefined && !isOutput) this.#save(block.text);
    }
    if (typed !== undefined) await this.#type(typed.text, undefined);
    while (this.#running.length > 0) await this.#interruptNewest("...\n");
  }

  /** Ends what still runs, and removes the folder. */
  async dispose(): Promise<void> {
    for (const command of this.#running.splice(0).reverse()) {
      command.child.kill("SIGKILL");
      await ended(command);
    }
    rmSync(this.#root, { recursive: true, force: true });
  }

  #save(text: string): void {
    const [, name] = /^(?:#|\/\/) ([\w.-]+\.\w+)\n/.exec(text) ?? [];
    if (name === undefined) throw this.#wrong(`a block does not name its file: ${text}`);
    if (text.includes(PAGE_PORT) && this.#port === undefined)
      throw this.#wrong(`${name} names the exchange before it is started`);
    writeFileSync(join(this.#folder, name), this.#here(text));
  }

  async #type(block: string, output: string | undefined): Promise<void> {
    const lines = block
      .split("\n")
      .map((line) => line.replace(/(^|\s+)# .*$/, "").trim())
      .filter((line) => line !== "" && line !== SETUP);
    let stdout = "";
    let stderr = "";
    for (const line of lines) {
      const [, folder] = /^mkdir (\S+) && cd \1$/.exec(line) ?? [];
      if (folder !== undefined) {
        this.#folder = join(this.#folder, folder);
        mkdirSync(this.#folder);
      } else if (line.startsWith("export ")) this.#exports.push(line);
      else if (RUNS_UNTIL_INTERRUPTED.test(line)) {
        if (lines.length > 1) throw this.#wrong(`"${line}" needs a block of its own`);
        await this.#start(line, output);
        return;
      } else if (line.startsWith("marketwright status ")) {
        // A reader looks again until the bot has come so far.
        const { last } = await until(
          async () => {
            const last = await this.#finish(line);
            return { last, isSo: last.code === 0 && prints(last.stdout, output ?? "...\n") };
          },
          ({ isSo }) => isSo,
        );
        stdout += last.stdout;
      } else {
        const run = await this.#finishRun(line, output);
        if (run.code !== 0)
          throw this.#wrong(`"${line}" ended with ${run.code}: ${run.stdout}${run.stderr}`);
        stdout += run.stdout;
        stderr += run.stderr;
      }
    }
    const printed = [stdout, stderr, stderr + stdout];
    if (output !== undefined && !printed.some((text) => prints(text, output)))
      throw this.#wrong(`"${lines.join("; ")}" printed\n${stdout}${stderr}\nand not\n${output}`);
  }

  async #start(line: string, output = "...\n"): Promise<void> {
    const command = this.#spawn(line);
    this.#running.push(command);
    const isExchange = line.startsWith("marketwright exchange");
    await until(
      () => prints(command.stdout, output) || prints(command.stderr, output),
      (isSo) => isSo || command.code !== undefined,
    );
    if (command.code !== undefined)
      throw this.#wrong(`"${line}" ended with ${command.code}: ${command.stderr}`);
    if (isExchange) this.#port = /:(\d+)\/v1/.exec(command.stdout)?.[1];
  }

  async #interruptNewest(output: string): Promise<void> {
    const command = this.#running.pop();
    if (command === undefined) throw this.#wrong(`nothing runs that could print\n${output}`);
    command.child.kill("SIGINT");
    await ended(command);
    if (command.code !== 0 || !prints(command.stdout, output))
      throw this.#wrong(
        `"${command.line}" ended with ${command.code} and printed\n` +
          `${command.stdout}${command.stderr}\nand not\n${output}`,
      );
  }

  /** Runs a command to its end, and a bot again until it prints what the page shows. */
  async #finishRun(line: string, output: string | undefined): Promise<StartedCommand> {
    const isTimedRun = /^marketwright (start|run)\b.* --for /.test(line);
    let run = await this.#finish(line);
    for (const time of isTimedRun ? LONGER_RUNS : []) {
      if (run.code !== 0 || output === undefined || prints(run.stdout, output)) break;
      run = await this.#finish(line, time);
    }
    return run;
  }

  async #finish(line: string, time?: string): Promise<StartedCommand> {
    const command = this.#spawn(line, time);
    await ended(command);
    return command;
  }

  #spawn(line: string, time?: string): StartedCommand {
    const typed = this.#here(line, time);
    const script = [...this.#exports, `${/[|&>]/.test(line) ? "" : "exec "}${typed}`];
    const child = spawn("bash", ["-ec", script.join("\n")], {
      cwd: this.#folder,
      env: this.#environment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const command: StartedCommand = { line, child, stdout: "", stderr: "", code: undefined };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      command.stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      command.stderr += text;
    });
    child.on("close", (code) => {
      command.code = code;
    });
    return command;
  }

  /** A text of the page with a free port for a fixed one, and with shorter waits. */
  #here(text: string, time = SHORT_RUN): string {
    return text
      .replace(/--for \d+[smh]/, text.includes(" data record ") ? SHORT_RECORDING : time)
      .replace(
        /^marketwright start\b/,
        "$& --port 0 --rpc-port 0 --metrics-port 0 --cockpit-port 0",
      )
      .replace(/^marketwright exchange\b/, "$& --port 0 --rpc-port 0")
      .replaceAll(PAGE_PORT, this.#port ?? PAGE_PORT)
      .replaceAll(PAGE_HOME, this.#root);
  }

  #environment(): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(npm_|VITEST|NODE_ENV|MARKETWRIGHT_)/i.test(name),
    );
    return {
      ...Object.fromEntries(inherited),
      PATH: `${join(this.#root, "bin")}:${process.env.PATH ?? ""}`,
      XDG_RUNTIME_DIR: this.#root,
    };
  }

  #wrong(what: string): Error {
    return new Error(`${this.#page.path}: ${what}`);
  }
}

function ended(command: StartedCommand): Promise<unknown> {
  return until(
    () => command.code,
    (code) => code !== undefined,
  );
}

/** Returns true if a command printed what the page shows. */
function prints(printed: string, shown: string): boolean {
  const lines = shown.trimEnd().split("\n");
  const pattern = lines.map((line) => (line === "..." ? "(?:.*\\n)*?" : `${linePattern(line)}\\n`));
  return new RegExp(`^${pattern.join("")}$`).test(printed);
}

/** A line of a page as a pattern, with numbers as {@link Tutorial} says. */
function linePattern(line: string): string {
  return line
    .split(/(0x[0-9a-fA-F]+|[+-]?\d+(?:\.\d+)*)/)
    .map((part, index) => {
      if (index % 2 === 0)
        return part
          .split("...")
          .map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
          .map((text) => text.replace(index === 0 ? / {2,}/g : /^ +| {2,}/g, " +"))
          .join(".*");
      if (part.startsWith("0x")) return "0x[0-9a-fA-F]+";
      if (part === "0") return "0";
      return `${part.includes(".") ? "" : "(?!0(?![\\d.]))"}[+-]?\\d+(?:\\.\\d+)*`;
    })
    .join("");
}
