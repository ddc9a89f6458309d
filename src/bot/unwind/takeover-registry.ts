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
import type { UnwindReport, UnwindState } from "./unwind-report.js";

/** How one takeover is to be unwound. */
export interface UnwindTerms {
  readonly part: Trajectory;
  /** No order of it is worse. */
  readonly worstTicks: Ticks;
  /** Exchange time. */
  readonly deadlineMs: Ms;
}

/** What a trade worked off of a takeover. Lots of the inherited sign. */
export interface TakeoverFill {
  readonly tradeId: Int64Id;
  readonly lots: Lots;
  /**
   * By how much the lots are more (below zero) or fewer than what was traded, in units of paper of
   * either sign: between the market's steps a trade may end anywhere.
   */
  readonly restPaper?: PaperUnits;
  readonly proceeds: CreditUnits;
  readonly fee: CreditUnits;
}

/** A takeover and what became of it: plain data, as it is remembered. */
export interface TakeoverRecord {
  readonly takeover: Takeover;
  /** Exchange time when it was said: trades before then are none of its. */
  readonly saidAtMs: Ms;
  terms: UnwindTerms;
  state: UnwindState;
  isUndone: boolean;
  nettedLots: Lots;
  nettedCredit: CreditUnits;
  readonly shares: TakeoverFill[];
}

/**
 * What lots are worth at the mark, in credit units, signed as they are; undefined before the first
 * mark.
 */
export type MarkValue = (marketId: MarketId, lots: Lots) => CreditUnits | undefined;

const NONE: readonly TakeoverRecord[] = [];

/**
 * Every takeover and what of it was sold, first in first out among those of a market that bear the
 * price. At every moment, for each: inherited = sold + remaining.
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

  /** The one of that name; undefined where it was never said, or is forgotten. */
  get(id: string): TakeoverRecord | undefined {
    return this.#known.get(id);
  }

  /** Those of a market that are being unwound, the oldest first. */
  open(marketId: MarketId): readonly TakeoverRecord[] {
    if (this.#known.size === 0) return NONE;
    return this.all.filter((one) => one.takeover.marketId === marketId && one.state === "open");
  }

  /** What open takeovers of a market have left, signed, together. */
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
   * The chain has taken it back: what was sold of it has to be bought again, on these terms, in
   * whole lots and no more than was sold. Undefined when there is nothing to take back. @param
   * paperPerLot of its market
   */
  revert(
    id: string,
    paperPerLot: PaperUnits,
    termsFor: (lots: Lots) => UnwindTerms,
  ): TakeoverRecord | undefined {
    const one = this.#known.get(id);
    if (one === undefined || one.isUndone) return undefined;
    one.isUndone = true;
    keepWholeLots(one.shares, paperPerLot);
    const left = computeRemainingLots(one);
    one.state = left === 0 ? "undone" : "open";
    if (left !== 0) one.terms = termsFor(left);
    return one;
  }

  /**
   * One that the chain had taken back is in it again: what is not sold of it is to be sold, on
   * these terms.
   */
  reacquire(one: TakeoverRecord, termsFor: (lots: Lots) => UnwindTerms): void {
    one.isUndone = false;
    const left = computeRemainingLots(one);
    one.state = left === 0 ? "done" : "open";
    if (left !== 0) one.terms = termsFor(left);
  }

  /**
   * A trade of the account: works off what is open on its side, first the oldest that bears its
   * price, as slices are for those alone; a strategy's own quotes may trade beyond every bound, and
   * then it is the oldest. A lot that is sold in part counts as sold: what is beneath a step cannot
   * be ordered, and the lot of which it is left may be the account's own. Returns the takeovers
   * that it changed. A trade told again changes nothing.
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
      // A settlement that failed may have left more than a lot beyond those that count, and netting
      // taken them.
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
   * The settlement of a trade failed: what it had worked off remains again, and a takeover that was
   * through is open once more.
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
   * What a market's open takeovers have left and the account does not hold is closed at the mark:
   * one closes another of the opposite sign, or a position that the account had. Undefined marks
   * close nothing yet.
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

  /** Those whose deadline has passed: what remains is kept. */
  expire(nowMs: Ms): readonly TakeoverRecord[] {
    if (this.#known.size === 0) return NONE;
    const over = this.all.filter((one) => one.state === "open" && nowMs >= one.terms.deadlineMs);
    for (const one of over) one.state = "expired";
    return over;
  }

  /** What is left in a market is not worth an order. */
  dust(marketId: MarketId): readonly TakeoverRecord[] {
    const open = this.open(marketId);
    for (const one of open) one.state = "dust";
    return open;
  }

  /** Forgets those that were through before this instant. */
  forget(beforeMs: Ms): void {
    for (const [id, { state, terms, saidAtMs }] of this.#known) {
      if (state !== "open" && Math.max(saidAtMs, terms.deadlineMs) < beforeMs)
        this.#known.delete(id);
    }
  }

  /** The open ones, and those that are through but for a part of a lot. */
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
 * What its trades came to beyond the lots that count as sold: nothing, or less than that by a part
 * of a lot.
 */
function restOf({ shares }: Pick<TakeoverRecord, "shares">): PaperUnits {
  return shares.reduce((sum, { restPaper = 0n }) => sum + restPaper, 0n);
}

/**
 * A lot that was sold in part counts as sold no more: it leaves the newest of the shares that have
 * one, and with it all rests.
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

/** Of the inherited sign: what fills and netting have worked off. */
export function computeSoldLots({ shares, nettedLots }: TakeoverRecord): Lots {
  return shares.reduce((sum, { lots }) => sum + lots, nettedLots);
}

/** Signed: what is still to be sold, or, of a takeover that was taken back, to be bought again. */
export function computeRemainingLots(one: TakeoverRecord): Lots {
  return (one.isUndone ? 0 : one.takeover.lots) - computeSoldLots(one);
}

/** The takeover as it is told. */
export function toUnwindReport(one: TakeoverRecord, markValue: MarkValue): UnwindReport {
  const { takeover, terms, state, isUndone, nettedLots, nettedCredit, shares } = one;
  const remainingLots = computeRemainingLots(one);
  return {
    takeoverId: takeover.id,
    marketId: takeover.marketId,
    state,
    inheritedLots: isUndone ? 0 : takeover.lots,
    inheritedCredit: isUndone ? 0n : takeover.credit,
    soldLots: computeSoldLots(one),
    nettedLots,
    proceedsCredit: shares.reduce((sum, { proceeds }) => sum + proceeds, nettedCredit),
    feesCredit: shares.reduce((sum, { fee }) => sum + fee, 0n),
    remainingLots,
    markCredit: remainingLots === 0 ? 0n : markValue(takeover.marketId, remainingLots),
    deadlineMs: terms.deadlineMs,
  };
}

function settleState(one: TakeoverRecord): void {
  if (computeRemainingLots(one) === 0) one.state = one.isUndone ? "undone" : "done";
}
