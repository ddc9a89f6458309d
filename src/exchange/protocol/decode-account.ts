import { z } from "zod";
import { FormatError } from "../../core/errors.js";
import { decimalToScaled, type Instrument } from "../../core/instrument.js";
import type { Lots, MarketId } from "../../core/units.js";
import type { VenueBalances, VenueIncome, VenuePosition, VenueTrade } from "../records.js";
import { balancesFields, incomeFields, positionFields, userTradeFields } from "./account.js";
import { marketId, TEXT } from "./values.js";
import {
  type DecodeContext,
  gridCount,
  parseList,
  parseWire,
  readMarketId,
  toCreditUnits,
} from "./wire-parse.js";

/* The parts of the account's records that the bot reads; other fields may be missing. */

const userTradeSchema = z
  .object(userTradeFields(TEXT))
  .omit({ timeInForce: true, realizedPNL: true, orderType: true });

const incomeSchema = z.object(incomeFields(TEXT));

const balancesSchema = z.object(balancesFields(TEXT)).omit({
  pendingWithdrawPrimaryCreditAmount: true,
  pendingWithdrawSecondaryCreditAmount: true,
  perpetualBalances: true,
});

/** The market is named by `marketId`, or on some servers' streams by `symbol`. */
const positionSchema = z
  .object({ ...positionFields(TEXT), marketId: marketId.optional(), symbol: marketId.optional() })
  .omit({ maxSize: true, exitPrice: true, closedAt: true, sumOpen: true, sumClose: true });

/** Positions are parsed one by one. */
const balancesAnswerSchema = z.object({
  balances: balancesSchema,
  positions: z.array(z.unknown()),
});

const ofMarketOrSymbolSchema = z.object({
  marketId: z.string().optional(),
  symbol: z.string().optional(),
});

/**
 * Decodes a trade of the account to its market's grid; undefined when the bot does not know the
 * market. @throws FormatError
 * @example
 * ```ts
 * import { Instrument } from "marketwright";
 * import { decodeUserTrade } from "marketwright/exchange";
 *
 * const btc = new Instrument({
 *   marketId: "btcusdc",
 *   tickSize: "0.1",
 *   stepSize: "0.001",
 *   creditDecimals: 6,
 *   paperDecimals: 18,
 * });
 * const context = { creditDecimals: 6, instruments: new Map([["btcusdc", btc]]) };
 * const trade = decodeUserTrade(
 *   {
 *     id: "7",
 *     marketId: "btcusdc",
 *     orderId: "3",
 *     isBuyer: true,
 *     isMaker: true,
 *     price: "30000.5",
 *     amount: "0.02",
 *     quoteAmount: "600.01",
 *     commission: "-0.06",
 *     time: 1_700_000_000_000,
 *     status: "SETTLED",
 *   },
 *   context,
 * );
 * [trade?.side, trade?.ticks, trade?.lots]; // => ["BUY", 300_005, 20]
 * [trade?.quote, trade?.commission]; // => [600_010_000n, -60_000n]
 * ```
 */
export function decodeUserTrade(
  value: unknown,
  context: DecodeContext,
  where = "trade",
): VenueTrade | undefined {
  const instrument = context.instruments.get(readMarketId(value, where));
  if (instrument === undefined) return undefined;
  const wire = parseWire(userTradeSchema, value, where);
  return {
    id: wire.id,
    marketId: wire.marketId,
    side: wire.isBuyer ? "BUY" : "SELL",
    isMaker: wire.isMaker,
    ticks: gridCount(wire.price, instrument.tickSize, `${where}.price`),
    ...wholeLots(wire.amount, instrument, `${where}.amount`),
    quote: toCreditUnits(wire.quoteAmount, context.creditDecimals, `${where}.quoteAmount`),
    commission: toCreditUnits(wire.commission, context.creditDecimals, `${where}.commission`),
    timeMs: wire.time,
    status: wire.status,
  };
}

/**
 * Decodes a list of the account's trades, without those of unknown markets. @throws FormatError
 * @example
 * ```ts
 * import {
 *   connect,
 *   createInstruments,
 *   decodeRules,
 *   decodeUserTrades,
 * } from "marketwright/exchange";
 *
 * const { client, close } = await connect({
 *   baseUrl: process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1",
 *   // The key of an account that is registered with the exchange.
 *   key: process.env.MARKETWRIGHT_KEY,
 * });
 * const rules = decodeRules(await client.call("exchangeInfo"), ["btcusdc"]);
 * const wire = await client.call("userTrades", { marketId: "btcusdc" });
 * close();
 * const context = { creditDecimals: rules.creditDecimals, instruments: createInstruments(rules) };
 * decodeUserTrades(wire, context).every(({ lots }) => lots > 0); // => true
 * ```
 */
export function decodeUserTrades(
  value: unknown,
  context: DecodeContext,
  where = "userTrades",
): VenueTrade[] {
  return parseList(value, where).flatMap(
    (element, index) => decodeUserTrade(element, context, `${where}.${index}`) ?? [],
  );
}

/**
 * Decodes a list of the account's incomes, of every market: a deposit has no market, and names it
 * `""`. @throws FormatError
 * @example
 * ```ts
 * import { decodeIncomes } from "marketwright/exchange";
 *
 * const [income] = decodeIncomes(
 *   [{ id: "1", type: "DEPOSIT", amount: "250.5", time: 1_700_000_000_000, marketId: "" }],
 *   { creditDecimals: 6, instruments: new Map() },
 * );
 * income?.amount; // => 250_500_000n
 * income?.type; // => "DEPOSIT"
 * ```
 */
export function decodeIncomes(
  value: unknown,
  context: DecodeContext,
  where = "incomes",
): VenueIncome[] {
  return parseList(value, where).map((element, index) => {
    const wire = parseWire(incomeSchema, element, `${where}.${index}`);
    return {
      id: wire.id,
      type: wire.type,
      amount: toCreditUnits(wire.amount, context.creditDecimals, `${where}.${index}.amount`),
      timeMs: wire.time,
      marketId: wire.marketId,
    };
  });
}

/**
 * Decodes the account's balances to credit units. @throws FormatError
 * @example
 * ```ts
 * import { decodeBalances } from "marketwright/exchange";
 *
 * const balances = decodeBalances(
 *   {
 *     availableCreditAmounts: { btcusdc: { buy: "100.5", sell: "80" } },
 *     availableMargin: "10",
 *     exposure: "0",
 *     frozenMargin: "0",
 *     positionMargin: "0",
 *     netValue: "10.25",
 *     primaryCreditAmount: "10.25",
 *     secondaryCreditAmount: "0",
 *     isSafe: true,
 *     leverage: "0",
 *     marginRate: "1",
 *   },
 *   { creditDecimals: 6, instruments: new Map() },
 * );
 * balances.netValue; // => 10_250_000n
 * balances.availableCredit.btcusdc; // => { buy: 100_500_000n, sell: 80_000_000n }
 * ```
 */
export function decodeBalances(
  value: unknown,
  context: DecodeContext,
  where = "balances",
): VenueBalances {
  const wire = parseWire(balancesSchema, value, where);
  const credit = (text: string, field: string): bigint =>
    toCreditUnits(text, context.creditDecimals, `${where}.${field}`);
  return {
    availableCredit: Object.fromEntries(
      Object.entries(wire.availableCreditAmounts).map(
        ([marketId, { buy, sell }]): [MarketId, { buy: bigint; sell: bigint }] => [
          marketId,
          {
            buy: credit(buy, `availableCreditAmounts.${marketId}.buy`),
            sell: credit(sell, `availableCreditAmounts.${marketId}.sell`),
          },
        ],
      ),
    ),
    availableMargin: credit(wire.availableMargin, "availableMargin"),
    exposure: credit(wire.exposure, "exposure"),
    frozenMargin: credit(wire.frozenMargin, "frozenMargin"),
    positionMargin: credit(wire.positionMargin, "positionMargin"),
    netValue: credit(wire.netValue, "netValue"),
    primaryCredit: credit(wire.primaryCreditAmount, "primaryCreditAmount"),
    secondaryCredit: credit(wire.secondaryCreditAmount, "secondaryCreditAmount"),
    isSafe: wire.isSafe,
    leverage: wire.leverage,
    marginRate: wire.marginRate,
  };
}

/**
 * Decodes the account's positions in the markets that the bot knows, at most one a market: the open
 * one, else the last closed one. A remainder below one lot, which only a liquidation can leave and
 * no order can trade, is told apart.
 * @throws FormatError
 * @example
 * ```ts
 * import { Instrument } from "marketwright";
 * import { decodePositions } from "marketwright/exchange";
 *
 * const btc = new Instrument({
 *   marketId: "btcusdc",
 *   tickSize: "0.1",
 *   stepSize: "0.001",
 *   creditDecimals: 6,
 *   paperDecimals: 18,
 * });
 * const [position] = decodePositions(
 *   [
 *     {
 *       marketId: "btcusdc",
 *       side: "SHORT",
 *       size: "0.02",
 *       status: "OPEN",
 *       entryPrice: "30000",
 *       liquidationPrice: "45000",
 *       unrealizedPnl: "0.2",
 *       realizedPnl: "0",
 *     },
 *   ],
 *   { creditDecimals: 6, instruments: new Map([["btcusdc", btc]]) },
 * );
 * position?.lots; // => -20
 * position?.unrealizedPnl; // => 200_000n
 * ```
 */
export function decodePositions(
  value: unknown,
  context: DecodeContext,
  where = "positions",
): VenuePosition[] {
  const byMarket = new Map<MarketId, VenuePosition>();
  for (const [index, element] of parseList(value, where).entries()) {
    const position = decodePosition(element, context, `${where}.${index}`);
    if (position === undefined) continue;
    const held = byMarket.get(position.marketId);
    if (held?.status === "OPEN" && position.status !== "OPEN") continue;
    byMarket.set(position.marketId, position);
  }
  return [...byMarket.values()];
}

/**
 * Decodes `GET /v1/balances` and ACCOUNT_UPDATE: balances with positions. @throws FormatError
 * @example
 * ```ts
 * import { connect, decodeBalancesResponse } from "marketwright/exchange";
 *
 * const { client, close } = await connect({
 *   baseUrl: process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1",
 *   // The key of an account that is registered with the exchange.
 *   key: process.env.MARKETWRIGHT_KEY,
 * });
 * const context = { creditDecimals: 6, instruments: new Map() };
 * const wire = await client.call("balances");
 * close();
 * const { balances, positions } = decodeBalancesResponse(wire, context, "balances");
 * balances.netValue >= 0n; // => true
 * positions; // => []
 * ```
 */
export function decodeBalancesResponse(
  value: unknown,
  context: DecodeContext,
  where: string,
): { balances: VenueBalances; positions: VenuePosition[] } {
  const answer = parseWire(balancesAnswerSchema, value, where);
  return {
    balances: decodeBalances(answer.balances, context, `${where}.balances`),
    positions: decodePositions(answer.positions, context, `${where}.positions`),
  };
}

function decodePosition(
  value: unknown,
  context: DecodeContext,
  where: string,
): VenuePosition | undefined {
  const named = parseWire(ofMarketOrSymbolSchema, value, where);
  const marketId = named.marketId ?? named.symbol;
  if (marketId === undefined)
    throw new FormatError("names no market", { field: where, expected: "a marketId or a symbol" });
  const instrument = context.instruments.get(marketId);
  if (instrument === undefined) return undefined;
  const wire = parseWire(positionSchema, value, where);
  const { lots, restPaper } =
    wire.status === "CLOSED" ? NOTHING : wholeLots(wire.size, instrument, `${where}.size`);
  return {
    marketId,
    lots: signedLots(wire.side, lots, where),
    ...(restPaper === undefined
      ? {}
      : { restPaper: BigInt(signedLots(wire.side, 1, where)) * restPaper }),
    status: wire.status,
    entryPrice: wire.entryPrice,
    liquidationPrice: wire.liquidationPrice,
    unrealizedPnl: toCreditUnits(
      wire.unrealizedPnl,
      context.creditDecimals,
      `${where}.unrealizedPnl`,
    ),
    realizedPnl: toCreditUnits(wire.realizedPnl, context.creditDecimals, `${where}.realizedPnl`),
  };
}

const NOTHING: { readonly lots: Lots; readonly restPaper?: bigint } = { lots: 0 };

/** Splits an unsigned amount into whole lots and the remainder in units of paper. */
function wholeLots(
  amount: string,
  instrument: Instrument,
  field: string,
): { readonly lots: Lots; readonly restPaper?: bigint } {
  const count = gridCount(amount, instrument.stepSize, field);
  if (Number.isInteger(count)) return { lots: count };
  return {
    lots: Math.floor(count),
    restPaper: decimalToScaled(amount, instrument.paperDecimals, field) % instrument.paperPerLot,
  };
}

function signedLots(side: string, lots: Lots, where: string): Lots {
  if (lots === 0) return 0;
  if (side === "LONG") return lots;
  if (side === "SHORT") return -lots;
  throw new FormatError("a position without direction", {
    field: `${where}.side`,
    value: side,
    expected: "LONG or SHORT",
  });
}
