import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { ExchangeTime } from "../../exchange/exchange-time.js";
import type { VenueRequests } from "./venue-requests.js";

const MEASURE_EVERY_MS: Ms = 30_000;
const RETRY_AFTER_MS: Ms = 1_000;

/** Measures an exchange's clock again and again. */
export class ClockMeter {
  readonly #clock: Clock;
  readonly #requests: VenueRequests;
  readonly #time: ExchangeTime;
  #timer: Timer | undefined;
  #isAsking = false;

  constructor(clock: Clock, requests: VenueRequests, time: ExchangeTime) {
    this.#clock = clock;
    this.#requests = requests;
    this.#time = time;
  }

  /** Measures now, and from then on every half minute. */
  measure(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const sentMs = this.#clock.monotonicMs();
    this.#requests.send({ kind: "question", ask: "time" }, (outcome) => {
      this.#isAsking = false;
      const isAnswered = outcome.result === "answered" && outcome.ask === "time";
      if (isAnswered)
        this.#time.update(outcome.data.serverTimeMs, sentMs, this.#clock.monotonicMs());
      this.#measureAfter(isAnswered ? MEASURE_EVERY_MS : RETRY_AFTER_MS);
    });
  }

  close(): void {
    this.#timer?.cancel();
  }

  #measureAfter(delayMs: Ms): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimer(delayMs, () => this.measure());
  }
}
