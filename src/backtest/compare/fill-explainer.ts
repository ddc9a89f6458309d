import type { Instrument } from "../../core/instrument.js";
import type { Lots } from "../../core/units.js";
import {
  listOpenedOrders,
  type RecordedAccount,
  type RecordedFill,
  type RecordedOrder,
} from "../session/recorded-orders.js";
import { WINDOW_US } from "./fit-model.js";
import { findMatchableFills, type Unmatched } from "./match-fills.js";
import type {
  OrderReplay,
  ReplayedOrder,
  ReplayOrderFill,
} from "./replay/replay-recorded-orders.js";
import { MATCHED_WITHIN_US } from "./replay/shared-market-matcher.js";

/** The reason why only one of the two has a fill. */
export type DifferenceKind =
  /** The model placed the order elsewhere in the queue. */
  | "queue"
  /** A trade printed beyond its price. */
  | "through"
  /** The best price of the other side reached its price. */
  | "cross"
  /**
   * Trades or levels beyond its price show that the order was not in the book when its stamps say
   * that it was.
   */
  | "absent"
  /** An order or cancel of ours arrived earlier or later than in the other. */
  | "latency"
  /** Both filled it, but too far apart in time. */
  | "time"
  /**
   * Both filled it, one at a better price than its limit: it took on arrival and met other offers.
   */
  | "price"
  /**
   * Live it took on arrival liquidity that no book message displayed: it was added and consumed
   * between two messages.
   */
  | "untold"
  /** There was no order at this price: an earlier difference had moved the quotes. */
  | "earlier-difference"
  /** The recording does not show which order it was. */
  | "unknown-order";

/** A fill that the other does not have, with the reason. */
export interface FillDifference {
  readonly only: "live" | "replay";
  readonly side: "BUY" | "SELL";
  readonly price: string;
  readonly amount: string;
  readonly atUs: number;
  readonly kind: DifferenceKind;
  readonly why: string;
}

/**
 * The part of a {@link FillDifference} that describes the fill itself.
 * @param lots the part of its size that only one of the two has.
 */
export function describeFill(
  instrument: Instrument,
  { side, ticks, atUs }: Pick<RecordedFill, "side" | "ticks" | "atUs">,
  lots: Lots,
) {
  return {
    side,
    price: instrument.formatReportedPrice(ticks),
    amount: instrument.formatReportedAmount(lots),
    atUs,
  };
}

/** Explains every fill of the recorded orders that only one of the two has. */
export class FillExplainer {
  readonly #instrument: Instrument;
  readonly #account: RecordedAccount;
  readonly #replay: OrderReplay;
  readonly #isShared: boolean;

  /**
   * @param isShared true if the replay fills from a market recording that already contains the
   * orders.
   */
  constructor(
    instrument: Instrument,
    account: RecordedAccount,
    replay: OrderReplay,
    isShared: boolean,
  ) {
    this.#instrument = instrument;
    this.#account = account;
    this.#replay = replay;
    this.#isShared = isShared;
  }

  explainLive({ fill, lots }: Unmatched<RecordedFill>): FillDifference {
    const order = this.#orderOf(fill);
    const at = { only: "live", ...describeFill(this.#instrument, fill, lots) } as const;
    if (order === undefined)
      return {
        ...at,
        kind: "unknown-order",
        why: "no recorded order of ours was open at its price then",
      };
    const replayed = this.#replay.orders.get(order.hash);
    if (replayed === undefined)
      return {
        ...at,
        kind: "earlier-difference",
        why: `the replay did not send its order: ${order.refused ?? "it was refused"}`,
      };
    return { ...at, ...this.#whyNotReplayed(fill, replayed) };
  }

  explainReplayed({ fill, lots }: Unmatched<ReplayOrderFill>): FillDifference {
    const at = { only: "replay", ...describeFill(this.#instrument, fill, lots) } as const;
    const { recorded } = fill.order;
    const filled = filledSteps(recorded).map(({ atUs }) => atUs);
    if (recorded.acceptedUs === undefined)
      return {
        ...at,
        kind: "earlier-difference",
        why: "the exchange never reported that it accepted its order",
      };
    if (recorded.ended !== undefined && recorded.ended.atUs <= fill.atUs) {
      return {
        ...at,
        kind: "latency",
        why: `live its order ended (${recorded.ended.status}) ${apart(recorded.ended.atUs, fill.atUs)} before`,
      };
    }
    const nearestUs = nearest(filled, fill.atUs);
    if (
      nearestUs !== undefined &&
      recorded.steps.at(-1)?.openLots === 0 &&
      recorded.ended === undefined
    ) {
      const when = `${apart(nearestUs, fill.atUs)} ${nearestUs < fill.atUs ? "earlier" : "later"}`;
      const took = this.#account.fills.find(
        (live) =>
          !live.isMaker &&
          live.ticks !== fill.ticks &&
          Math.abs(live.atUs - nearestUs) <= MOST_APART_US &&
          this.#orderOf(live) === recorded,
      );
      if (took === undefined)
        return { ...at, kind: "time", why: `live its order was filled ${when}` };
      const hidden = this.#explainHiddenLiquidity(took, fill.order);
      if (hidden !== undefined) return { ...at, kind: "untold", why: `${when} ${hidden}` };
      return {
        ...at,
        kind: "price",
        why: `live its order took liquidity at ${this.#instrument.formatReportedPrice(took.ticks)}, ${when}`,
      };
    }
    if (fill.cause === "through")
      return {
        ...at,
        kind: "through",
        why: `a trade printed beyond its price, but live it was not filled; ${this.#queueText(fill.order)}`,
      };
    if (fill.cause === "cross")
      return {
        ...at,
        kind: "cross",
        why: "the other side's best price reached its price, but live it was not filled",
      };
    if (fill.cause === "taker")
      return {
        ...at,
        kind: "latency",
        why: "it took liquidity on arrival that was not there when it arrived live",
      };
    return {
      ...at,
      kind: "queue",
      why: `live it was further back in the queue: ${this.#queueText(fill.order)}`,
    };
  }

  #whyNotReplayed(
    fill: RecordedFill,
    replayed: ReplayedOrder,
  ): Pick<FillDifference, "kind" | "why"> {
    const { ended, arrivedUs, fills } = replayed;
    const hidden = this.#explainHiddenLiquidity(fill, replayed);
    if (hidden !== undefined) return { kind: "untold", why: hidden };
    if (this.#isShared && !fill.isMaker && fill.atUs - arrivedUs >= MATCHED_WITHIN_US) {
      const why = `the exchange stamped its trade ${apart(arrivedUs, fill.atUs)} after it accepted the order: too late to match a print with it`;
      return { kind: "latency", why };
    }
    const nearestUs = nearest(
      fills.map(({ atUs }) => atUs),
      fill.atUs,
    );
    const filledLots = fills.reduce((sum, { lots }) => sum + lots, 0);
    const isPartOfIt =
      filledLots < replayed.recorded.lots && findMatchableFills(fills, fill, WINDOW_US).length > 0;
    if (nearestUs !== undefined && !isPartOfIt) {
      const why = `the replay filled ${this.#filledText(replayed)} of its order, ${apart(nearestUs, fill.atUs)} ${nearestUs < fill.atUs ? "earlier" : "later"}`;
      if (fills.some(({ ticks }) => ticks === fill.ticks)) return { kind: "time", why };
      const prices = [
        ...new Set(fills.map(({ ticks }) => this.#instrument.formatReportedPrice(ticks))),
      ];
      return { kind: "price", why: `${why}, at ${prices.join(" and ")}` };
    }
    if (ended?.how === "would-take")
      return {
        kind: "latency",
        why: "in the replay its order would have taken liquidity on arrival, so it did not rest",
      };
    if (arrivedUs > fill.atUs)
      return {
        kind: "latency",
        why: `in the replay its order arrived ${apart(arrivedUs, fill.atUs)} after the fill`,
      };
    if (ended?.how === "absent" && ended.atUs <= fill.atUs) {
      const why = `${apart(ended.atUs, fill.atUs)} before, the book showed a price beyond its price, and nothing had traded with it`;
      return { kind: "absent", why };
    }
    if (ended !== undefined && ended.atUs <= fill.atUs) {
      return {
        kind: "latency",
        why: `in the replay its order ended (${ended.how}) ${apart(ended.atUs, fill.atUs)} before`,
      };
    }
    if (!fill.isMaker) {
      const why = this.#isShared
        ? "the prints of its side right after left nothing within its limit"
        : "in the replay an earlier order of ours had taken that liquidity";
      return { kind: "latency", why: `live it took liquidity on arrival; ${why}, and it rested` };
    }
    return {
      kind: "queue",
      why: `the queue model puts it further back: ${this.#queueText(replayed)}`,
    };
  }

  /**
   * Explains that the live order took liquidity that the replayed book did not display; undefined
   * where that does not apply, or where prints show what it took.
   */
  #explainHiddenLiquidity(
    { isMaker, ticks, lots }: RecordedFill,
    { displayedAtArrival }: ReplayedOrder,
  ): string | undefined {
    const shownLots = displayedAtArrival.get(ticks) ?? 0;
    if (isMaker || this.#isShared || shownLots >= lots) return undefined;
    const { amountOf } = amounts(this.#instrument);
    return `live it took ${amountOf(lots)} at ${this.#instrument.formatReportedPrice(ticks)}, where the book showed ${amountOf(shownLots)} when it arrived`;
  }

  #queueText({ aheadLots, tradedLots }: ReplayedOrder): string {
    const { amountOf } = amounts(this.#instrument);
    return `${amountOf(aheadLots)} was open at its price when it arrived, ${amountOf(tradedLots)} traded there or beyond while it was open`;
  }

  #filledText({ fills, recorded }: ReplayedOrder): string {
    const { amountOf } = amounts(this.#instrument);
    return `${amountOf(fills.reduce((sum, { lots }) => sum + lots, 0))} of ${amountOf(recorded.lots)}`;
  }

  /**
   * The order of a fill: open at its price at that time, with the nearest decrease of its open
   * size.
   */
  #orderOf({ side, ticks, atUs, isMaker }: RecordedFill): RecordedOrder | undefined {
    let found: RecordedOrder | undefined;
    let distance = Number.POSITIVE_INFINITY;
    for (const order of listOpenedOrders(this.#account)) {
      if (order.side !== side || order.refused !== undefined) continue;
      const fits = isMaker
        ? order.ticks === ticks
        : Number.isNaN(order.ticks) ||
          (side === "BUY" ? order.ticks >= ticks : order.ticks <= ticks);
      if (!fits) continue;
      for (const step of filledSteps(order)) {
        const apartUs = Math.abs(step.atUs - atUs);
        if (apartUs >= distance) continue;
        distance = apartUs;
        found = order;
      }
    }
    return distance <= MOST_APART_US ? found : undefined;
  }
}

/** Longest delay between a fill and its report on the order stream. */
const MOST_APART_US = 5_000_000;

/** Steps at which the open size decreased, other than by the end of the order. */
function filledSteps({ steps, lots, ended }: RecordedOrder): RecordedOrder["steps"] {
  // A part may be filled in the same millisecond in which the remainder ends.
  const isEnd = ({ openLots, atUs }: RecordedOrder["steps"][number]): boolean =>
    openLots === 0 && atUs === ended?.atUs;
  return steps.filter(
    (step, at) =>
      step.openLots < (at === 0 ? lots : (steps[at - 1]?.openLots ?? lots)) && !isEnd(step),
  );
}

function nearest(instants: readonly number[], atUs: number): number | undefined {
  let found: number | undefined;
  for (const each of instants)
    if (found === undefined || Math.abs(each - atUs) < Math.abs(found - atUs)) found = each;
  return found;
}

function apart(one: number, other: number): string {
  const ms = Math.abs(one - other) / 1000;
  return ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function amounts(instrument: Instrument) {
  return { amountOf: (lots: Lots): string => instrument.formatReportedAmount(lots) };
}
