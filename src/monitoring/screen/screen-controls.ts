import type { Clock } from "../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { ScreenView } from "./screen-model.js";

/** The effects of a screen's keys on the bot. */
export interface ScreenActions {
  /** Stops the bot: it cancels its orders and exits. */
  stop(): void;
  /** Does what Ctrl-C does outside the screen. */
  interrupt(): void;
  /** Halts or resumes one market, or all. Resolves with a sentence about it. */
  halt(marketId: MarketId | undefined): Promise<string>;
  resume(marketId: MarketId | undefined): Promise<string>;
}

/** Dependencies of {@link ScreenControls}. */
interface ScreenControlsDeps {
  readonly clock: Clock;
  readonly actions: ScreenActions;
  readonly markets: readonly MarketId[];
  /** True while the bot stops: it takes no commands then. */
  readonly isStopping: () => boolean;
  /** True once Ctrl-C or a signal has stopped the bot. */
  readonly isInterrupted: () => boolean;
  /** Called after each change of the view. */
  readonly onChange: () => void;
}

/** A question that is forgotten cannot be answered by a key that was meant for something else. */
const QUESTION_MS: Ms = 10_000;
/** How long the answer to a command stays in place of the keys. */
const ANSWER_MS: Ms = 8_000;

const CTRL_C = "\u0003";
const CTRL_Z = "\u001a";

/**
 * A question: `y` is for all markets, `m` for the chosen one. Its text begins with the keys, which
 * a narrow terminal must not hide.
 */
interface Question {
  readonly text: string;
  readonly yes: () => void;
  readonly one: (() => void) | undefined;
}

/**
 * Turns keys into a view and into commands. A key that changes the bot asks for a second one, and a
 * key that is held down or pasted text never answers.
 */
export class ScreenControls {
  readonly #deps: ScreenControlsDeps;
  #isHelp = false;
  #helpPage = 0;
  #focus = 0;
  #question: (Question & { readonly atMs: Ms }) | undefined;
  #answer: { readonly text: string; readonly atMs: Ms } | undefined;

  constructor(deps: ScreenControlsDeps) {
    this.#deps = deps;
  }

  get view(): ScreenView {
    const nowMs = this.#deps.clock.monotonicMs();
    if (this.#question !== undefined && this.#deps.isStopping()) this.#question = undefined;
    if (this.#question !== undefined && nowMs >= this.#question.atMs + QUESTION_MS) {
      this.#question = undefined;
      this.#say(`The question lapsed after ${QUESTION_MS / 1000} s: nothing was done.`);
    }
    if (this.#answer !== undefined && nowMs >= this.#answer.atMs + ANSWER_MS)
      this.#answer = undefined;
    return {
      hasKeys: true,
      isHelp: this.#isHelp,
      helpPage: this.#helpPage,
      isInterrupted: this.#deps.isInterrupted(),
      focus: this.#focus,
      prompt: this.#question?.text ?? this.#answer?.text,
    };
  }

  /** Takes what one read of the keyboard brought. */
  press(keys: string): void {
    if (keys.includes(CTRL_C)) {
      this.#question = undefined;
      this.#deps.actions.interrupt();
    }
    // An arrow key, another function key, or pasted text: it answers no question.
    else if ([...keys].length > 1) this.#question = undefined;
    else this.#pressKey(keys);
    this.#deps.onChange();
  }

  #pressKey(key: string): void {
    // Reading the view drops a question that is too old.
    const hasQuestion = this.view.prompt !== undefined && this.#question !== undefined;
    const question = hasQuestion ? this.#question : undefined;
    this.#question = undefined;
    this.#answer = undefined;
    if (question !== undefined) {
      if (key === "y") return question.yes();
      if (key === "m" && question.one !== undefined) return question.one();
      return this.#say("Nothing was done.");
    }
    if (this.#isHelp) {
      if (key === " ") this.#helpPage += 1;
      else this.#isHelp = false;
      return;
    }
    this.#command(key);
  }

  #command(key: string): void {
    const { markets, actions, isStopping } = this.#deps;
    if (isStopping() && key !== "?" && key !== CTRL_Z) return;
    switch (key) {
      case "q":
        return this.#ask("y yes, n no: stop the bot? It cancels its orders and exits.", () =>
          actions.stop(),
        );
      case "h":
        return this.#askMarkets(
          "halt? It cancels the quotes; positions stay open.",
          actions.halt.bind(actions),
        );
      case "r":
        return this.#askMarkets(
          "resume? It ends halts and quotes again.",
          actions.resume.bind(actions),
        );
      case "m":
        this.#focus = (this.#focus + 1) % Math.max(1, markets.length);
        return;
      case "?":
        this.#isHelp = true;
        this.#helpPage = 0;
        return;
      case CTRL_Z:
        return this.#say("Ctrl-Z does nothing: a suspended bot would leave its quotes alone.");
      default:
    }
  }

  #askMarkets(
    question: string,
    command: (marketId: MarketId | undefined) => Promise<string>,
  ): void {
    const { markets } = this.#deps;
    const chosen = markets.length > 1 ? markets[this.#focus] : undefined;
    const run = (marketId?: MarketId) => (): void => {
      command(marketId).then(
        (sentence) => this.#finish(sentence),
        (error: unknown) =>
          this.#finish(`Failed: ${error instanceof Error ? error.message : String(error)}`),
      );
    };
    if (chosen === undefined) return this.#ask(`y yes, n no: ${question}`, run());
    this.#ask(`y all, m ${chosen}, n no: ${question}`, run(), run(chosen));
  }

  #ask(text: string, yes: () => void, one?: () => void): void {
    const atMs = this.#deps.clock.monotonicMs();
    this.#question = { text, yes, one, atMs };
  }

  #finish(text: string): void {
    this.#say(text);
    this.#deps.onChange();
  }

  #say(text: string): void {
    this.#answer = { text, atMs: this.#deps.clock.monotonicMs() };
  }
}
