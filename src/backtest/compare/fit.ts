import type { Instrument } from "../../core/instrument.js";
import { queueModelNamed } from "../../core/queue-model-names.js";
import type { Tape } from "../../history/columns/tape.js";
import type { RecordedAccount, RecordedFill } from "../session/recorded-orders.js";
import { arrivalOf } from "./arrival.js";
import { earlierBook } from "./earlier-book.js";
import { alikeShare, type FillMatch, matchFills } from "./match-fills.js";
import { type OrderReplay, type ReplayOrderFill, replayOrders } from "./order-replay.js";

/** Two fills at most so far apart are the same. */
export const WINDOW_US = 1_000_000;

/** One way to travel and to be filled. */
export interface FillModel {
  readonly queue: string;
  /** By how much the book had changed before the exchange told so, its trades' stamps being right. */
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
export interface Judged {
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
}

/** The model that a fit begins with: nothing is late, and nobody is before us who is not shown to be. */
export const PLAIN_MODEL: FillModel = { queue: "risk-averse", bookLagMs: 0, shiftMs: 0 };

/** What {@link fitModel} tries of each part of a model, the others as they are best so far. */
const TRIED: { readonly [Part in keyof FillModel]: readonly FillModel[Part][] } = {
  bookLagMs: [0, 5, 10, 20, 30, 40, 60, 100],
  shiftMs: [0, -2, 2, -5, 5, 10, 20, 40],
  queue: ["risk-averse", "power-1", "power-2", "power-3", "log"],
};
const PARTS = ["bookLagMs", "shiftMs", "queue"] as const;
const MOST_ROUNDS = 3;

/** Sends the recorded orders through one model. */
export function judge(inputs: ParityInputs, model: FillModel, windowUs: number = WINDOW_US): Judged {
  return judgeOn(earlierBook(inputs.tape, model.bookLagMs * 1000), inputs, model, windowUs);
}

/**
 * Finds the model that fills the recorded orders most alike: the greatest share of the union's size in the first half of the session, by side and
 * price within the window. One part of the model is tried after the other, until none makes it better; of equals the first tried stands. The second
 * half has no say in it.
 */
export function fitModel(inputs: ParityInputs, windowUs: number = WINDOW_US): Fit {
  const seen = new Map<string, Judged>();
  let tape = { lagMs: 0, tape: inputs.tape };
  const tried = (model: FillModel): Judged => {
    const key = JSON.stringify(model);
    const known = seen.get(key);
    if (known !== undefined) return known;
    if (tape.lagMs !== model.bookLagMs) tape = { lagMs: model.bookLagMs, tape: earlierBook(inputs.tape, model.bookLagMs * 1000) };
    const judged = judgeOn(tape.tape, inputs, model, windowUs);
    seen.set(key, judged);
    return judged;
  };
  let best = tried(PLAIN_MODEL);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = best;
    for (const part of PARTS) {
      for (const value of TRIED[part]) {
        const judged = tried({ ...best.model, [part]: value });
        if (judged.firstHalf.share > best.firstHalf.share) best = judged;
      }
    }
    if (best === before) break;
  }
  return { best, plain: tried(PLAIN_MODEL), tried: seen.size };
}

/** What a fit came to. */
export interface Fit {
  readonly best: Judged;
  /** What it began with. */
  readonly plain: Judged;
  /** How many models it tried. */
  readonly tried: number;
}

function judgeOn(tape: Tape, { instrument, account }: ParityInputs, model: FillModel, windowUs: number): Judged {
  const queue = queueModelNamed(model.queue, instrument.lotBase);
  const replay = replayOrders(tape, account, { queue, arrivalUs: arrivalOf(account.orders, model.shiftMs * 1000) });
  const middleUs = middleOf(account);
  const between = (fromUs: number, toUs: number): Parity => {
    const within = <Fill extends { readonly atUs: number }>(fills: readonly Fill[]): Fill[] =>
      fills.filter(({ atUs }) => atUs >= fromUs && atUs < toUs);
    const match = matchFills(within(account.fills), within(replay.fills), windowUs);
    return { match, share: alikeShare(match) };
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
