import type { Takeover } from "../../account/positions/takeover.js";
import { atLeastZero, ceilDivide, smaller } from "../../core/bigints.js";
import {
  type CreditUnits,
  type Int64Id,
  type Lots,
  type MarketId,
  type Ms,
  type PaperUnits,
  sideSign,
  type Ticks,
} from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import type { Trajectory } from "../../strategies/intent.js";
import type { UnwindDecision } from "./unwind-decision.js";
import type { UnwindReport, UnwindState } from "./unwind-report.js";

/** How one takeover is to be unwound. */
export interface UnwindTerms {
  readonly part: Trajectory;
  /** Limit price of its orders. */
  readonly worstTicks: Ticks;
  /** Exchange time. */
  readonly deadlineMs: Ms;
}

/** The part of a takeover that a trade closed. Lots have the sign of the acquired position. */
export interface TakeoverFill {
  readonly tradeId: Int64Id;
  readonly lots: Lots;
  /**
   * The traded amount less the size of `lots`, in units of paper: below zero if `lots` was rounded
   * up. Absent if they are equal; they differ only if a trade was off the market's step.
   */
  readonly restPaper?: PaperUnits;
  readonly proceeds: CreditUnits;
  readonly fee: CreditUnits;
}

/** A takeover and its progress: plain data, as it is stored. */
export interface TakeoverRecord {
  readonly takeover: Takeover;
  /** Exchange time of its report: earlier trades do not belong to it. */
  readonly saidAtMs: Ms;
  terms: UnwindTerms;
  state: UnwindState;
  isUndone: boolean;
  nettedLots: Lots;
  nettedCredit: CreditUnits;
  readonly shares: TakeoverFill[];
  /** Absent in a market without a hedge, and before it is decided. */
  decision?: UnwindDecision;
  /** The part that the market's own position has taken over, and its value; absent without one. */
  laidOff?: LaidOffPart;
}

/** Lots with the sign of the acquired position, and the credit that they count as sold for. */
export interface LaidOffPart {
  readonly lots: Lots;
  readonly credit: CreditUnits;
}

/**
 * Value of lots at the mark, in credit units, with the sign of the lots; undefined before the first
 * mark.
 */
export type MarkValue = (marketId: MarketId, lots: Lots) => CreditUnits | undefined;

const NONE: readonly TakeoverRecord[] = [];

/**
 * Every takeover and its sales, first in first out among those of a market whose limit price allows
 * the trade. At every moment, for each: acquired = sold + remaining.
 */
export class TakeoverRegistry {
  readonly #known = new Map<string, TakeoverRecord>();

  constructor(known: readonly TakeoverRecord[] = []) {
    for (const one of known) this.#known.set(one.takeover.id, one);
  }

  get all(): readonly TakeoverRecord[] {
    return [...this.#known.values()];
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** The takeover with this id; undefined if it was never reported, or is forgotten. */
  get(id: string): TakeoverRecord | undefined {
    return this.#known.get(id);
  }

  /** Those of a market that are being unwound, the oldest first. */
  open(marketId: MarketId): readonly TakeoverRecord[] {
    if (this.#known.size === 0) return NONE;
    return this.all.filter((one) => one.takeover.marketId === marketId && one.state === "open");
  }

  /** Remaining lots of a market's open takeovers, signed, together. */
  openLots(marketId: MarketId): Lots {
    return this.open(marketId).reduce((sum, one) => sum + computeRemainingLots(one), 0);
  }

  acquire(takeover: Takeover, terms: UnwindTerms, nowMs: Ms): TakeoverRecord {
    const one: TakeoverRecord = {
      takeover,
      saidAtMs: nowMs,
      terms,
      state: "open",
      isUndone: false,
      nettedLots: 0,
      nettedCredit: 0n,
      shares: [],
    };
    this.#known.set(takeover.id, one);
    return one;
  }

  /**
   * The chain has reverted it: its sold part has to be bought back, on these terms, in whole lots
   * and no more than was sold. Undefined if there is nothing to revert. @param paperPerLot of its
   * market
   */
  revert(
    id: string,
    paperPerLot: PaperUnits,
    termsFor: (lots: Lots) => UnwindTerms,
  ): TakeoverRecord | undefined {
    const one = this.#known.get(id);
    if (one === undefined || one.isUndone) return undefined;
    one.isUndone = true;
    forgetLaidOff(one);
    keepWholeLots(one.shares, paperPerLot);
    const left = computeRemainingLots(one);
    one.state = left === 0 ? "undone" : "open";
    if (left !== 0) one.terms = termsFor(left);
    return one;
  }

  /**
   * A takeover that the chain had reverted is in it again: its unsold part has to be sold, on these
   * terms.
   */
  reacquire(one: TakeoverRecord, termsFor: (lots: Lots) => UnwindTerms): void {
    one.isUndone = false;
    delete one.decision;
    const left = computeRemainingLots(one);
    one.state = left === 0 ? "done" : "open";
    if (left !== 0) one.terms = termsFor(left);
  }

  /**
   * A trade of the account reduces the open takeovers on its side: first the oldest whose limit
   * price allows it, as slices are only for those. A strategy's own quotes may trade beyond every
   * limit price, and then it is the oldest. A partly sold lot counts as sold: an amount below a
   * step cannot be ordered, and the rest of that lot may be the account's own. Returns the changed
   * takeovers. A repeated trade changes nothing.
   * @param paperPerLot of the trade's market
   */
  fill(trade: VenueTrade, paperPerLot: PaperUnits): readonly TakeoverRecord[] {
    if (this.#sharesOf(trade.id, trade.marketId).length > 0) return [];
    const changed: TakeoverRecord[] = [];
    const left = {
      paper: BigInt(trade.lots) * paperPerLot + (trade.restPaper ?? 0n),
      quote: trade.quote,
      fee: trade.commission,
    };
    const open = this.#sellable(trade.marketId);
    const bears = ({ terms }: TakeoverRecord): boolean =>
      trade.side === "SELL" ? trade.ticks >= terms.worstTicks : trade.ticks <= terms.worstTicks;
    for (const one of [...open.filter(bears), ...open.filter((one) => !bears(one))]) {
      const remaining = computeRemainingLots(one);
      const rest = restOf(one);
      const sign = Math.sign(remaining || one.takeover.lots);
      if (left.paper === 0n) break;
      if (sign === sideSign(trade.side)) continue;
      const most = BigInt(Math.abs(remaining)) * paperPerLot - rest;
      // A failed settlement may have left more than a lot beyond those that count, and netting may
      // have taken them.
      const paper = smaller(atLeastZero(most), left.paper);
      const lots = Number(ceilDivide(rest + paper, paperPerLot));
      const restPaper = paper - BigInt(lots) * paperPerLot;
      const part = (credit: CreditUnits): CreditUnits => (credit * paper) / left.paper;
      const quote = part(left.quote);
      const fee = part(left.fee);
      const proceeds = trade.side === "SELL" ? quote : -quote;
      const shareLots = sign * lots;
      one.shares.push({
        tradeId: trade.id,
        lots: shareLots,
        ...(restPaper !== 0n && { restPaper }),
        proceeds,
        fee,
      });
      left.paper -= paper;
      left.quote -= quote;
      left.fee -= fee;
      settleState(one);
      changed.push(one);
    }
    return changed;
  }

  /**
   * The settlement of a trade failed: the part that it had closed remains again, and a finished
   * takeover is open once more.
   */
  failed(trade: Pick<VenueTrade, "id" | "marketId">, nowMs: Ms): readonly TakeoverRecord[] {
    const changed = this.#sharesOf(trade.id, trade.marketId);
    for (const one of changed) {
      one.shares.splice(
        one.shares.findIndex(({ tradeId }) => tradeId === trade.id),
        1,
      );
      one.state = nowMs < one.terms.deadlineMs ? "open" : "expired";
      settleState(one);
    }
    return changed;
  }

  /**
   * Closes at the mark the remainder of a market's open takeovers that the account does not hold:
   * one closes another of the opposite sign, or a position that the account had. Without a mark
   * nothing is closed yet.
   */
  net(marketId: MarketId, positionLots: Lots, markValue: MarkValue): readonly TakeoverRecord[] {
    const open = this.open(marketId);
    let longLots = 0;
    let shortLots = 0;
    for (const one of open) {
      const left = computeRemainingLots(one);
      if (left > 0) longLots += left;
      else shortLots -= left;
    }
    const crossed = Math.min(longLots, shortLots);
    const held = { long: Math.max(0, positionLots), short: Math.max(0, -positionLots) };
    const close = {
      long: Math.max(crossed, longLots - held.long),
      short: Math.max(crossed, shortLots - held.short),
    };
    const changed: TakeoverRecord[] = [];
    for (const one of open) {
      const left = computeRemainingLots(one);
      const side = left > 0 ? "long" : "short";
      const lots = Math.sign(left) * Math.min(Math.abs(left), close[side]);
      const value = lots === 0 ? undefined : markValue(marketId, lots);
      if (value === undefined) continue;
      close[side] -= Math.abs(lots);
      one.nettedLots += lots;
      one.nettedCredit += value;
      settleState(one);
      changed.push(one);
    }
    return changed;
  }

  /** Ends takeovers whose deadline has passed: the remainder is kept. */
  expire(nowMs: Ms): readonly TakeoverRecord[] {
    if (this.#known.size === 0) return NONE;
    const over = this.all.filter((one) => one.state === "open" && nowMs >= one.terms.deadlineMs);
    for (const one of over) one.state = "expired";
    return over;
  }

  /** Ends a market's takeovers whose remainder is not worth an order. */
  dust(marketId: MarketId): readonly TakeoverRecord[] {
    const open = this.open(marketId);
    for (const one of open) one.state = "dust";
    return open;
  }

  /** The remainder of a takeover is laid off: the market's own position takes it over. */
  layOff(one: TakeoverRecord, credit: CreditUnits): void {
    const { lots = 0, credit: before = 0n } = one.laidOff ?? {};
    one.laidOff = { lots: lots + computeRemainingLots(one), credit: before + credit };
    one.state = "laid-off";
  }

  /** Forgets takeovers that were done before this instant. */
  forget(beforeMs: Ms): void {
    for (const [id, { state, terms, saidAtMs }] of this.#known) {
      if (state !== "open" && Math.max(saidAtMs, terms.deadlineMs) < beforeMs)
        this.#known.delete(id);
    }
  }

  /** The open ones, and those that are done except for a part of a lot. */
  #sellable(marketId: MarketId): readonly TakeoverRecord[] {
    if (this.#known.size === 0) return NONE;
    const isSellable = (one: TakeoverRecord): boolean =>
      one.state === "open"
        ? computeRemainingLots(one) !== 0
        : one.state === "done" && restOf(one) < 0n;
    return this.all.filter((one) => one.takeover.marketId === marketId && isSellable(one));
  }

  #sharesOf(tradeId: Int64Id, marketId: MarketId): readonly TakeoverRecord[] {
    return this.all.filter(
      (one) =>
        one.takeover.marketId === marketId && one.shares.some((share) => share.tradeId === tradeId),
    );
  }
}

/**
 * Amount that its trades sold beyond the lots that count as sold: zero, or below zero by a part of
 * a lot.
 */
function restOf({ shares }: Pick<TakeoverRecord, "shares">): PaperUnits {
  return shares.reduce((sum, { restPaper = 0n }) => sum + restPaper, 0n);
}

/**
 * A partly sold lot no longer counts as sold: it is taken from the newest of the shares that have
 * one, and with it all remainders.
 */
function keepWholeLots(shares: TakeoverFill[], paperPerLot: PaperUnits): void {
  const rest = restOf({ shares });
  let partLots = rest < 0n ? Number((paperPerLot - 1n - rest) / paperPerLot) : 0;
  for (const [at, { restPaper: _dropped, ...share }] of [...shares.entries()].reverse()) {
    const less = Math.min(partLots, Math.abs(share.lots));
    partLots -= less;
    shares[at] = { ...share, lots: share.lots - Math.sign(share.lots) * less };
  }
}

/** Lots that fills, netting and laying off have closed, with the sign of the acquired position. */
export function computeSoldLots({ shares, nettedLots, laidOff }: TakeoverRecord): Lots {
  return shares.reduce((sum, { lots }) => sum + lots, nettedLots + (laidOff?.lots ?? 0));
}

/** Signed: the lots still to be sold, or, for a reverted takeover, to be bought back. */
export function computeRemainingLots(one: TakeoverRecord): Lots {
  return (one.isUndone ? 0 : one.takeover.lots) - computeSoldLots(one);
}

/** The takeover as it is reported. */
export function toUnwindReport(one: TakeoverRecord, markValue: MarkValue): UnwindReport {
  const { takeover, terms, state, isUndone, nettedLots, nettedCredit, shares, laidOff } = one;
  const remainingLots = computeRemainingLots(one);
  return {
    takeoverId: takeover.id,
    marketId: takeover.marketId,
    state,
    acquiredLots: isUndone ? 0 : takeover.lots,
    acquiredCredit: isUndone ? 0n : takeover.credit,
    soldLots: computeSoldLots(one),
    nettedLots,
    laidOffLots: laidOff?.lots ?? 0,
    decision: one.decision,
    proceedsCredit: shares.reduce(
      (sum, { proceeds }) => sum + proceeds,
      nettedCredit + (laidOff?.credit ?? 0n),
    ),
    feesCredit: shares.reduce((sum, { fee }) => sum + fee, 0n),
    remainingLots,
    markCredit: remainingLots === 0 ? 0n : markValue(takeover.marketId, remainingLots),
    deadlineMs: terms.deadlineMs,
  };
}

/** The position there follows the one here, which has ended: nothing of it was sold. */
function forgetLaidOff(one: TakeoverRecord): void {
  if (one.laidOff === undefined) return;
  delete one.laidOff;
  delete one.decision;
}

function settleState(one: TakeoverRecord): void {
  if (computeRemainingLots(one) === 0) one.state = one.isUndone ? "undone" : "done";
}
