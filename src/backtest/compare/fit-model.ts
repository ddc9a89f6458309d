import type { Instrument } from "../../core/instrument.js";
import { createQueueModel } from "../../core/queue/queue-model-names.js";
import type { Tape } from "../../history/columns/tape/tape.js";
import type { RecordedAccount, RecordedFill } from "../session/recorded-orders.js";
import { type FillMatch, matchedShare, matchFills } from "./match-fills.js";
import { createArrivalEstimator } from "./replay/arrival-estimator.js";
import {
  type OrderReplay,
  type ReplayOrderFill,
  replayRecordedOrders,
} from "./replay/replay-recorded-orders.js";
import { shiftBookEarlier } from "./replay/shift-book-earlier.js";

/** Two fills at most so far apart are the same. */
export const WINDOW_US = 1_000_000;

/** One way to travel and to be filled. */
export interface FillModel {
  /** Fills by what a market tells that our orders were in; false: by the rules of a backtest, whose history knows nothing of them. */
  readonly isShared: boolean;
  readonly queue: string;
  /** How long after the first of some changes of its book the exchange tells them, its trades' stamps being right. */
  readonly bookLagMs: number;
  /** What is added to the recorded instants at which the exchange took our orders. */
  readonly shiftMs: number;
}

/** What a model makes of the recorded orders, in one part of the session. */
export interface Parity {
  readonly match: FillMatch<RecordedFill, ReplayOrderFill>;
  /** The share of the union's size that both filled. */
  readonly share: number;
}

/** The recorded orders under one model. */
export interface EvaluatedModel {
  readonly model: FillModel;
  readonly replay: OrderReplay;
  readonly whole: Parity;
  readonly firstHalf: Parity;
  readonly secondHalf: Parity;
}

/** One market's recorded inputs. */
export interface ParityInputs {
  readonly instrument: Instrument;
  /** As it was without our orders. */
  readonly tape: Tape;
  readonly account: RecordedAccount;
  /** Whether its orders were in the market when it was recorded. */
  readonly isShared: boolean;
  /** When requests of ours changed the recorded book; none where they are in nobody's book. */
  readonly ownChangesUs: readonly number[];
  /** How late the book was told, as our orders in it show; 0 where they are in nobody's book. */
  readonly bookLagMs: number;
  /** By which a paper session was filled; undefined of a live one. */
  readonly queue: string | undefined;
}

/** Of one millisecond, a cancel came before what would have filled its order, and an order before what filled it. */
const FIRST_MS = -0.5;

/** The model that a fit begins with: what the recording itself shows, and where it shows none, nobody before us who is not shown to be. */
export function initialModel(inputs: ParityInputs): FillModel {
  // Who traded with us was printed, with a stamp: what the book tells later can only take away what was not there.
  return inputs.isShared
    ? { isShared: true, queue: "risk-averse", bookLagMs: 0, shiftMs: FIRST_MS }
    : backtestModel(inputs);
}

/** As a backtest would fill the recorded orders, though its history knows nothing of them. */
export function backtestModel({ bookLagMs, queue = "risk-averse" }: ParityInputs): FillModel {
  return { isShared: false, queue, bookLagMs, shiftMs: 0 };
}

/** Delays near a first guess, the nearest first. */
const NEAR_MS = [0, 0.5, -0.5, 1, -1, 2, -2, 3, -3, 5, -5, 10, -10, 20, -20, 40];

/** Where a process that stood still heard everything late, what it shows of the exchange's own delay says little. */
const FAR_MS = [0, 10, 25, 50, 100];

/** What {@link fitModel} tries of each part of a model, the others as they are best so far. */
function candidatesFor({ isShared, bookLagMs, shiftMs }: FillModel) {
  const nearMs = NEAR_MS.map((byMs) => bookLagMs + byMs).filter((lagMs) => lagMs > 0);
  return {
    bookLagMs: isShared ? [bookLagMs] : [...nearMs, ...FAR_MS],
    shiftMs: NEAR_MS.map((byMs) => shiftMs + byMs),
    queue: ["risk-averse", "power-1", "power-2", "power-3", "log"],
  };
}
const PARTS = ["bookLagMs", "shiftMs", "queue"] as const;
const MOST_ROUNDS = 3;

/** Sends the recorded orders through one model. */
export function evaluateModel(inputs: ParityInputs, model: FillModel): EvaluatedModel {
  return judgeOn(
    shiftBookEarlier(inputs.tape, model.bookLagMs * 1000, inputs.ownChangesUs),
    inputs,
    model,
  );
}

/**
 * Finds the model that fills the recorded orders most alike: the greatest share of the union's size in the first half of the session, by side and
 * price within the window. One part of the model is tried after the other, until none makes it better; of equals the one nearest to what the recording itself shows stands. The second
 * half has no say in it.
 */
export function fitModel(inputs: ParityInputs, plain: FillModel = initialModel(inputs)): Fit {
  const seen = new Map<string, EvaluatedModel>();
  let tape = { lagMs: 0, tape: inputs.tape };
  const tried = (model: FillModel): EvaluatedModel => {
    const key = JSON.stringify(model);
    const known = seen.get(key);
    if (known !== undefined) return known;
    if (tape.lagMs !== model.bookLagMs)
      tape = {
        lagMs: model.bookLagMs,
        tape: shiftBookEarlier(inputs.tape, model.bookLagMs * 1000, inputs.ownChangesUs),
      };
    const judged = judgeOn(tape.tape, inputs, model);
    seen.set(key, judged);
    return judged;
  };
  const parts = candidatesFor(plain);
  let best = tried(plain);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = best;
    for (const part of PARTS) {
      for (const value of parts[part]) {
        const judged = tried({ ...best.model, [part]: value });
        if (judged.firstHalf.share > best.firstHalf.share) best = judged;
      }
    }
    if (best === before) break;
  }
  return { best, plain: tried(plain), tried: seen.size };
}

/** What a fit came to. */
export interface Fit {
  readonly best: EvaluatedModel;
  /** What it began with. */
  readonly plain: EvaluatedModel;
  /** How many models it tried. */
  readonly tried: number;
}

function judgeOn(
  tape: Tape,
  { instrument, account }: ParityInputs,
  model: FillModel,
): EvaluatedModel {
  const queue = createQueueModel(model.queue, instrument.lotBase);
  const arrivalUs = createArrivalEstimator(account, model.shiftMs * 1000);
  const replay = replayRecordedOrders(tape, account, {
    queue,
    arrivalUs,
    isShared: model.isShared,
  });
  const middleUs = middleOf(account);
  const between = (fromUs: number, toUs: number): Parity => {
    const within = <Fill extends { readonly atUs: number }>(fills: readonly Fill[]): Fill[] =>
      fills.filter(({ atUs }) => atUs >= fromUs && atUs < toUs);
    const match = matchFills(within(account.fills), within(replay.fills), WINDOW_US);
    return { match, share: matchedShare(match) };
  };
  return {
    model,
    replay,
    whole: between(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
    firstHalf: between(Number.NEGATIVE_INFINITY, middleUs),
    secondHalf: between(middleUs, Number.POSITIVE_INFINITY),
  };
}

/** Half of the session's fills' time: between the first request and the last. */
function middleOf({ orders, cancels }: RecordedAccount): number {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { sentUs } of [...orders, ...cancels]) {
    first = Math.min(first, sentUs);
    last = Math.max(last, sentUs);
  }
  return orders.length === 0 ? 0 : (first + last) / 2;
}
