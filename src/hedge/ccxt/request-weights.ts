import { MINUTE_MS, type Ms } from "../../core/units.js";
import type { RequestUrgency } from "./usdm-requests.js";

/** Shares of a minute's weight that requests may use, by their urgency. */
const SHARES: Readonly<Record<RequestUrgency, number>> = { cancel: 1, place: 0.9, query: 0.7 };

/**
 * The weight of requests in the exchange's present minute, at most so much of it. The last tenth is
 * kept for cancels, and the fifth before it for places and cancels. Other programs may use the same
 * address, so the exchange's own count replaces a smaller one of ours.
 */
export class RequestWeights {
  readonly #mostPerMinute: number;
  readonly #nowMs: () => Ms;
  #minute = Number.NEGATIVE_INFINITY;
  #used = 0;
  #blockedUntilMs = Number.NEGATIVE_INFINITY;

  /** @param nowMs the exchange's time: its minutes are counted */
  constructor(mostPerMinute: number, nowMs: () => Ms) {
    this.#mostPerMinute = mostPerMinute;
    this.#nowMs = nowMs;
  }

  /** Counts a request if it may leave now. @returns 0 if so, else the time to wait */
  take(weight: number, urgency: RequestUrgency): Ms {
    const nowMs = this.#enterMinute();
    if (nowMs < this.#blockedUntilMs) return Math.ceil(this.#blockedUntilMs - nowMs);
    if (this.#used + weight > this.#mostPerMinute * SHARES[urgency])
      return Math.ceil((this.#minute + 1) * MINUTE_MS - nowMs);
    this.#used += weight;
    return 0;
  }

  /** The exchange has counted so much in the present minute. */
  noteUsed(weight: number): void {
    this.#enterMinute();
    this.#used = Math.max(this.#used, weight);
  }

  /**
   * The exchange refuses requests for so long; until the next minute if it does not say.
   * @returns the time to wait
   */
  block(forMs: Ms | undefined): Ms {
    const nowMs = this.#enterMinute();
    const waitMs = forMs ?? Math.ceil((this.#minute + 1) * MINUTE_MS - nowMs);
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, nowMs + waitMs);
    return waitMs;
  }

  #enterMinute(): Ms {
    const nowMs = this.#nowMs();
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#used = 0;
    }
    return nowMs;
  }
}
