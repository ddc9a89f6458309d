import { Subject } from "rxjs";
import type { Clock, Timer } from "#core/runtime.js";
import type { Ms } from "#core/units.js";
import { conflate } from "#reference/conflate.js";
import type { PriceMessage } from "#reference/price-message.js";
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

/**
 * Three sources of reference prices in virtual time at 2,000 updates a second each, conflated as in
 * a run before they enter the bot.
 */
export class ReferenceLoad {
  readonly #clock: Clock;
  readonly #price: number;
  readonly #sources: readonly Subject<PriceMessage>[];
  #timer: Timer | undefined;

  /** @param price quote units for one base unit */
  constructor(clock: Clock, price: number, accept: (update: ReferenceUpdate) => void) {
    this.#clock = clock;
    this.#price = price;
    this.#sources = LOAD_SOURCES.map((source) => {
      const messages$ = new Subject<PriceMessage>();
      messages$
        .pipe(conflate(MIN_GAP_MS, clock))
        .subscribe((message) => accept({ ...message, source }));
      return messages$;
    });
  }

  start(): void {
    for (let update = 0; update < BURST; update += 1) this.receive();
    this.#timer = this.#clock.setTimer(BURST_EVERY_MS, () => this.start());
  }

  stop(): void {
    this.#timer?.cancel();
    for (const source of this.#sources) source.complete();
  }

  /** One update of each source arrives now. */
  receive(): void {
    const steps = Math.floor(this.#clock.monotonicMs() / MOVE_EVERY_MS) % 8;
    const mid = this.#price * (1 + (steps * MOVE_BPS) / 10_000);
    for (const [at, source] of this.#sources.entries())
      source.next({ type: "price", bid: mid - 0.05 - at * 0.01, ask: mid + 0.05 + at * 0.01 });
  }
}
