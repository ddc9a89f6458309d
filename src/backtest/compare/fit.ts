import type { Instrument } from "../../core/instrument.js";
import { queueModelNamed } from "../../core/queue-model-names.js";
import type { Tape } from "../../history/columns/tape.js";
import type { RecordedAccount, RecordedFill } from "../session/recorded-orders.js";
import { arrivalOf } from "./arrival.js";
import { alikeShare, type FillMatch, matchFills } from "./match-fills.js";
import { type OrderReplay, type ReplayOrderFill, replayOrders } from "./order-replay.js";

/** Two fills at most so far apart are the same. */
export const WINDOW_US = 1_000_000;

/** One way to travel and to be filled. */
export interface FillModel {
  readonly queue: string;
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

/** Which models {@link fitModel} tries: every queue with every shift. */
export const FIT_QUEUES = ["risk-averse", "power-1", "power-2", "power-3", "log"] as const;
export const FIT_SHIFTS_MS = [0, -2, 2, -5, 5, -10, 10, -20, 20, 40, 80] as const;

/** Sends the recorded orders through one model. */
export function judge({ instrument, tape, account }: ParityInputs, model: FillModel, windowUs: number = WINDOW_US): Judged {
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

/**
 * Finds the model that fills the recorded orders most alike: the greatest share of the union's size in the first half of the session, by side and
 * price within the window. Of equals the first tried stands, so the simplest. The second half had no say in it.
 */
export function fitModel(inputs: ParityInputs, windowUs: number = WINDOW_US): Judged {
  let best: Judged | undefined;
  for (const queue of FIT_QUEUES) {
    for (const shiftMs of FIT_SHIFTS_MS) {
      const judged = judge(inputs, { queue, shiftMs }, windowUs);
      if (best === undefined || judged.firstHalf.share > best.firstHalf.share) best = judged;
    }
  }
  return best as Judged;
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
