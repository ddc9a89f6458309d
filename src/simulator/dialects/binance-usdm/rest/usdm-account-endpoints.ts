import { z } from "zod";
import { scaledToDecimal } from "../../../../core/instrument.js";
import type { CreditUnits } from "../../../../core/units.js";
import type { ExchangeAccount } from "../../../accounts/account.js";
import type { ExchangeState } from "../../../engine/exchange-state.js";
import type { Market } from "../../../markets/market.js";
import { FeeSchedule } from "../../../rest/endpoints/fee-schedule.js";
import { type UsdmPosition, usdmFunds, usdmPosition } from "../records/usdm-account-records.js";
import { usdmUserTrade } from "../records/usdm-order-record.js";
import type { UsdmKey } from "../usdm-api-keys.js";
import { UsdmError } from "../usdm-error.js";
import type { UsdmIds } from "../usdm-ids.js";
import type { UsdmLeverages } from "../usdm-leverages.js";
import { accountKey } from "../usdm-orders.js";
import { symbolOf, type UsdmSymbols } from "../usdm-symbols.js";
import type { UsdmIncomes } from "./usdm-incomes.js";
import {
  flag,
  limitUpTo,
  readUsdmParameters,
  symbolText,
  timeSpan,
  type UsdmParameters,
  wholeNumber,
} from "./usdm-parameters.js";

const oneSymbol = z.object({ symbol: symbolText });
const maybeSymbol = z.object({ symbol: symbolText.optional() });
const tradesShape = z.object({
  symbol: symbolText,
  orderId: wholeNumber.optional(),
  fromId: wholeNumber.optional(),
  limit: limitUpTo(1000, 500),
  ...timeSpan,
});
const incomeShape = z.object({
  symbol: symbolText.optional(),
  incomeType: z.string().optional(),
  limit: limitUpTo(1000, 100),
  ...timeSpan,
});
const leverageShape = z.object({ symbol: symbolText, leverage: wholeNumber });
const marginTypeShape = z.object({
  symbol: symbolText,
  marginType: z.enum(["CROSSED", "ISOLATED"]),
});
const dualShape = z.object({ dualSidePosition: flag });
const multiAssetsShape = z.object({ multiAssetsMargin: flag });

/** The endpoints of balances, positions, trades, incomes and settings of an account. */
export class UsdmAccountEndpoints {
  readonly #state: ExchangeState;
  readonly #symbols: UsdmSymbols;
  readonly #ids: UsdmIds;
  readonly #leverages: UsdmLeverages;
  readonly #incomes: UsdmIncomes;
  readonly #fees: FeeSchedule;

  constructor(
    state: ExchangeState,
    symbols: UsdmSymbols,
    ids: UsdmIds,
    leverages: UsdmLeverages,
    incomes: UsdmIncomes,
  ) {
    this.#state = state;
    this.#symbols = symbols;
    this.#ids = ids;
    this.#leverages = leverages;
    this.#incomes = incomes;
    this.#fees = new FeeSchedule(state.config);
  }

  /** GET /fapi/v2/balance and /fapi/v3/balance. */
  balance({ account }: UsdmKey) {
    const funds = usdmFunds(account, this.#state.markets);
    const quote = this.#quote;
    return [
      {
        accountAlias: accountKey(account).slice(2, 10),
        asset: this.#symbols.asset,
        balance: quote(funds.wallet),
        crossWalletBalance: quote(funds.wallet),
        crossUnPnl: quote(funds.unrealized),
        availableBalance: quote(funds.available),
        maxWithdrawAmount: quote(funds.available),
        marginAvailable: true,
        updateTime: this.#state.nowMs(),
      },
    ];
  }

  /** GET /fapi/v2/account: every position. */
  accountV2(key: UsdmKey) {
    const { account } = key;
    const positions = this.#positions(account).map(({ position, market }) => ({
      ...positionOfAccount(position),
      leverage: String(this.#leverages.of(account, market)),
      isolated: false,
      positionInitialMargin: position.initialMargin,
      openOrderInitialMargin: "0",
      entryPrice: position.entryPrice,
      breakEvenPrice: position.breakEvenPrice,
      maxNotional: this.#leverages.maxNotional(market),
      bidNotional: position.bidNotional,
      askNotional: position.askNotional,
    }));
    return {
      feeTier: 0,
      canTrade: true,
      canDeposit: true,
      canWithdraw: false,
      feeBurn: false,
      tradeGroupId: -1,
      updateTime: 0,
      multiAssetsMargin: false,
      ...this.#sums(account),
      positions,
    };
  }

  /** GET /fapi/v3/account: positions that are open or have open orders. */
  accountV3(key: UsdmKey) {
    const { account } = key;
    const positions = this.#positions(account)
      .filter(({ position }) => position.isShown)
      .map(({ position }) => ({
        ...positionOfAccount(position),
        isolatedMargin: "0",
        isolatedWallet: "0",
      }));
    return { ...this.#sums(account), positions };
  }

  /** GET /fapi/v2/positionRisk: every position. */
  positionRiskV2(key: UsdmKey, parameters: UsdmParameters) {
    const { account } = key;
    return this.#wanted(account, parameters).map(({ position, market }) => ({
      symbol: position.symbol,
      positionAmt: position.amount,
      entryPrice: position.entryPrice,
      breakEvenPrice: position.breakEvenPrice,
      markPrice: position.markPrice,
      unRealizedProfit: position.unrealized,
      liquidationPrice: position.liquidationPrice,
      leverage: String(this.#leverages.of(account, market)),
      maxNotionalValue: this.#leverages.maxNotional(market),
      marginType: "cross",
      isolatedMargin: "0",
      isAutoAddMargin: "false",
      positionSide: "BOTH",
      notional: position.notional,
      isolatedWallet: "0",
      updateTime: position.updatedMs,
    }));
  }

  /** GET /fapi/v3/positionRisk: positions that are open or have open orders. */
  positionRiskV3(key: UsdmKey, parameters: UsdmParameters) {
    return this.#wanted(key.account, parameters)
      .filter(({ position }) => position.isShown)
      .map(({ position }) => ({
        symbol: position.symbol,
        positionSide: "BOTH",
        positionAmt: position.amount,
        entryPrice: position.entryPrice,
        breakEvenPrice: position.breakEvenPrice,
        markPrice: position.markPrice,
        unRealizedProfit: position.unrealized,
        liquidationPrice: position.liquidationPrice,
        isolatedMargin: "0",
        notional: position.notional,
        marginAsset: this.#symbols.asset,
        isolatedWallet: "0",
        initialMargin: position.initialMargin,
        maintMargin: position.maintenance,
        positionInitialMargin: position.initialMargin,
        openOrderInitialMargin: "0",
        adl: 0,
        bidNotional: position.bidNotional,
        askNotional: position.askNotional,
        updateTime: position.updatedMs,
      }));
  }

  userTrades({ account }: UsdmKey, parameters: UsdmParameters) {
    const given = readUsdmParameters(tradesShape, parameters);
    const market = this.#symbols.market(given.symbol);
    const id = given.orderId === undefined ? undefined : this.#ids.toId(given.orderId);
    const page = {
      limit: given.limit,
      fromId: given.fromId === undefined ? undefined : this.#ids.toId(given.fromId),
      startMs: given.startTime,
      endMs: given.endTime === undefined ? undefined : given.endTime + 1,
    };
    const trades = account.markets
      .get(market.id)
      ?.trades.page(page, ({ orderId }) => id === undefined || orderId === id);
    return (trades ?? []).map((trade) => usdmUserTrade(trade, this.#ids, this.#symbols.asset));
  }

  income({ account }: UsdmKey, parameters: UsdmParameters) {
    return this.#incomes.page(account, readUsdmParameters(incomeShape, parameters));
  }

  commissionRate({ account }: UsdmKey, parameters: UsdmParameters) {
    const { symbol } = readUsdmParameters(oneSymbol, parameters);
    const rates = this.#fees.ratesFor(account.address, this.#symbols.market(symbol));
    return {
      symbol,
      makerCommissionRate: scaledToDecimal(rates.makerRate, 18),
      takerCommissionRate: scaledToDecimal(rates.takerRate, 18),
      rpiCommissionRate: scaledToDecimal(rates.makerRate, 18),
    };
  }

  /** @throws UsdmError -4028 above the market's highest */
  setLeverage({ account }: UsdmKey, parameters: UsdmParameters) {
    const { symbol, leverage } = readUsdmParameters(leverageShape, parameters);
    const market = this.#symbols.market(symbol);
    if (leverage < 1 || leverage > market.rules.config.maxLeverage) {
      throw new UsdmError("-4028", `Leverage ${leverage} is not valid`);
    }
    this.#leverages.set(account, market, leverage);
    return { symbol, leverage, maxNotionalValue: this.#leverages.maxNotional(market) };
  }

  /** All positions share the account's margin. @throws UsdmError -4046, -4084 */
  setMarginType(_key: UsdmKey, parameters: UsdmParameters): never {
    const { symbol, marginType } = readUsdmParameters(marginTypeShape, parameters);
    this.#symbols.market(symbol);
    throw new UsdmError(marginType === "CROSSED" ? "-4046" : "-4084");
  }

  /** One position a market. @throws UsdmError -4059, -4084 */
  setPositionMode(_key: UsdmKey, parameters: UsdmParameters): never {
    const { dualSidePosition } = readUsdmParameters(dualShape, parameters);
    throw new UsdmError(dualSidePosition ? "-4084" : "-4059");
  }

  positionMode() {
    return { dualSidePosition: false };
  }

  /** One asset is the margin. @throws UsdmError -4171, -4084 */
  setMultiAssets(_key: UsdmKey, parameters: UsdmParameters): never {
    const { multiAssetsMargin } = readUsdmParameters(multiAssetsShape, parameters);
    throw new UsdmError(multiAssetsMargin ? "-4084" : "-4171");
  }

  multiAssets() {
    return { multiAssetsMargin: false };
  }

  leverageBracket(_key: UsdmKey, parameters: UsdmParameters) {
    const { symbol } = readUsdmParameters(maybeSymbol, parameters);
    return this.#named(symbol).map((market) => {
      const { maxLeverage, maxExposureQuote, liquidationThreshold } = market.rules.config;
      return {
        symbol: symbolOf(market),
        brackets: [
          {
            bracket: 1,
            initialLeverage: maxLeverage,
            notionalCap: Number(maxExposureQuote),
            notionalFloor: 0,
            maintMarginRatio: Number(liquidationThreshold),
            cum: 0,
          },
        ],
      };
    });
  }

  symbolConfig({ account }: UsdmKey, parameters: UsdmParameters) {
    const { symbol } = readUsdmParameters(maybeSymbol, parameters);
    return this.#named(symbol).map((market) => ({
      symbol: symbolOf(market),
      marginType: "CROSSED",
      isAutoAddMargin: false,
      leverage: this.#leverages.of(account, market),
      maxNotionalValue: this.#leverages.maxNotional(market),
    }));
  }

  accountConfig() {
    return {
      feeTier: 0,
      canTrade: true,
      canDeposit: true,
      canWithdraw: false,
      dualSidePosition: false,
      updateTime: 0,
      multiAssetsMargin: false,
      tradeGroupId: -1,
    };
  }

  #sums(account: ExchangeAccount) {
    const quote = this.#quote;
    const funds = usdmFunds(account, this.#state.markets);
    const initial = quote(funds.positionMargin + funds.orderMargin);
    const positionMargin = quote(funds.positionMargin);
    const orderMargin = quote(funds.orderMargin);
    const wallet = quote(funds.wallet);
    const unrealized = quote(funds.unrealized);
    const margin = quote(funds.margin);
    const available = quote(funds.available);
    const maintenance = quote(funds.maintenance);
    return {
      totalInitialMargin: initial,
      totalMaintMargin: maintenance,
      totalWalletBalance: wallet,
      totalUnrealizedProfit: unrealized,
      totalMarginBalance: margin,
      totalPositionInitialMargin: positionMargin,
      totalOpenOrderInitialMargin: orderMargin,
      totalCrossWalletBalance: wallet,
      totalCrossUnPnl: unrealized,
      availableBalance: available,
      maxWithdrawAmount: available,
      assets: [
        {
          asset: this.#symbols.asset,
          walletBalance: wallet,
          unrealizedProfit: unrealized,
          marginBalance: margin,
          maintMargin: maintenance,
          initialMargin: initial,
          positionInitialMargin: positionMargin,
          openOrderInitialMargin: orderMargin,
          crossWalletBalance: wallet,
          crossUnPnl: unrealized,
          availableBalance: available,
          maxWithdrawAmount: available,
          marginAvailable: true,
          updateTime: this.#state.nowMs(),
        },
      ],
    };
  }

  #wanted(account: ExchangeAccount, parameters: UsdmParameters) {
    const { symbol } = readUsdmParameters(maybeSymbol, parameters);
    return this.#positions(account, this.#named(symbol));
  }

  #positions(account: ExchangeAccount, markets = this.#named(undefined)) {
    return markets.map((market) => ({
      market,
      position: usdmPosition(account, market, this.#state.markets),
    }));
  }

  #named(symbol: string | undefined): Market[] {
    return symbol === undefined ? [...this.#symbols.all.values()] : [this.#symbols.market(symbol)];
  }

  readonly #quote = (units: CreditUnits): string =>
    scaledToDecimal(units, this.#state.config.creditDecimals);
}

function positionOfAccount(position: UsdmPosition) {
  return {
    symbol: position.symbol,
    positionSide: "BOTH",
    positionAmt: position.amount,
    unrealizedProfit: position.unrealized,
    notional: position.notional,
    initialMargin: position.initialMargin,
    maintMargin: position.maintenance,
    updateTime: position.updatedMs,
  };
}
