/**
 * The share of the time above which a finding reports the book: for most of it nothing could be
 * quoted.
 */
const MOST = 0.5;

/** The states of a book; all but the first prevent quoting. */
const STATES = ["two-sided", "crossed", "one-sided", "empty"] as const;
type State = (typeof STATES)[number];

/**
 * Measures how long a recorded book had two sides that do not cross, and how long it was crossed,
 * one-sided or empty.
 */
export class BookStateTimer {
  readonly #startUs: number;
  readonly #us: Record<State, number> = { "two-sided": 0, crossed: 0, "one-sided": 0, empty: 0 };
  #state: State = "empty";
  #sinceUs: number;

  /**
   * @param startUs where time begins to count, microseconds since 1970; earlier messages only set
   * the state.
   */
  constructor(startUs: number) {
    this.#startUs = startUs;
    this.#sinceUs = startUs;
  }

  /** Sets the best prices from an instant on; NaN for an empty side. */
  touch(atUs: number, bid: number, ask: number): void {
    const state = stateOf(bid, ask);
    if (state === this.#state) return;
    this.#pass(atUs);
    this.#state = state;
  }

  /**
   * Describes the state that prevented quoting for most of the time until an instant; undefined if
   * none did.
   * @param of names that time: `the run`
   */
  explainUnusable(untilUs: number, of: string): string | undefined {
    this.#pass(untilUs);
    const totalUs = this.#sinceUs - this.#startUs;
    const bad = STATES.slice(1).filter((state) => this.#us[state] > 0);
    const badUs = bad.reduce((sum, state) => sum + this.#us[state], 0);
    if (totalUs <= 0 || badUs <= MOST * totalUs) return undefined;
    return `the book was crossed or lacked a side for ${percent(badUs / totalUs)} of ${of}: ${bad.map((state) => `${state} for ${percent(this.#us[state] / totalUs)}`).join(", ")}`;
  }

  #pass(untilUs: number): void {
    if (untilUs <= this.#sinceUs) return;
    this.#us[this.#state] += untilUs - this.#sinceUs;
    this.#sinceUs = untilUs;
  }
}

function stateOf(bid: number, ask: number): State {
  if (bid < ask) return "two-sided";
  if (bid >= ask) return "crossed";
  return Number.isNaN(bid) && Number.isNaN(ask) ? "empty" : "one-sided";
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}
