import { createInterface, type Interface } from "node:readline/promises";
import { RunError } from "../../core/errors.js";
import { Interrupted } from "./exit.js";

/** The two streams of a terminal on which a command asks. */
export interface TerminalStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks for lines at a terminal, which echoes them: not for secrets. A line that is typed ahead
 * answers the next question.
 */
export class TerminalPrompt {
  /**
   * Rejects with Interrupted on Ctrl-C, and with RunError at the end of the input. While the prompt
   * is open, Ctrl-C sends no signal: race all work against this.
   */
  readonly ended: Promise<never>;
  readonly #lines: Interface;
  readonly #typedAhead: string[] = [];
  #isClosed = false;
  #take: ((line: string) => void) | undefined;

  /** @param left text about what an interrupted command leaves behind. */
  constructor({ input, output }: TerminalStreams, left: string) {
    this.#lines = createInterface({ input, output });
    this.#lines.on("line", (line) => {
      if (this.#take === undefined) this.#typedAhead.push(line);
      else this.#take(line);
    });
    this.ended = new Promise((_resolve, reject) => {
      this.#lines.on("SIGINT", () => {
        this.#isClosed = true;
        output.write("\n");
        reject(new Interrupted("SIGINT", left));
      });
      this.#lines.on("close", () => {
        if (!this.#isClosed) output.write("\n");
        reject(new RunError("the input ended before the last answer", { expected: "an answer" }));
      });
    });
    // Nobody may be waiting when the prompt is closed.
    this.ended.catch(() => {});
  }

  /** Shows the question and returns the next line. @throws as {@link TerminalPrompt.ended} */
  ask(question: string): Promise<string> {
    const line = new Promise<string>((resolve) => {
      const ahead = this.#typedAhead.shift();
      this.#lines.setPrompt(question);
      this.#lines.prompt();
      if (ahead !== undefined) resolve(ahead);
      else
        this.#take = (typed) => {
          this.#take = undefined;
          resolve(typed);
        };
    });
    return Promise.race([line, this.ended]);
  }

  /** Gives the terminal back. */
  close(): void {
    this.#isClosed = true;
    this.#lines.close();
  }
}
