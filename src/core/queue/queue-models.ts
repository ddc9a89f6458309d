import { FormatError } from "../errors.js";
import type { Lots } from "../units.js";

/** An order's place in the queue of its price level. Immutable. */
export interface QueuePlace {
  /**
   * Lots assumed to be ahead. Negative between a trade that reached us and
   * {@link QueueModel.onTaken}.
   */
  readonly frontLots: Lots;
  /**
   * Lots traded at the level since its displayed amount last changed. A model must not count them
   * as cancels too.
   */
  readonly tradedLots: Lots;
}

/**
 * Models an open order's place in a queue of which only the total is displayed, and so the trade
 * that reaches it. A small interchangeable value: an exchange with replayed history, a backtest and
 * an audit use the same one. Amounts are other accounts' lots at our price on our side, without our
 * own orders.
 */
export interface QueueModel<State> {
  readonly name: string;
  /** Place of an order accepted behind `displayedLots`. */
  onAccept(displayedLots: Lots): State;
  /** Place after `lots` traded at our price against our side. Then call {@link executableLots}. */
  onTrade(place: State, lots: Lots): State;
  /** Place after the level's displayed amount changed. A change of depth alone never fills. */
  onDepth(place: State, oldLots: Lots, newLots: Lots): State;
  /**
   * Lots of ours that the trades so far have reached. The order fills by the lesser of it and its
   * open amount.
   */
  executableLots(place: State): Lots;
  /**
   * Place after the executable amount has been filled (or exceeded the open amount): we are at the
   * front.
   */
  onTaken(place: State): State;
}

const AT_FRONT: QueuePlace = { frontLots: 0, tradedLots: 0 };

/**
 * The most conservative model: lots that disappear from a level without a trade count as behind us,
 * until the level itself is smaller than the lots assumed ahead. It gives the fewest fills of all
 * models that respect the displayed amounts. Rules restated from hftbacktest's
 * RiskAdverseQueueModel; with integer lots it needs none of the original's rounding.
 */
export const riskAverseQueue: QueueModel<QueuePlace> = {
  name: "risk-averse",

  onAccept(displayedLots) {
    return requireLots(displayedLots, "displayedLots") === 0
      ? AT_FRONT
      : { frontLots: displayedLots, tradedLots: 0 };
  },

  onTrade(place, lots) {
    requireLots(lots, "tradedLots");
    return { frontLots: place.frontLots - lots, tradedLots: place.tradedLots + lots };
  },

  onDepth(place, _oldLots, newLots) {
    requireLots(newLots, "newLots");
    return place.frontLots <= newLots && place.tradedLots === 0
      ? place
      : { frontLots: Math.min(place.frontLots, newLots), tradedLots: 0 };
  },

  executableLots(place) {
    return place.frontLots < 0 ? -place.frontLots : 0;
  },

  onTaken(place) {
    return place.frontLots < 0 ? { frontLots: 0, tradedLots: place.tradedLots } : place;
  },
};

function requireLots(lots: Lots, field: string): Lots {
  if (!Number.isSafeInteger(lots) || lots < 0) {
    throw new FormatError("not an amount of lots", {
      field,
      value: lots,
      expected: "a whole number, zero or above",
    });
  }
  return lots;
}
