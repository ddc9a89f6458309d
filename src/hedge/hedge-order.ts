import type { Lots, Ms, Side, Ticks } from "../core/units.js";
import type { HedgeOrderKey } from "./hedge-order-key.js";
import type { HedgeOrderReport, HedgePlace } from "./hedge-venue.js";

/**
 * - `sent`: handed to the venue, no answer yet
 * - `unknown`: no answer, or one that proves nothing
 * - `open`: the venue has it
 * - `cancelling`: a cancel was sent and not refused, the end is not reported
 * - `ended`: the venue has reported its end
 * - `rejected`: refused, or never sent
 * - `lost`: proven absent from the venue
 */
export type HedgeOrderPhase =
  | "sent"
  | "unknown"
  | "open"
  | "cancelling"
  | "ended"
  | "rejected"
  | "lost";

/** An order of the bot at a hedge venue. It counts at full size until its end is proven. */
export interface HedgeOrder {
  readonly key: HedgeOrderKey;
  readonly side: Side;
  readonly lots: Lots;
  /** Its worst price; undefined for an order of an earlier run. */
  readonly ticks: Ticks | undefined;
  readonly timeInForce: HedgePlace["timeInForce"] | undefined;
  readonly phase: HedgeOrderPhase;
  /** When it was sent, or found again, on the monotonic clock. */
  readonly sentAtMs: Ms;
  /** Filled, by the largest report of the order. */
  readonly reportedLots: Lots;
  /** Filled, by fills with an id. */
  readonly countedLots: Lots;
  /** When the newest cancel was sent. */
  readonly cancelSentAtMs: Ms | undefined;
  /**
   * When a query was sent, after the last instant at which the venue may have accepted the order,
   * that did not find it.
   */
  readonly absentAtMs: Ms | undefined;
}

/** Everything that may happen to an order at a hedge venue. */
export type HedgeOrderEvent =
  | { readonly kind: "report"; readonly report: HedgeOrderReport }
  | { readonly kind: "fill"; readonly lots: Lots }
  | { readonly kind: "rejected" }
  | { readonly kind: "unknown" }
  | { readonly kind: "cancel-sent"; readonly atMs: Ms }
  | { readonly kind: "cancel-rejected" }
  /** A query that was sent at `askedAtMs` did not find it. */
  | { readonly kind: "absent"; readonly askedAtMs: Ms; readonly acceptanceWindowMs: Ms }
  /** Absent, and the fills and the position that were read afterwards do not have it either. */
  | { readonly kind: "lost" };

/** An order at the moment at which it is handed to the venue. */
export function createHedgeOrder(place: HedgePlace, sentAtMs: Ms): HedgeOrder {
  const { key, side, lots, ticks, timeInForce } = place;
  return { ...UNTOUCHED, key, side, lots, ticks, timeInForce, phase: "sent", sentAtMs };
}

/** An order of an earlier run, whose fate is not known yet. */
export function createEarlierHedgeOrder(
  { key, side, lots, countedLots }: Pick<HedgeOrder, "key" | "side" | "lots" | "countedLots">,
  foundAtMs: Ms,
): HedgeOrder {
  return {
    ...UNTOUCHED,
    key,
    side,
    lots,
    ticks: undefined,
    timeInForce: undefined,
    phase: "unknown",
    sentAtMs: foundAtMs,
    countedLots,
  };
}

const UNTOUCHED = {
  reportedLots: 0,
  countedLots: 0,
  cancelSentAtMs: undefined,
  absentAtMs: undefined,
} as const;

/** True if nothing more of an order can fill, as far as anything proves it. */
export function isHedgeOrderOver({ phase }: Pick<HedgeOrder, "phase">): boolean {
  return phase === "ended" || phase === "rejected" || phase === "lost";
}

/** Lots of an order that have filled. */
export function matchedHedgeLots({ reportedLots, countedLots }: HedgeOrder): Lots {
  return Math.max(reportedLots, countedLots);
}

/** Lots of an order that may still fill in the worst case. */
export function mayFillHedgeLots(order: HedgeOrder): Lots {
  return isHedgeOrderOver(order) ? 0 : order.lots - matchedHedgeLots(order);
}

/** True if the report can be of this order: the same side and size. */
export function isPlausibleReport(order: HedgeOrder, report: HedgeOrderReport): boolean {
  return (
    report.side === order.side &&
    report.lots === order.lots &&
    report.filledLots >= 0 &&
    report.filledLots <= order.lots
  );
}

/**
 * Applies an event to an order (docs/reference/hedge.md#the-life-of-a-hedge). Pure and total:
 * events may be late, repeated and in any order. An ended order never becomes open again; one that
 * was only presumed dead does when the venue reports it. Returns the same order if nothing changes.
 */
export function advanceHedgeOrder(order: HedgeOrder, event: HedgeOrderEvent): HedgeOrder {
  switch (event.kind) {
    case "report":
      return reported(order, event.report);
    case "fill": {
      const countedLots = order.countedLots + event.lots;
      const isWhole = countedLots >= order.lots;
      const phase = isWhole ? "ended" : presumedDead(order) ? "open" : phaseSeen(order.phase);
      // A query that did not find it is refuted.
      return { ...order, countedLots, phase, absentAtMs: undefined };
    }
    case "rejected":
      return isUndecided(order) ? { ...order, phase: "rejected" } : order;
    case "unknown":
      return order.phase === "sent" ? { ...order, phase: "unknown" } : order;
    case "cancel-sent":
      return isHedgeOrderOver(order)
        ? order
        : { ...order, phase: "cancelling", cancelSentAtMs: event.atMs };
    case "cancel-rejected":
      return order.phase === "cancelling" ? { ...order, phase: "open" } : order;
    case "absent": {
      const { askedAtMs, acceptanceWindowMs } = event;
      const isLate = askedAtMs > order.sentAtMs + acceptanceWindowMs;
      return isHedgeOrderOver(order) || !isLate ? order : { ...order, absentAtMs: askedAtMs };
    }
    case "lost":
      return isHedgeOrderOver(order) || order.absentAtMs === undefined
        ? order
        : { ...order, phase: "lost" };
  }
}

function reported(order: HedgeOrder, report: HedgeOrderReport): HedgeOrder {
  if (!isPlausibleReport(order, report)) return order;
  const reportedLots = Math.max(order.reportedLots, report.filledLots);
  const isOver = !report.isOpen || reportedLots === order.lots;
  const phase = isOver ? "ended" : presumedDead(order) ? "open" : phaseSeen(order.phase);
  if (
    phase === order.phase &&
    reportedLots === order.reportedLots &&
    order.absentAtMs === undefined
  )
    return order;
  return { ...order, phase, reportedLots, absentAtMs: undefined };
}

function presumedDead({ phase }: HedgeOrder): boolean {
  return phase === "rejected" || phase === "lost";
}

function isUndecided({ phase }: HedgeOrder): boolean {
  return phase === "sent" || phase === "unknown";
}

function phaseSeen(phase: HedgeOrderPhase): HedgeOrderPhase {
  return phase === "sent" || phase === "unknown" ? "open" : phase;
}
