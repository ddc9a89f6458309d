import type { Clock, Timer } from "#core/runtime.js";
import type { Ms } from "#core/units.js";
import type { ReferenceUpdate } from "#reference/reference-update.js";

/** Names of the sources. */
export const LOAD_SOURCES = ["first", "second", "third"] as const;
/** Updates of each source in a second, before conflation. */
const UPDATES_PER_SECOND = 2_000;
/** Their messages arrive in bursts: a timer for each would be most of the work. */
const BURST_EVERY_MS: Ms = 5;
const BURST = (UPDATES_PER_SECOND * BURST_EVERY_MS) / 1_000;
/** As the config's default: a source's newest price enters the bot at most this often. */
const MIN_GAP_MS: Ms = 20;
/** Their prices move this often, by more than a tick, so that the bot decides on them. */
const MOVE_EVERY_MS: Ms = 60;
const MOVE_BPS = 0.05;

interface Newest {
  bid: number;
  ask: number;
  receivedMs: Ms;
  passedMs: Ms;
  isWaiting: boolean;
}

/**
 * Three sources of reference prices in virtual time at 2,000 updates a second each, conflated to
 * the newest price of each every 20 ms before they enter the bot.
 */
export class ReferenceLoad {
  readonly #clock: Clock;
  readonly #accept: (update: ReferenceUpdate) => void;
  readonly #price: number;
  readonly #newest: readonly Newest[] = LOAD_SOURCES.map(() => ({
    bid: Number.NaN,
    ask: Number.NaN,
    receivedMs: Number.NaN,
    passedMs: Number.NEGATIVE_INFINITY,
    isWaiting: false,
  }));
  #timer: Timer | undefined;

  /** @param price quote units for one base unit */
  constructor(clock: Clock, price: number, accept: (update: ReferenceUpdate) => void) {
    this.#clock = clock;
    this.#price = price;
    this.#accept = accept;
  }

  start(): void {
    for (let update = 0; update < BURST; update += 1) this.receive();
    this.#timer = this.#clock.setTimer(BURST_EVERY_MS, () => this.start());
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** One update of each source arrives now. */
  receive(): void {
    const nowMs = this.#clock.monotonicMs();
    const steps = Math.floor(nowMs / MOVE_EVERY_MS) % 8;
    for (const [at, newest] of this.#newest.entries()) {
      const mid = this.#price * (1 + (steps * MOVE_BPS) / 10_000);
      newest.bid = mid - 0.05 - at * 0.01;
      newest.ask = mid + 0.05 + at * 0.01;
      newest.receivedMs = nowMs;
      if (nowMs - newest.passedMs >= MIN_GAP_MS) this.#pass(at, newest);
      else if (!newest.isWaiting) {
        newest.isWaiting = true;
        this.#clock.setTimer(newest.passedMs + MIN_GAP_MS - nowMs, () => this.#pass(at, newest));
      }
    }
  }

  #pass(at: number, newest: Newest): void {
    const nowMs = this.#clock.monotonicMs();
    newest.isWaiting = false;
    newest.passedMs = nowMs;
    const { bid, ask, receivedMs } = newest;
    const source = LOAD_SOURCES[at] as string;
    this.#accept({ type: "price", source, bid, ask, heldMs: nowMs - receivedMs });
  }
}
