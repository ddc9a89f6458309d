import type { CreditUnits, Ms } from "../../../../core/units.js";
import type { IncomeType } from "../../../../exchange/records.js";
import type { ExchangeAccount, UserTrade } from "../../../accounts/account.js";
import type { ExchangeState } from "../../../engine/exchange-state.js";
import type { UsdmConfig } from "../usdm-config.js";
import type { UsdmIds } from "../usdm-ids.js";
import { symbolOf, type UsdmSymbols } from "../usdm-symbols.js";

/** GET /fapi/v1/income. */
export interface UsdmIncome {
  readonly symbol: string;
  readonly incomeType: string;
  /** Signed; positive when credit comes in. */
  readonly income: string;
  readonly asset: string;
  readonly info: string;
  readonly time: number;
  readonly tranId: number;
  readonly tradeId: string;
}

/** The page that is wanted; times inclusive. */
export interface UsdmIncomePage {
  readonly symbol?: string | undefined;
  readonly incomeType?: string | undefined;
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  readonly limit: number;
}

/**
 * The exchange's incomes in the dialect. Those of trades are not here: the dialect books profit and
 * commission at the match, from the trades themselves.
 */
const TYPES: Readonly<Partial<Record<IncomeType, string>>> = {
  DEPOSIT: "TRANSFER",
  WITHDRAWAL: "TRANSFER",
  BONUS: "WELCOME_BONUS",
  FUNDING_FEE: "FUNDING_FEE",
  LIQUIDATED: "INSURANCE_CLEAR",
  LIQUIDATE: "INSURANCE_CLEAR",
  SYSTEM: "INSURANCE_CLEAR",
  COMMISSION: "COMMISSION_REBATE",
  SETTLEMENT: "INSURANCE_CLEAR",
};
/** The `info` of the incomes that take a fill back. */
const FAILED = "settlement failed";
/** The failures whose time is remembered. */
const MOST_FAILURES = 10_000;

/** The incomes of the accounts: profit, commission, funding, deposits. */
export class UsdmIncomes {
  readonly #state: ExchangeState;
  readonly #symbols: UsdmSymbols;
  readonly #ids: UsdmIds;
  readonly #config: UsdmConfig;
  readonly #failedMs = new Map<string, Ms>();

  constructor(state: ExchangeState, symbols: UsdmSymbols, ids: UsdmIds, config: UsdmConfig) {
    this.#state = state;
    this.#symbols = symbols;
    this.#ids = ids;
    this.#config = config;
  }

  /** The settlement of a trade failed. */
  onFailed({ trade }: UserTrade): void {
    this.#failedMs.set(trade.id, this.#state.nowMs());
    if (this.#failedMs.size > MOST_FAILURES) {
      this.#failedMs.delete(this.#failedMs.keys().next().value as string);
    }
  }

  /** One page, oldest first: from the start if one is given, else the newest. */
  page(account: ExchangeAccount, page: UsdmIncomePage): UsdmIncome[] {
    const { symbol, incomeType, startTime = 0, endTime = Number.POSITIVE_INFINITY, limit } = page;
    const found = [...this.#ofTrades(account), ...this.#ofAccount(account)]
      .filter(
        (income) =>
          income.time >= startTime &&
          income.time <= endTime &&
          (symbol === undefined || income.symbol === symbol) &&
          (incomeType === undefined || income.incomeType === incomeType),
      )
      .sort((one, other) => one.time - other.time || one.tranId - other.tranId);
    return page.startTime === undefined ? found.slice(-limit) : found.slice(0, limit);
  }

  *#ofTrades(account: ExchangeAccount): Iterable<UsdmIncome> {
    const { userTrades: limit } = this.#state.config.retention;
    const { failedTradeStatus } = this.#state.config.choices;
    for (const { trades } of account.markets.values()) {
      for (const record of trades.page({ limit })) {
        yield* this.#parts(record, 1n, record.trade.timeMs, "");
        const isFailed = record.trade.status === failedTradeStatus;
        if (isFailed && this.#config.failedSettlement === "adjustment") {
          const timeMs = this.#failedMs.get(record.trade.id) ?? record.trade.timeMs;
          yield* this.#parts(record, -1n, timeMs, FAILED);
        }
      }
    }
  }

  *#parts(record: UserTrade, sign: bigint, time: Ms, info: string): Iterable<UsdmIncome> {
    const { trade, realizedPnl, commission } = record;
    const parts: readonly (readonly [string, CreditUnits])[] = [
      ["REALIZED_PNL", realizedPnl],
      ["COMMISSION", -commission],
    ];
    const tranId = this.#ids.toNumber(trade.id);
    for (const [incomeType, amount] of parts) {
      if (amount === 0n) continue;
      yield {
        symbol: symbolOf(trade.market),
        incomeType,
        income: trade.market.instrument.creditToDecimal(sign * amount),
        asset: this.#symbols.asset,
        info: info === "" ? incomeType : info,
        time,
        tranId,
        tradeId: String(tranId),
      };
    }
  }

  *#ofAccount(account: ExchangeAccount): Iterable<UsdmIncome> {
    const { incomes: limit } = this.#state.config.retention;
    const [market] = this.#state.markets.values();
    for (const { id, type, amount, timeMs, marketId } of account.incomes.page({ limit })) {
      const incomeType = TYPES[type];
      const own = this.#state.markets.get(marketId);
      if (incomeType === undefined || market === undefined) continue;
      yield {
        symbol: own === undefined ? "" : symbolOf(own),
        incomeType,
        income: market.instrument.creditToDecimal(amount),
        asset: this.#symbols.asset,
        info: type,
        time: timeMs,
        tranId: this.#ids.toNumber(id),
        tradeId: "",
      };
    }
  }
}
