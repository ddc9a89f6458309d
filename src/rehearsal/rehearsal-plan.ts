import type { Random } from "../core/runtime/runtime.js";
import { seededRandom } from "../core/runtime/seeded-random.js";
import type { Ms } from "../core/units.js";
import { FAULT_KINDS, type FaultKind } from "../simulation/faults.js";
import type { RehearsedFault } from "./rehearsed-fault.js";

/** A stretch of a run in which its fault is on. Times count from the start of the bot. */
export interface FaultStretch {
  readonly fromMs: Ms;
  readonly untilMs: Ms;
  /** Share of the requests, frames or trades that it strikes. */
  readonly probability: number;
  /** Between 0 and 1: how far between its mildest and its worst form, where it has a size. */
  readonly severity: number;
  readonly sign: 1 | -1;
}

/** Number, length and frequency of the stretches of a kind. */
interface StretchShape {
  readonly count: number;
  readonly leastMs: Ms;
  readonly mostMs: Ms;
  readonly probability?: readonly [least: number, most: number];
}

const CERTAIN = [1, 1] as const;
const OFTEN = [0.3, 0.7] as const;
const RARELY = [0.05, 0.3] as const;

const REQUESTS: StretchShape = { count: 4, leastMs: 10_000, mostMs: 30_000, probability: OFTEN };
const STORM: StretchShape = { count: 3, leastMs: 3_000, mostMs: 15_000, probability: CERTAIN };
const FRAMES: StretchShape = { count: 4, leastMs: 5_000, mostMs: 25_000, probability: RARELY };
const DEATH: StretchShape = { count: 2, leastMs: 15_000, mostMs: 60_000 };
const OUTAGE: StretchShape = { count: 2, leastMs: 5_000, mostMs: 30_000 };
const SHOCK: StretchShape = { count: 4, leastMs: 3_000, mostMs: 15_000 };
const SOURCE: StretchShape = { count: 4, leastMs: 10_000, mostMs: 30_000 };
/** Until the end of the run. */
const WHOLE: StretchShape = { count: 1, leastMs: 1e9, mostMs: 1e9, probability: RARELY };

const SHAPES: Readonly<Record<Exclude<RehearsedFault, "none">, StretchShape>> = {
  "request-lost": REQUESTS,
  "answer-lost": REQUESTS,
  "request-delayed": REQUESTS,
  "request-duplicated": REQUESTS,
  "answer-delayed": REQUESTS,
  "storm-429": STORM,
  "storm-418": STORM,
  "storm-5xx": STORM,
  "connection-lost": REQUESTS,
  "stream-dropped": FRAMES,
  "stream-stalled": { ...FRAMES, probability: CERTAIN },
  "frame-lost": FRAMES,
  "frames-swapped": FRAMES,
  "frame-repeated": FRAMES,
  "snapshot-late": { ...FRAMES, probability: CERTAIN },
  "clock-step": { count: 3, leastMs: 10_000, mostMs: 30_000 },
  "settlement-failed": WHOLE,
  "bot-killed": DEATH,
  "exchange-stopped": OUTAGE,
  "bot-and-guard-killed": DEATH,
  "price-jump": SHOCK,
  "price-trend": WHOLE,
  "book-one-sided": SHOCK,
  "mark-wrong": SHOCK,
  "funding-extreme": WHOLE,
  "reference-silent": SOURCE,
  "reference-frozen": SOURCE,
  "reference-wrong": SOURCE,
  "hedge-stopped": OUTAGE,
  "hedge-answers-lost": REQUESTS,
  "hedge-orders-refused": SOURCE,
  "hedge-settlement-failed": WHOLE,
};

/** Before the first fault the bot starts; after the last one its consequences come to light. */
const FIRST_SHARE = 0.12;
const LAST_SHARE = 0.92;
/** The part of its slot that a stretch may fill. */
const MOST_OF_SLOT = 0.8;

/**
 * Draws the stretches of a run before it begins. Each lies in a slot of its own, so that a fault
 * strikes throughout the run whatever the seed.
 */
export function drawStretches(
  fault: RehearsedFault,
  seed: number,
  marketMs: Ms,
): readonly FaultStretch[] {
  if (fault === "none") return [];
  const random = seededRandom(`rehearsal ${fault} ${seed}`);
  const { count, leastMs, mostMs, probability: [least, most] = CERTAIN } = SHAPES[fault];
  const firstMs = marketMs * FIRST_SHARE;
  const slotMs = (marketMs * (LAST_SHARE - FIRST_SHARE)) / count;
  return Array.from({ length: count }, (_, at): FaultStretch => {
    const longestMs = count === 1 ? slotMs : slotMs * MOST_OF_SLOT;
    const lengthMs = Math.min(longestMs, between(random, leastMs, mostMs));
    const fromMs = Math.floor(firstMs + at * slotMs + random.uniform() * (slotMs - lengthMs));
    return {
      fromMs,
      untilMs: Math.floor(fromMs + lengthMs),
      probability: between(random, least, most),
      severity: random.uniform(),
      sign: random.uniform() < 0.5 ? 1 : -1,
    };
  });
}

/** True for a kind that strikes single requests or frames, and is drawn for each of them. */
export function isNetworkFault(fault: RehearsedFault): fault is FaultKind {
  return (FAULT_KINDS as readonly string[]).includes(fault) && !ELSEWHERE.has(fault);
}

/** Kinds of the simulation's faults that machine, process or exchange have, not the network. */
const ELSEWHERE: ReadonlySet<RehearsedFault> = new Set([
  "clock-step",
  "settlement-failed",
  "bot-killed",
  "exchange-stopped",
]);

function between(random: Random, least: number, most: number): number {
  return least + random.uniform() * (most - least);
}
