import { maskSecrets } from "../../core/crypto/secrets.js";
import { ConfigError, MarketwrightError } from "../../core/errors.js";
import type { TextStream } from "../cli-context.js";
import type { TerminalPrompt } from "../process/terminal-prompt.js";

/** Where a choice comes from. */
export type ChoiceSource = "option" | "answer" | "default" | "account";

/** One choice of the user. */
export interface Choice<T> {
  readonly value: T;
  /** The choice as it would be typed. */
  readonly text: string;
  readonly source: ChoiceSource;
}

/** One question. */
export interface Question<T> {
  readonly question: string;
  /** Value of the option that answers it. */
  readonly given: string | undefined;
  /** The answer if nobody gives one; absent if there is none, and then the error. */
  readonly fallback: string | undefined;
  readonly missing?: () => ConfigError;
  /** Checks an answer. @throws MarketwrightError, which is shown before the question is repeated */
  readonly parse: (text: string) => T | Promise<T>;
}

/**
 * Collects choices: from the options, else by asking at a terminal, else the defaults. A wrong
 * option is an error; a wrong answer is asked again.
 */
export class Chooser {
  readonly #prompt: TerminalPrompt | undefined;
  readonly #output: TextStream;

  /** @param prompt absent if nothing is asked. @param output for what is wrong with an answer. */
  constructor(prompt: TerminalPrompt | undefined, output: TextStream) {
    this.#prompt = prompt;
    this.#output = output;
  }

  /** True if questions are asked. */
  get isAsking(): boolean {
    return this.#prompt !== undefined;
  }

  /** @throws errors of `parse` for an option or a default; ConfigError if there is no answer */
  async choose<T>({ question, given, fallback, missing, parse }: Question<T>): Promise<Choice<T>> {
    if (given !== undefined)
      return { value: await parse(given), text: given.trim(), source: "option" };
    if (this.#prompt === undefined) {
      if (fallback === undefined) throw missing?.() ?? new ConfigError("is missing");
      return { value: await parse(fallback), text: fallback, source: "default" };
    }
    for (;;) {
      const hint = fallback === undefined ? "" : ` [${fallback}]`;
      const typed = (await this.#prompt.ask(`${question}${hint}: `)).trim();
      const text = typed === "" ? fallback : typed;
      if (text === undefined) continue;
      try {
        const value = await parse(text);
        return { value, text, source: typed === "" ? "default" : "answer" };
      } catch (error) {
        if (!(error instanceof MarketwrightError)) throw error;
        this.#output.write(`  ${maskSecrets(error.message)}\n`);
      }
    }
  }
}
