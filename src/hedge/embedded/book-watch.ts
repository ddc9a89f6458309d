import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { TouchBook } from "./touch-book.js";
import type { VenueRequests } from "./venue-requests.js";

const LOOK_EVERY_MS: Ms = 2_000;

/**
 * Watches a book that is silent: its stream may have stalled. The exchange is asked for the number
 * of the last change. A book that has not reached it by the next look is subscribed to again, and
 * so is one whose snapshot did not come.
 */
export class BookWatch {
  readonly #symbol: string;
  readonly #book: TouchBook;
  readonly #clock: Clock;
  readonly #requests: VenueRequests;
  readonly #resubscribe: () => void;
  #timer: Timer | undefined;
  #seenSequence = Number.NaN;
  /** The exchange's, when the book was last silent. */
  #expectedSequence = Number.NEGATIVE_INFINITY;

  constructor(deps: {
    readonly symbol: string;
    readonly book: TouchBook;
    readonly clock: Clock;
    readonly requests: VenueRequests;
    readonly resubscribe: () => void;
  }) {
    this.#symbol = deps.symbol;
    this.#book = deps.book;
    this.#clock = deps.clock;
    this.#requests = deps.requests;
    this.#resubscribe = deps.resubscribe;
  }

  /** The streams are up. */
  start(): void {
    this.stop();
    this.#timer = this.#clock.setTimer(LOOK_EVERY_MS, () => {
      this.#look();
      this.start();
    });
  }

  /** The streams are down. */
  stop(): void {
    this.#timer?.cancel();
  }

  #look(): void {
    const { sequence } = this.#book;
    const isSilent = sequence === this.#seenSequence;
    const isBehind = Number.isNaN(sequence) || sequence < this.#expectedSequence;
    this.#seenSequence = sequence;
    this.#expectedSequence = Number.NEGATIVE_INFINITY;
    if (isBehind) {
      this.#book.clear();
      this.#resubscribe();
    } else if (isSilent) {
      this.#ask();
    }
  }

  #ask(): void {
    const question = { kind: "question", ask: "bookSequence", marketId: this.#symbol } as const;
    this.#requests.send(question, (outcome) => {
      if (outcome.result === "answered" && outcome.ask === "bookSequence")
        this.#expectedSequence = outcome.data.sequence;
    });
  }
}
