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

/** The largest time difference at which two fills count as the same. */
export const WINDOW_US = 1_000_000;

/** One model of latency and fills. */
export interface FillModel {
  /**
   * True: fills from a market recording that contains our orders. False: fills by the rules of a
   * backtest, whose history does not contain them.
   */
  readonly isShared: boolean;
  readonly queue: string;
  /**
   * Time from the first of some batched book changes to their publication. The stamps of trades are
   * exact.
   */
  readonly bookLagMs: number;
  /** Added to the recorded times at which the exchange accepted our orders. */
  readonly shiftMs: number;
}

/** The fills that a model gives the recorded orders in one part of the session. */
export interface Parity {
  readonly match: FillMatch<RecordedFill, ReplayOrderFill>;
  /** Share of the size of the union that both filled. */
  readonly share: number;
}

/** The fills of the recorded orders under one model. */
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
  /** The tape without our orders. */
  readonly tape: Tape;
  readonly account: RecordedAccount;
  /** True if its orders were in the market when it was recorded. */
  readonly isShared: boolean;
  /**
   * Times at which our requests changed the recorded book; empty where the orders are not in the
   * book (paper).
   */
  readonly ownChangesUs: readonly number[];
  /** Delay of the book, measured by our orders in it; 0 where they are not in the book (paper). */
  readonly bookLagMs: number;
  /** The queue model that filled a paper session; undefined for a live one. */
  readonly queue: string | undefined;
}

/**
 * Within one millisecond, a cancel precedes the trade that would have filled its order, and an
 * order precedes the trade that filled it.
 */
const FIRST_MS = -0.5;

/**
 * The model that a fit starts from: what the recording itself shows. By default the queue ahead is
 * empty, unless the book shows one.
 */
export function initialModel(inputs: ParityInputs): FillModel {
  // Every trade with us was printed with a stamp. A later book can only remove liquidity that was
  // not there.
  return inputs.isShared
    ? { isShared: true, queue: "risk-averse", bookLagMs: 0, shiftMs: FIRST_MS }
    : backtestModel(inputs);
}

/** Fills the recorded orders as a backtest would, whose history does not contain them. */
export function backtestModel({ bookLagMs, queue = "risk-averse" }: ParityInputs): FillModel {
  return { isShared: false, queue, bookLagMs, shiftMs: 0 };
}

/** Delays around a first guess, the nearest first. */
const NEAR_MS = [0, 0.5, -0.5, 1, -1, 2, -2, 3, -3, 5, -5, 10, -10, 20, -20, 40];

/**
 * If the process stalled and received everything late, its data says little about the exchange's
 * own delay.
 */
const FAR_MS = [0, 10, 25, 50, 100];

/**
 * Values that {@link fitModel} tries for each part of a model, with the other parts at their best
 * so far.
 */
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

/** Replays the recorded orders under one model. */
export function evaluateModel(inputs: ParityInputs, model: FillModel): EvaluatedModel {
  return judgeOn(
    shiftBookEarlier(inputs.tape, model.bookLagMs * 1000, inputs.ownChangesUs),
    inputs,
    model,
  );
}

/**
 * Finds the model that fills the recorded orders most alike: the greatest share of the union's size
 * in the first half of the session, by side and price within the window. It varies one part of the
 * model after the other until none improves the share. Of equal models it keeps the one nearest to
 * what the recording shows. The second half is not used.
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
  return { best, plain: tried(plain), tried: [...seen.values()] };
}

/** The result of a fit. */
export interface Fit {
  readonly best: EvaluatedModel;
  /** The model that it started from. */
  readonly plain: EvaluatedModel;
  /** Every model tried, in the order of the trials. */
  readonly tried: readonly EvaluatedModel[];
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

/** The middle of the session's activity, between its first request and its last. */
function middleOf({ orders, cancels }: RecordedAccount): number {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { sentUs } of [...orders, ...cancels]) {
    first = Math.min(first, sentUs);
    last = Math.max(last, sentUs);
  }
  return orders.length === 0 ? 0 : (first + last) / 2;
}
