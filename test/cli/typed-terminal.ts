import { PassThrough } from "node:stream";
import type { TerminalStreams } from "#cli/terminal-prompt.js";
import { until } from "./until.js";

/** Two streams that behave as a terminal in raw mode, and a user who types. */
export class TypedTerminal implements TerminalStreams {
  readonly input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  readonly output = Object.assign(new PassThrough(), { isTTY: true, columns: 200, rows: 50 });
  #shown = "";

  constructor() {
    this.output.on("data", (chunk: Buffer) => {
      this.#shown += chunk.toString();
    });
  }

  /** Everything that the terminal has shown, without the control sequences of a line editor. */
  get shown(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
    return this.#shown.replaceAll(/\u001b\[\d*[A-Za-z]/g, "");
  }

  /** Types a line once the question is shown. */
  async answer(question: string | RegExp, line: string): Promise<void> {
    await this.untilShown(question);
    this.#shown = "";
    this.input.write(`${line}\r`);
  }

  async untilShown(question: string | RegExp): Promise<void> {
    await until(
      async () => this.shown,
      (shown) => (typeof question === "string" ? shown.includes(question) : question.test(shown)),
    );
  }
}
