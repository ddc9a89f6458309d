import type { Hex, Ms } from "../../core/units.js";
import type { RpcEndpoint } from "./rpc-endpoint.js";

/** The newest block of a chain, as one RPC tells it. */
export interface Head {
  readonly number: number;
  readonly hash: Hex;
  readonly timestampMs: Ms;
}

/** Weight of the newest request in the averages. */
const NEWEST = 0.2;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** An RPC that takes this long is worth half of one that answers at once. */
const HALF_WORTH_MS = 250;

/** How well one RPC has done of late, and the newest block that it has told. */
export class RpcHealth {
  readonly endpoint: RpcEndpoint;
  #head: Head | undefined;
  #headRequestedAtMs = Number.NEGATIVE_INFINITY;
  /** Whether it has said that it is of the wanted chain. */
  isChainConfirmed = false;
  #lastFailure: string | undefined;
  #success = 1;
  #latencyMs = 0;
  #failures = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(endpoint: RpcEndpoint) {
    this.endpoint = endpoint;
  }

  /** 1 of an RPC that always answers at once, towards 0 as it fails or slows down. */
  get score(): number {
    return (this.#success * HALF_WORTH_MS) / (HALF_WORTH_MS + this.#latencyMs);
  }

  get head(): Head | undefined {
    return this.#head;
  }

  /** In words, while its last request failed. */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  /** Whether it failed last and is better left alone until its pause is over. */
  isPaused(nowMs: number): boolean {
    return nowMs < this.#pausedUntilMs;
  }

  /** It has answered, a revert included. */
  recordSuccess(latencyMs: number): void {
    this.#success += (1 - this.#success) * NEWEST;
    this.#latencyMs += (latencyMs - this.#latencyMs) * (this.#latencyMs === 0 ? 1 : NEWEST);
    this.#failures = 0;
    this.#lastFailure = undefined;
    this.#pausedUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** It has told its newest block; an answer that was overtaken by a later question's counts no more. */
  recordHead(head: Head, askedAtMs: number): void {
    if (askedAtMs < this.#headRequestedAtMs) return;
    this.#headRequestedAtMs = askedAtMs;
    this.#head = head;
  }

  /** It has not, or with what cannot be. Each failure in a row doubles the pause before it is asked for its head again. */
  recordFailure(why: string, nowMs: number): void {
    this.#success -= this.#success * NEWEST;
    this.#lastFailure = why;
    this.#pausedUntilMs = nowMs + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
  }
}

/** When a head is too old, too new, or too far behind. */
export interface HeadTrustRules {
  /** What time it is: the exchange's, where it is known. */
  readonly nowMs: Ms;
  readonly maxHeadAgeMs: Ms;
  readonly maxLagBlocks: number;
  /** How many RPCs must have come as far as the block that the others are compared with. */
  readonly quorum: number;
}

/**
 * Which heads are not believed, and why: too old or too new by the clock, or too far behind the newest block that `quorum`
 * of the others have reached, so that one RPC that runs ahead alone makes nobody late where two are asked for.
 */
export function findDistrustedHeads(
  heads: readonly (Head | undefined)[],
  rules: HeadTrustRules,
): readonly (string | undefined)[] {
  const { nowMs, maxHeadAgeMs, maxLagBlocks, quorum } = rules;
  const byClock = heads.map((head) => {
    if (head === undefined) return "has told no head";
    const ageMs = nowMs - head.timestampMs;
    if (ageMs > maxHeadAgeMs) return `its head is ${ageMs} ms old, allowed ${maxHeadAgeMs}`;
    return ageMs < -maxHeadAgeMs
      ? `its head is ${-ageMs} ms ahead of the clock, allowed ${maxHeadAgeMs}`
      : undefined;
  });
  const numbers = heads
    .flatMap((head, i) => (head === undefined || byClock[i] !== undefined ? [] : [head.number]))
    .sort((a, b) => b - a);
  const reached = numbers[Math.min(quorum, numbers.length) - 1] ?? 0;
  return heads.map((head, i) => {
    if (head === undefined || byClock[i] !== undefined) return byClock[i];
    const lag = reached - head.number;
    return lag > maxLagBlocks
      ? `its head is ${lag} blocks behind, allowed ${maxLagBlocks}`
      : undefined;
  });
}
