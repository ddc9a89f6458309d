import { AccountProfit, type ProfitParts } from "../../account/profit/account-profit.js";
import type { SignedFeeRates } from "../../bot/execution/signed-rates.js";
import { absolute, atLeastZero, ceilDivide } from "../../core/bigints.js";
import type { Instrument } from "../../core/instrument.js";
import {
  type CreditUnits,
  type Lots,
  type MarketId,
  type Side,
  sideSign,
  type Ticks,
} from "../../core/units.js";
import type {
  VenueBalances,
  VenueIncome,
  VenuePosition,
  VenueTrade,
} from "../../exchange/records.js";
import type { VenueEvent } from "../../exchange/venue.js";
import { tradeFee } from "../../perpetual/fees.js";
import { mulFixed, ONE } from "../../perpetual/fixed-point.js";
import { takeoverPrice } from "../../perpetual/liquidation.js";
import {
  type Capacity,
  computeAccountMargin,
  computeAccountSafety,
  computeOrderCapacity,
  isOnlyReducingSize,
  isSafe,
} from "../../perpetual/margin.js";
import { Holding } from "./holding.js";
import type { MarketTerms } from "./market-terms.js";

/** A fill of one order, as the matcher reports it. */
export type FilledPart = Omit<VenueTrade, "quote" | "commission" | "status">;

/** An opening position of an account, bought or sold at the opening mark. */
export interface OpeningPosition {
  /** Signed. */
  readonly lots: Lots;
  /** Credit units for one whole base unit. */
  readonly mark: CreditUnits;
}

/** An own liquidation in one market. */
export interface OwnLiquidation {
  readonly marketId: MarketId;
  /** Signed: removed from the position. */
  readonly lots: Lots;
  /** Received for it, signed. */
  readonly credit: CreditUnits;
  readonly insuranceFee: CreditUnits;
}

/**
 * The account at the replayed exchange: credit, positions, fees, funding and margin by the
 * exchange's own formulas (docs/reference/protocol.md#units, docs/reference/protocol.md#margin and
 * docs/reference/protocol.md#liquidations). It also keeps the parts of the profit, which sum to the
 * change of the net value to the unit.
 */
export class ReplayAccount {
  readonly #holdings: ReadonlyMap<MarketId, Holding>;
  /** The same as a list. */
  readonly #positions: readonly Holding[];
  readonly #profit: AccountProfit;
  /** Credit outside positions. */
  #credit: CreditUnits;

  /**
   * @param startCredit opening net value
   * @param opening opening positions, none where absent
   */
  constructor(
    terms: ReadonlyMap<MarketId, MarketTerms>,
    startCredit: CreditUnits,
    opening: ReadonlyMap<MarketId, OpeningPosition> = new Map(),
  ) {
    this.#holdings = new Map(
      [...terms].map(([marketId, market]) => [marketId, new Holding(market)]),
    );
    this.#positions = [...this.#holdings.values()];
    const instruments: ReadonlyMap<MarketId, Instrument> = new Map(
      [...terms].map(([marketId, { instrument }]) => [marketId, instrument]),
    );
    this.#profit = new AccountProfit(instruments);
    for (const marketId of terms.keys())
      this.#profit.begin(marketId, opening.get(marketId)?.lots ?? 0);
    for (const [marketId, { lots, mark }] of opening) {
      const holding = this.#of(marketId);
      this.mark(marketId, mark);
      holding.lots = lots;
      holding.credit = -holding.value;
    }
    this.#credit = startCredit;
  }

  positionLots(marketId: MarketId): Lots {
    return this.#of(marketId).lots;
  }

  /** Credit units for one whole base unit; undefined before the first. */
  markOf(marketId: MarketId): CreditUnits | undefined {
    return this.#of(marketId).mark;
  }

  /** The exchange's value of the account. */
  get netValue(): CreditUnits {
    return computeAccountSafety(this.#credit, this.#positions).netValueCredit;
  }

  /** Parts of the profit since the start, of one market or of all. */
  profit(marketId?: MarketId): ProfitParts {
    return this.#profit.parts(marketId);
  }

  mark(marketId: MarketId, mark: CreditUnits): void {
    this.#of(marketId).mark = mark;
    this.#profit.mark(marketId, mark);
  }

  /** Applies changed rules of a market: margin follows the new ones. */
  changeTerms(marketId: MarketId, terms: MarketTerms): void {
    this.#of(marketId).terms = terms;
  }

  /** Best bid plus best ask. */
  mid(marketId: MarketId, midHalfTicks: number): void {
    this.#profit.mid(marketId, midHalfTicks);
  }

  /** Updates the open size of an order, which counts in the worst case. */
  open(marketId: MarketId, side: Side, ticks: Ticks, fromLots: Lots, toLots: Lots): void {
    const holding = this.#of(marketId);
    const { instrument } = holding.terms;
    const credit = (lots: Lots): CreditUnits =>
      lots === 0 ? 0n : instrument.creditCeil(ticks, lots);
    const moved = credit(toLots) - credit(fromLots);
    if (side === "BUY") {
      holding.openBuyLots += toLots - fromLots;
      holding.openBuyCredit += moved;
    } else {
      holding.openSellLots += toLots - fromLots;
      holding.openSellCredit += moved;
    }
  }

  /**
   * Books a fill. The quote is rounded as the maker's own order is (a buyer's up, a seller's down).
   * The fee of an order is on the sum that it has traded, so that parts cost as much as the whole
   * would (docs/reference/protocol.md#trades).
   * @param before credit units that the same order has already traded.
   * @param hasRebate false: a maker with a rebate pays and receives nothing.
   * @param gasRate the order's gas as a share of its value, scaled by 10^18, on top of either rate.
   * @param rates those at the time of the order.
   * @returns the trade with the credit that changed hands and its cost.
   */
  fill(
    { id, marketId, side, isMaker, ticks, lots, timeMs }: FilledPart,
    before: CreditUnits,
    hasRebate = true,
    gasRate = 0n,
    rates: SignedFeeRates = this.#of(marketId).terms.rules,
  ): VenueTrade {
    const holding = this.#of(marketId);
    const { instrument } = holding.terms;
    const makerBuys = isMaker === (side === "BUY");
    const quote = instrument.orderCredit(makerBuys ? "BUY" : "SELL", ticks, lots);
    const commission = this.computeFee(rates, quote, before, isMaker, hasRebate, gasRate);
    // Written out: a literal that adds keys to a spread costs several times as much as everything
    // computed here.
    const trade: VenueTrade = {
      id,
      marketId,
      side,
      isMaker,
      ticks,
      lots,
      timeMs,
      quote,
      commission,
      status: "SETTLED",
    };
    this.#profit.fill(trade);
    this.#move(holding, sideSign(side) * lots, side === "BUY" ? -quote : quote);
    this.#credit -= commission;
    return trade;
  }

  /**
   * The fee of a fill, actual or hypothetical, of an order that has traded `before`, in credit
   * units.
   * @param rates, hasRebate, gasRate as {@link fill} has them.
   */
  computeFee(
    { makerFeeRate, takerFeeRate }: SignedFeeRates,
    quote: CreditUnits,
    before: CreditUnits,
    isMaker: boolean,
    hasRebate: boolean,
    gasRate: bigint,
  ): CreditUnits {
    const ownRate = isMaker ? makerFeeRate : takerFeeRate;
    const rate = (!hasRebate && ownRate < 0n ? 0n : ownRate) + gasRate;
    return tradeFee(quote, rate, before);
  }

  /**
   * Pays funding: the present position pays `rateE18` of its value at the mark. Returns the amount
   * received, below zero when paid.
   */
  payFunding(income: Omit<VenueIncome, "amount">, rateE18: bigint): CreditUnits {
    const holding = this.#of(income.marketId);
    const product = -holding.value * rateE18;
    // The payer pays the last unit, and the receiver does not get it.
    const amount = product >= 0n ? product / ONE : -ceilDivide(-product, ONE);
    this.#credit += amount;
    this.#profit.income({ ...income, amount });
    return amount;
  }

  /** True if the net value covers the maintenance margin of all positions together. */
  get isSafe(): boolean {
    return isSafe(computeAccountSafety(this.#credit, this.#positions));
  }

  /**
   * Liquidates every position at its market's discount, until the account is safe. Orders must have
   * been cancelled.
   */
  liquidate(): OwnLiquidation[] {
    const done: OwnLiquidation[] = [];
    for (const [marketId, holding] of this.#holdings) {
      if (holding.lots === 0 || this.isSafe) continue;
      const { liquidationPriceOff, insuranceFeeRate } = holding.terms;
      const { lots } = holding;
      const share = takeoverPrice({ markPrice: ONE, liquidationPriceOff }, BigInt(lots));
      // The contracts multiply the size by the liquidation price. Here the position's value,
      // already rounded, is multiplied by that price as a fraction of the mark, and rounded again.
      const credit = mulFixed(holding.value, share);
      const insuranceFee = mulFixed(absolute(credit), insuranceFeeRate);
      this.#profit.liquidation(marketId, -lots, credit - insuranceFee);
      this.#move(holding, -lots, credit - insuranceFee);
      done.push({ marketId, lots, credit, insuranceFee });
    }
    return done;
  }

  /** The notional that may still be bought and sold in a market. */
  capacity(marketId: MarketId): Capacity {
    const own = this.#of(marketId);
    return computeOrderCapacity(this.#credit, this.#positions, own, own.terms.rules.maxExposure);
  }

  /**
   * True if an order of this size, with all others of its side filled first, would only reduce the
   * position.
   */
  isReduceOnly(marketId: MarketId, side: Side, lots: Lots): boolean {
    const { lots: held, openBuyLots, openSellLots } = this.#of(marketId);
    return isOnlyReducingSize(held, side, (side === "BUY" ? openBuyLots : openSellLots) + lots);
  }

  /** The account as the exchange reports it. */
  balances(): VenueBalances {
    const availableCredit: Record<MarketId, { buy: CreditUnits; sell: CreditUnits }> = {};
    for (const marketId of this.#holdings.keys()) {
      const { buy, sell } = this.capacity(marketId);
      availableCredit[marketId] = { buy, sell };
    }
    const margin = computeAccountMargin(this.#credit, this.#positions);
    const { netValueCredit: netValue, exposureCredit: exposure } = margin;
    const { initialMarginCredit: positionMargin, frozenMarginCredit: frozenMargin } = margin;
    return {
      availableCredit,
      availableMargin: atLeastZero(netValue - positionMargin - frozenMargin),
      exposure,
      frozenMargin,
      positionMargin,
      netValue,
      primaryCredit: this.#credit,
      secondaryCredit: 0n,
      isSafe: isSafe(margin),
      leverage: ratio(exposure, netValue),
      marginRate: ratio(margin.maintenanceMarginCredit, netValue),
    };
  }

  /** Every open position, and those in the markets of the run. */
  positions(): VenuePosition[] {
    return [...this.#holdings].map(([marketId, holding]) => ({
      marketId,
      lots: holding.lots,
      status: holding.lots === 0 ? "CLOSED" : "OPEN",
      entryPrice: holding.entryPrice,
      liquidationPrice: "0",
      unrealizedPnl: holding.value + holding.credit,
      realizedPnl: holding.realized,
    }));
  }

  /** Balances and positions, as the account's stream reports them. */
  update(): VenueEvent {
    return { type: "account-update", balances: this.balances(), positions: this.positions() };
  }

  /** Paper and credit of a position change. The remainder of a closed position is free credit. */
  #move(holding: Holding, lots: Lots, credit: CreditUnits): void {
    const before = holding.lots;
    const after = before + lots;
    if (before !== 0 && Math.sign(after) !== Math.sign(before)) {
      // The trade crosses zero. The part of its credit that closes the old position is realised.
      // The rest belongs to the new position.
      const closing = (credit * BigInt(Math.abs(before))) / BigInt(Math.abs(lots));
      const gained = holding.credit + closing;
      holding.realized += gained;
      this.#credit += gained;
      holding.credit = credit - closing;
    } else {
      holding.credit += credit;
    }
    holding.lots = after;
    if (after === 0) {
      this.#credit += holding.credit;
      holding.credit = 0n;
    }
  }

  #of(marketId: MarketId): Holding {
    return this.#holdings.get(marketId) as Holding;
  }
}

/** Two decimals are enough for display. */
function ratio(above: CreditUnits, below: CreditUnits): string {
  return below <= 0n ? "0" : (Number((above * 10_000n) / below) / 10_000).toString();
}
