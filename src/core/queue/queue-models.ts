import { FormatError } from "../errors.js";
import type { Lots } from "../units.js";

/** An order's place in the queue of its price level. Immutable. */
export interface QueuePlace {
  /** Lots believed to stand ahead. Negative between a trade that reached us and {@link QueueModel.onTaken}. */
  readonly frontLots: Lots;
  /** Lots traded at the level since its displayed amount last changed, which a model may not count as cancels as well. */
  readonly tradedLots: Lots;
}

/**
 * Where a resting order stands in a queue of which only the total is displayed, and so when a trade reaches it. A small
 * interchangeable value: an exchange with replayed history, a backtest and an audit ask the same one. Amounts are lots of
 * strangers at our price on our side; our own orders are in none of them.
 */
export interface QueueModel<State> {
  readonly name: string;
  /** The place of an order accepted behind `displayedLots`. */
  onAccept(displayedLots: Lots): State;
  /** The place after `lots` traded at our price against our side. Afterwards ask {@link executableLots}. */
  onTrade(place: State, lots: Lots): State;
  /** The place after the level's displayed amount changed. A change of depth alone never fills. */
  onDepth(place: State, oldLots: Lots, newLots: Lots): State;
  /** How much of us the trades so far have reached: the order fills by the lesser of it and its open amount. */
  executableLots(place: State): Lots;
  /** The place after the executable amount has been filled (or exceeded what was open): we stand at the front. */
  onTaken(place: State): State;
}

const AT_FRONT: QueuePlace = { frontLots: 0, tradedLots: 0 };

/**
 * The most careful model: whatever disappears from a level without a trade is taken to have stood behind us, until the level
 * itself is smaller than what we believed ahead. Gives the fewest fills of all models that respect the displayed amounts.
 * Rules restated from hftbacktest's RiskAdverseQueueModel; integers of lots, so nothing needs its rounding.
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
