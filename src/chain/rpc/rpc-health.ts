import type { Hex, Ms } from "../../core/units.js";
import type { RpcEndpoint } from "./rpc-endpoint.js";

/** The newest block of a chain, as one RPC reports it. */
export interface Head {
  readonly number: number;
  readonly hash: Hex;
  readonly timestampMs: Ms;
}

/** Weight of the newest request in the averages. */
const NEWEST = 0.2;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Latency at which an RPC's score is half of an immediate one's. */
const HALF_WORTH_MS = 250;

/** Recent performance of one RPC, and its newest reported block. */
export class RpcHealth {
  readonly endpoint: RpcEndpoint;
  #head: Head | undefined;
  #headRequestedAtMs = Number.NEGATIVE_INFINITY;
  /** True once it has confirmed the expected chain id. */
  isChainConfirmed = false;
  #lastFailure: string | undefined;
  #success = 1;
  #latencyMs = 0;
  #failures = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(endpoint: RpcEndpoint) {
    this.endpoint = endpoint;
  }

  /** 1 for an RPC that always responds at once, towards 0 as it fails or slows down. */
  get score(): number {
    return (this.#success * HALF_WORTH_MS) / (HALF_WORTH_MS + this.#latencyMs);
  }

  get head(): Head | undefined {
    return this.#head;
  }

  /** Description of its last failure, while its last request failed. */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  /** Returns true while it is left alone after a failure. */
  isPaused(nowMs: number): boolean {
    return nowMs < this.#pausedUntilMs;
  }

  /** Records a response, a revert included. */
  recordSuccess(latencyMs: number): void {
    this.#success += (1 - this.#success) * NEWEST;
    this.#latencyMs += (latencyMs - this.#latencyMs) * (this.#latencyMs === 0 ? 1 : NEWEST);
    this.#failures = 0;
    this.#lastFailure = undefined;
    this.#pausedUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** Records its newest block. A response that a later request has overtaken is ignored. */
  recordHead(head: Head, requestedAtMs: number): void {
    if (requestedAtMs < this.#headRequestedAtMs) return;
    this.#headRequestedAtMs = requestedAtMs;
    this.#head = head;
  }

  /**
   * Records a failure or an invalid response. Each failure in a row doubles the pause before its
   * head is requested again.
   */
  recordFailure(why: string, nowMs: number): void {
    this.#success -= this.#success * NEWEST;
    this.#lastFailure = why;
    this.#pausedUntilMs = nowMs + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
  }
}

/** Rules for a head that is too old, too new, or too far behind. */
export interface HeadTrustRules {
  /** Current time: the exchange's, if known. */
  readonly nowMs: Ms;
  readonly maxHeadAgeMs: Ms;
  readonly maxLagBlocks: number;
  /** Number of RPCs that must have reached the block that the others are compared with. */
  readonly quorum: number;
}

/**
 * Finds the heads that are not trusted, and the reason: too old or too new by the clock, or too far
 * behind the newest block that `quorum` of the others have reached. With a quorum of two, a single
 * RPC that runs ahead makes no other one late.
 */
export function findDistrustedHeads(
  heads: readonly (Head | undefined)[],
  rules: HeadTrustRules,
): readonly (string | undefined)[] {
  const { nowMs, maxHeadAgeMs, maxLagBlocks, quorum } = rules;
  const byClock = heads.map((head) => {
    if (head === undefined) return "has reported no head";
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
