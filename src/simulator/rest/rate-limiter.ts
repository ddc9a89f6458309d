import type { Ms } from "../../core/units.js";
import type { ExchangeConfig } from "../config/config.js";

/** The limit that a request counts against. */
export type RateBucket = "COMMON" | "ORDER";

/** The refusal of a request for its sender's rate. */
export interface RateRefusal {
  readonly status: 429 | 418;
  readonly retryAfterSeconds: number;
}

interface Sender {
  /** Instants of the counted requests of the last interval, oldest first. */
  readonly counted: Record<RateBucket, Ms[]>;
  /** Instants of the refused requests of the last interval, oldest first. */
  refused: Ms[];
  bannedUntilMs: Ms;
}

/**
 * Sliding windows for each sender and bucket. A request over the limit is refused with 429 and not
 * counted; a sender that continues is banned for a time with 418
 * (docs/reference/protocol.md#http-statuses and docs/reference/protocol.md#rate-limits).
 */
export class RateLimiter {
  readonly #config: ExchangeConfig["rateLimits"];
  readonly #senders = new Map<string, Sender>();
  #sweptMs: Ms = 0;

  constructor(config: ExchangeConfig["rateLimits"]) {
    this.#config = config;
  }

  /**
   * Counts a request under every key of its sender.
   * @returns the refusal, or null.
   */
  admit(keys: readonly string[], bucket: RateBucket, nowMs: Ms): RateRefusal | null {
    const limit = bucket === "ORDER" ? this.#config.order : this.#config.common;
    if (limit === 0) {
      return null;
    }
    this.#forgetIdle(nowMs);
    const senders = keys.map((key) => this.#sender(key));
    for (const sender of senders) {
      const refusal = this.#refusal(sender, bucket, limit, nowMs);
      if (refusal !== null) {
        return refusal;
      }
    }
    for (const sender of senders) {
      sender.counted[bucket].push(nowMs);
    }
    return null;
  }

  /** Returns the ban of a sender with its end, or null. */
  ban(key: string, nowMs: Ms): RateRefusal | null {
    const untilMs = this.#senders.get(key)?.bannedUntilMs ?? 0;
    return nowMs < untilMs
      ? { status: 418, retryAfterSeconds: Math.ceil((untilMs - nowMs) / 1000) }
      : null;
  }

  #refusal(sender: Sender, bucket: RateBucket, limit: number, nowMs: Ms): RateRefusal | null {
    if (nowMs < sender.bannedUntilMs) {
      return { status: 418, retryAfterSeconds: Math.ceil((sender.bannedUntilMs - nowMs) / 1000) };
    }
    const { intervalMs, requestsBeforeBan, banMs } = this.#config;
    const counted = sender.counted[bucket];
    dropUntil(counted, nowMs - intervalMs);
    if (counted.length < limit) {
      return null;
    }
    if (requestsBeforeBan > 0) {
      dropUntil(sender.refused, nowMs - intervalMs);
      sender.refused.push(nowMs);
      if (sender.refused.length > requestsBeforeBan) {
        sender.refused = [];
        sender.bannedUntilMs = nowMs + banMs;
        return { status: 418, retryAfterSeconds: Math.ceil(banMs / 1000) };
      }
    }
    return {
      status: 429,
      retryAfterSeconds: Math.max(1, Math.ceil(((counted[0] as Ms) + intervalMs - nowMs) / 1000)),
    };
  }

  #sender(key: string): Sender {
    let sender = this.#senders.get(key);
    if (sender === undefined) {
      sender = { counted: { COMMON: [], ORDER: [] }, refused: [], bannedUntilMs: 0 };
      this.#senders.set(key, sender);
    }
    return sender;
  }

  /** Runs once an interval, so that inactive senders do not stay in memory. */
  #forgetIdle(nowMs: Ms): void {
    if (nowMs - this.#sweptMs < this.#config.intervalMs) {
      return;
    }
    this.#sweptMs = nowMs;
    for (const [key, sender] of this.#senders) {
      const newest = Math.max(
        sender.counted.COMMON.at(-1) ?? 0,
        sender.counted.ORDER.at(-1) ?? 0,
        sender.refused.at(-1) ?? 0,
      );
      if (newest <= nowMs - this.#config.intervalMs && sender.bannedUntilMs <= nowMs) {
        this.#senders.delete(key);
      }
    }
  }
}

/**
 * Drops the instants up to and including `untilMs`; a request exactly one interval old no longer
 * counts.
 */
function dropUntil(instants: Ms[], untilMs: Ms): void {
  let count = 0;
  while (count < instants.length && (instants[count] as Ms) <= untilMs) {
    count += 1;
  }
  if (count > 0) {
    instants.splice(0, count);
  }
}
