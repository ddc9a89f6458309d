import { FormatError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import { type CreditUnits, type Lots, type MarketId, sideSign } from "../../core/units.js";
import type { VenueIncome, VenueTrade } from "../../exchange/records.js";
import { isLiquidation } from "../positions/reported-liquidations.js";
import { MarketProfit, type MarketProfitParts } from "./market-profit.js";
import { isTransfer } from "./transfer-ledger.js";

/**
 * Profit by its parts, each a bigint scaled by `10^decimals` of the quote asset. Nothing is
 * rounded: the scale is fine enough for half a tick of one lot, so `total` (with `transfers`) is
 * the exact change of the net value.
 */
export interface ProfitParts extends MarketProfitParts {
  readonly decimals: number;
  /** Deposits and withdrawals: part of the net value, not of the profit. */
  readonly transfers: bigint;
  /** Sum of all parts except transfers. */
  readonly total: bigint;
}

/** The profit since the start, split by what is still open. */
export interface RealisedSplit {
  /** Value of the positions at their marks less their value at their entry prices, credit units. */
  readonly unrealised: CreditUnits;
  /**
   * The profit since the start less the change of {@link unrealised} since the start: closed
   * trades, fees, funding and all other incomes. Scaled by `10^decimals`.
   */
  readonly realised: bigint;
  readonly decimals: number;
}

/** Incomes that repeat trades: counting them would count every fee and fill twice. */
const INCLUDED_IN_TRADES: ReadonlySet<string> = new Set(["TAKER_FEE", "MAKER_FEE", "BUY", "SELL"]);

/**
 * The profit split. Spread comes from fills against the mid of their time, inventory from the
 * position and the moves of the mid, fees from the trades, and funding from the incomes. Basis
 * comes from the contract's valuation against the mid's. Each part is computed directly, none as a
 * remainder.
 *
 * Their sum is the change of credit + sum of truncate(paper * mark / 10^paperDecimals), the
 * contract's own net value (docs/reference/protocol.md#units and
 * docs/reference/protocol.md#margin). A market that had a position before its first mark starts at
 * that mark.
 */
export class AccountProfit {
  readonly #markets = new Map<MarketId, MarketProfit>();
  readonly #scale: bigint;
  readonly #decimals: number;
  #transfers: CreditUnits = 0n;
  #unplaced = 0n;
  #valuesSerial = 0;

  constructor(instruments: ReadonlyMap<MarketId, Instrument>) {
    let extra = 0;
    let creditDecimals = 0;
    for (const instrument of instruments.values()) {
      extra = Math.max(extra, instrument.creditDenominator.toString().length - 1);
      creditDecimals = instrument.creditDecimals;
    }
    // One more decimal for the half tick.
    this.#decimals = creditDecimals + extra + 1;
    this.#scale = 10n ** BigInt(extra + 1);
    for (const [marketId, instrument] of instruments)
      this.#markets.set(marketId, new MarketProfit(instrument, this.#scale));
  }

  /**
   * Grows with every change of a mark or of a position: two equal readings mean that {@link
   * positionValue} is unchanged.
   */
  get valuesSerial(): number {
    return this.#valuesSerial;
  }

  /**
   * Starts the profit of a market with the position that it already has.
   * @param entryPrice of that position, if it is known
   */
  begin(marketId: MarketId, lots: Lots, restPaper = 0n, entryPrice?: string): void {
    this.#valuesSerial += 1;
    this.#markets.get(marketId)?.begin(lots, restPaper, entryPrice);
  }

  /**
   * Applies a mid: best bid plus best ask.
   * @throws FormatError when it is not a positive integer
   */
  mid(marketId: MarketId, midHalfTicks: number): void {
    if (!Number.isSafeInteger(midHalfTicks) || midHalfTicks <= 0) {
      throw new FormatError("not a mid", {
        field: `${marketId} mid`,
        value: midHalfTicks,
        expected: "best bid plus best ask, in ticks",
      });
    }
    this.#markets.get(marketId)?.mid(midHalfTicks);
  }

  /** Applies a mark in credit units per whole base unit, as the contract's mark is. */
  mark(marketId: MarketId, mark: CreditUnits): void {
    this.#valuesSerial += 1;
    this.#markets.get(marketId)?.mark(mark);
  }

  /**
   * Applies a fill.
   * @param midHalfTicks just before its match; the present mid if undefined
   */
  fill(trade: VenueTrade, midHalfTicks?: number): void {
    this.#valuesSerial += 1;
    this.#markets.get(trade.marketId)?.fill(sideSign(trade.side), trade, midHalfTicks);
  }

  /** Applies the failed settlement of a trade that was in the position. */
  failed(trade: VenueTrade): void {
    this.#valuesSerial += 1;
    this.#markets.get(trade.marketId)?.failed(sideSign(trade.side), trade);
  }

  /**
   * Applies funding, transfers and other incomes. Fees, fills and liquidations count nothing here:
   * trades and positions report them.
   */
  income(income: VenueIncome): void {
    if (INCLUDED_IN_TRADES.has(income.type)) return;
    if (isTransfer(income)) {
      this.#transfers += income.amount;
      return;
    }
    const market = this.#markets.get(income.marketId);
    if (market === undefined) this.#unplaced += income.amount * this.#scale;
    else if (income.type === "FUNDING_FEE") market.funding(income.amount);
    else if (!isLiquidation(income)) market.otherIncome(income.amount);
  }

  /**
   * Applies a liquidation that changed a position by `lots` and its credit by `credit`, both
   * signed: acquired or lost.
   */
  liquidation(marketId: MarketId, lots: Lots, credit: CreditUnits): void {
    this.#valuesSerial += 1;
    this.#markets.get(marketId)?.liquidation(lots, credit);
  }

  /**
   * Moves so many signed lots out of the sub-lot balance into lots, or back: trades off the
   * market's step have summed to them.
   */
  carrySubLots(marketId: MarketId, lots: Lots): void {
    this.#valuesSerial += 1;
    this.#markets.get(marketId)?.carrySubLots(lots);
  }

  /** Applies the sub-lot balance that a liquidation left, signed, in units of paper. */
  rest(marketId: MarketId, restPaper: bigint): void {
    this.#valuesSerial += 1;
    this.#markets.get(marketId)?.rest(restPaper);
  }

  /** Applies a position that changed without a trade of ours, for an unknown reason. */
  setPosition(marketId: MarketId, lots: Lots): void {
    this.#valuesSerial += 1;
    this.#markets.get(marketId)?.setPosition(lots);
  }

  /** The contract's valuation of the position at a mark, in credit units. */
  positionValue(marketId: MarketId, mark: CreditUnits): CreditUnits {
    return this.#markets.get(marketId)?.positionValue(mark) ?? 0n;
  }

  /**
   * Splits the profit of one market by what is still open. Without a market: of all, with the
   * incomes of markets that the bot does not trade. Undefined while a mark or an entry price is
   * missing, now or at the start.
   * @param entryPriceFor the entry price of a market's present position
   */
  split(
    entryPriceFor: (marketId: MarketId) => string | undefined,
    marketId?: MarketId,
  ): RealisedSplit | undefined {
    let [unrealised, atStart] = [0n, 0n];
    for (const [id, market] of this.#markets) {
      if (marketId !== undefined && id !== marketId) continue;
      const now = market.unrealised(entryPriceFor(id));
      const then = market.unrealisedAtStart;
      if (now === undefined || then === undefined) return undefined;
      unrealised += now;
      atStart += then;
    }
    const { total, decimals } = this.parts(marketId);
    return { unrealised, realised: total - (unrealised - atStart) * this.#scale, decimals };
  }

  /** Deposits less withdrawals since the start. */
  get transfers(): CreditUnits {
    return this.#transfers;
  }

  /**
   * The change of the net value since the start by profit and transfers, in whole credit units, the
   * fraction dropped.
   */
  get explained(): CreditUnits {
    const { total, transfers } = this.parts();
    return (total + transfers) / this.#scale;
  }

  /**
   * The parts of one market. Without a market: of all, with transfers and with incomes of markets
   * that the bot does not trade.
   */
  parts(marketId?: MarketId): ProfitParts {
    let [spread, inventory, fees, funding, basis, failed, liquidation] = [
      0n,
      0n,
      0n,
      0n,
      0n,
      0n,
      0n,
    ];
    let other = marketId === undefined ? this.#unplaced : 0n;
    for (const [id, market] of this.#markets) {
      if (marketId !== undefined && id !== marketId) continue;
      const parts = market.parts();
      spread += parts.spread;
      inventory += parts.inventory;
      fees += parts.fees;
      funding += parts.funding;
      basis += parts.basis;
      failed += parts.failed;
      liquidation += parts.liquidation;
      other += parts.other;
    }
    return {
      spread,
      inventory,
      fees,
      funding,
      basis,
      failed,
      liquidation,
      other,
      decimals: this.#decimals,
      transfers: marketId === undefined ? this.#transfers * this.#scale : 0n,
      total: spread + inventory + fees + funding + basis + failed + liquidation + other,
    };
  }
}
