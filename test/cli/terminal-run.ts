import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { until } from "./until.js";

/** True where util-linux's `script` makes terminals. */
export const hasTerminals =
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") === true;

/** For the title of what is skipped without one. */
export const skipNote = hasTerminals ? "" : " (skipped: no script of util-linux)";

const ENTER = "\u001b[?1049h";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const START = "terminal before: ";
const END = "terminal after: ";

/** A shell command in a terminal of its own: what it draws, and a user who types. */
export class TerminalRun {
  readonly child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #text = "";

  constructor(command: string, env: Readonly<Record<string, string>>) {
    // A Ctrl-C that the terminal turns into a signal reaches the shell too, which has to go on.
    const shell = `trap : INT; stty cols 100 rows 30; echo "${START}$(stty -g)"; ${command}; echo "ended with $?"; echo "${END}$(stty -g)"`;
    const { CI: _ci, NO_COLOR: _colour, ...own } = process.env;
    this.child = spawn("script", ["-q", "-e", "-c", shell, "/dev/null"], {
      env: { ...own, TERM: "xterm", SHELL: "/bin/sh", ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      this.#text += chunk;
    });
    this.#ended = once(this.child, "close");
  }

  /** All that was written to the terminal. */
  get text(): string {
    return this.#text;
  }

  /** The newest screen, without styles. */
  get screen(): string {
    const drawn = this.#text.split("\u001b[H").at(-1) ?? "";
    // biome-ignore lint/suspicious/noControlCharactersInRegex: styles are what is removed
    return drawn.replaceAll(/\u001b\[\d*m/g, "");
  }

  type(keys: string): void {
    this.child.stdin?.write(keys);
  }

  untilShown(part: string | RegExp): Promise<unknown> {
    return until(
      async () => this.screen,
      (shown) => (typeof part === "string" ? shown.includes(part) : part.test(shown)),
    );
  }

  untilSaid(part: string): Promise<unknown> {
    return until(
      async () => this.#text,
      (said) => said.includes(part),
    );
  }

  /** Waits for the end. Returns the exit code, and whether the terminal is as it was. */
  async end(): Promise<{ readonly code: number; readonly isRestored: boolean }> {
    await this.untilSaid(END);
    await this.#ended;
    const after = (label: string) => this.#text.split(label)[1]?.split("\r\n")[0];
    const entered = this.#text.lastIndexOf(ENTER);
    return {
      code: Number(after("ended with ")),
      isRestored: after(START) === after(END) && this.#text.indexOf(LEAVE, entered) > entered,
    };
  }
}
