import type { Random } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";

/** The faults of the network, the exchange or the machine that can hit a bot. */
export const FAULT_KINDS = [
  "request-lost",
  "answer-lost",
  "request-delayed",
  "request-duplicated",
  "answer-delayed",
  "storm-429",
  "storm-418",
  "storm-5xx",
  "connection-lost",
  "stream-dropped",
  "stream-stalled",
  "frame-lost",
  "frames-swapped",
  "frame-repeated",
  "snapshot-late",
  "clock-step",
  "settlement-failed",
  "bot-killed",
  "exchange-stopped",
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/**
 * A stretch of time in which a kind of fault strikes with a probability for each request or frame.
 */
export interface FaultWindow {
  readonly kind: FaultKind;
  readonly fromMs: Ms;
  readonly untilMs: Ms;
  readonly probability: number;
}

/** Kinds that strike single requests or frames, and are drawn for each of them. */
const STRIKING: readonly FaultKind[] = FAULT_KINDS.filter(
  (kind) =>
    kind !== "clock-step" &&
    kind !== "settlement-failed" &&
    kind !== "bot-killed" &&
    kind !== "exchange-stopped",
);

/** Draws all faults of a run before it begins, so that the seed alone determines the run. */
export function drawFaults(random: Random, startMs: Ms, endMs: Ms): readonly FaultWindow[] {
  const windows: FaultWindow[] = [];
  const span = endMs - startMs;
  for (const kind of STRIKING) {
    const count = Math.floor(random.uniform() * 4);
    for (let index = 0; index < count; index++) {
      const fromMs = startMs + Math.floor(random.uniform() * span);
      const lengthMs = 500 + Math.floor(random.uniform() ** 2 * 40_000);
      windows.push({
        kind,
        fromMs,
        untilMs: Math.min(endMs, fromMs + lengthMs),
        probability: 0.05 + random.uniform() * 0.6,
      });
    }
  }
  for (const [kind, most, longestMs] of [
    ["clock-step", 3, 1],
    ["bot-killed", 3, 25_000],
    ["exchange-stopped", 2, 45_000],
  ] as const) {
    const count = Math.floor(random.uniform() * (most + 1));
    for (let index = 0; index < count; index++) {
      const fromMs = startMs + Math.floor(random.uniform() * span);
      windows.push({
        kind,
        fromMs,
        untilMs: Math.min(endMs, fromMs + 200 + Math.floor(random.uniform() * longestMs)),
        probability: 1,
      });
    }
  }
  return windows.sort((a, b) => a.fromMs - b.fromMs);
}

/** Decides for each request or frame if a fault strikes it, and counts the faults. */
export class FaultSource {
  readonly struck = new Map<FaultKind, number>();
  readonly #windows: readonly FaultWindow[];
  readonly #random: Random;

  readonly #onStrike: (nowMs: Ms) => void;
  /** Kinds that strike each time, and until when. */
  readonly #certainUntilMs = new Map<FaultKind, Ms>();

  constructor(
    windows: readonly FaultWindow[],
    random: Random,
    onStrike: (nowMs: Ms) => void = () => {},
  ) {
    this.#windows = windows;
    this.#random = random;
    this.#onStrike = onStrike;
  }

  /** Makes a kind strike every time until an instant. */
  strikeUntil(kind: FaultKind, untilMs: Ms): void {
    this.#certainUntilMs.set(kind, Math.max(untilMs, this.#certainUntilMs.get(kind) ?? 0));
  }

  strikes(kind: FaultKind, nowMs: Ms): boolean {
    if (nowMs < (this.#certainUntilMs.get(kind) ?? 0)) {
      this.count(kind);
      this.#onStrike(nowMs);
      return true;
    }
    for (const window of this.#windows) {
      if (
        window.kind === kind &&
        nowMs >= window.fromMs &&
        nowMs < window.untilMs &&
        this.#random.uniform() < window.probability
      ) {
        this.count(kind);
        this.#onStrike(nowMs);
        return true;
      }
    }
    return false;
  }

  count(kind: FaultKind): void {
    this.struck.set(kind, (this.struck.get(kind) ?? 0) + 1);
  }

  delayMs(least: Ms, most: Ms): Ms {
    return least + Math.floor(this.#random.uniform() * (most - least));
  }

  half(): boolean {
    return this.#random.uniform() < 0.5;
  }
}
