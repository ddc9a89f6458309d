import type { z } from "zod";
import { FormatError } from "../../core/errors.js";
import { decimalToScaled, scaledToDecimal } from "../../core/instrument.js";
import type { Lots } from "../../core/units.js";
import { isTaggedKey } from "../hedge-order-key.js";
import {
  HEDGE_DECIMALS,
  type HedgeAccountReport,
  type HedgeContract,
  type HedgeEvent,
  type HedgeFill,
  type HedgeFunding,
  type HedgeFundingRate,
  type HedgeOrderReport,
  type HedgeUnits,
} from "../hedge-venue.js";
import type {
  usdmAccountShape,
  usdmIncomesShape,
  usdmOrderMessageShape,
  usdmOrderShape,
  usdmPremiumIndexShape,
  usdmTradesShape,
} from "./usdm-records.js";

type UsdmOrderRecord = z.output<typeof usdmOrderShape>;
type UsdmOrderMessage = z.output<typeof usdmOrderMessageShape>["o"];
type UsdmTradeRecord = z.output<typeof usdmTradesShape>[number];
type UsdmIncomeRecord = z.output<typeof usdmIncomesShape>[number];
type UsdmAccountRecord = z.output<typeof usdmAccountShape>;
type UsdmPremiumIndex = z.output<typeof usdmPremiumIndexShape>;
type UsdmTouchRecord = Readonly<Record<"bid" | "bidSize" | "ask" | "askSize", string>>;

/** Order ids whose keys are kept: more than fills name between two reconciliations. */
const MOST_KEYS = 50_000;
/** More decimals than a price or an amount has. */
const DECIMALS = 18;
const PRODUCT_UNIT = 10n ** BigInt(2 * DECIMALS - HEDGE_DECIMALS);

const OPEN: ReadonlySet<string> = new Set(["NEW", "PARTIALLY_FILLED"]);
const CLOSED: ReadonlySet<string> = new Set([
  "FILLED",
  "CANCELED",
  "EXPIRED",
  "EXPIRED_IN_MATCH",
  "REJECTED",
]);

/** A contract with the exchange's own id of it, such as BTCUSDT. */
export interface ListedContract extends HedgeContract {
  readonly id: string;
}

/**
 * Reads the records of Binance USD-M as reports of a hedge venue: exactly, or with a FormatError. A
 * trade there names its order by the exchange's id alone, so the keys of the ids are kept.
 */
export class UsdmDecoder {
  readonly #byId: ReadonlyMap<string, ListedContract>;
  readonly #tag: number;
  /** Client ids by symbol and order id, those of other clients' orders included. */
  readonly #clientIds = new Map<string, string>();

  constructor(contracts: Iterable<ListedContract>, tag: number) {
    this.#byId = new Map([...contracts].map((contract) => [contract.id, contract]));
    this.#tag = tag;
  }

  /** The contract of an exchange's id; undefined if it is not one of the bot's. */
  contract(id: string): ListedContract | undefined {
    return this.#byId.get(id);
  }

  /** True if a client id names an order of this bot. */
  isOwn(clientId: string): boolean {
    return isTaggedKey(clientId, this.#tag);
  }

  /** @throws FormatError for a status or an amount that cannot be read */
  order(record: UsdmOrderRecord): HedgeOrderReport {
    const { symbol, instrument } = this.#require(record.symbol);
    this.learn(record);
    return {
      key: record.clientOrderId,
      symbol,
      side: record.side,
      lots: instrument.parseAmount(record.origQty),
      filledLots: instrument.parseAmount(record.executedQty),
      isOpen: isOpenStatus(record.status),
      status: record.status,
    };
  }

  /** The events of ORDER_TRADE_UPDATE: a fill, and the order if it is the bot's. */
  orderMessage(message: UsdmOrderMessage): HedgeEvent[] {
    const { s, c, S, q, x, X, i, l, z, L, n = "0", N, T, t, m } = message;
    if (this.contract(s) === undefined) return [];
    const order = this.order({
      symbol: s,
      orderId: i,
      clientOrderId: c,
      side: S,
      status: X,
      origQty: q,
      executedQty: z,
    });
    const events: HedgeEvent[] = this.isOwn(c) ? [{ type: "order", order }] : [];
    if (x !== "TRADE" && x !== "CALCULATED") return events;
    const trade = { symbol: s, id: t, orderId: i, side: S, price: L, qty: l, time: T, maker: m };
    const commissionAsset = N ?? this.#require(s).quoteAsset;
    return [
      { type: "fill", fill: this.fill({ ...trade, commission: n, commissionAsset }) },
      ...events,
    ];
  }

  /** A fill; its key is that of {@link learn}ed orders. */
  fill(record: UsdmTradeRecord): HedgeFill {
    const { symbol, instrument } = this.#require(record.symbol);
    const clientId = this.#clientIds.get(`${record.symbol} ${record.orderId}`);
    return {
      id: record.id,
      symbol,
      key: clientId !== undefined && this.isOwn(clientId) ? clientId : undefined,
      side: record.side,
      lots: instrument.parseAmount(record.qty),
      quote: multiplyExactly(record.price, record.qty),
      fee: decimalToScaled(record.commission, HEDGE_DECIMALS, "commission"),
      feeAsset: record.commissionAsset,
      isMaker: record.maker,
      timeMs: record.time,
      isReversed: false,
    };
  }

  /** Notes the client id of an order, for fills that name only its id. */
  learn({
    symbol,
    orderId,
    clientOrderId,
  }: Pick<UsdmOrderRecord, "symbol" | "orderId" | "clientOrderId">): void {
    const place = `${symbol} ${orderId}`;
    if (this.#clientIds.has(place)) return;
    this.#clientIds.set(place, clientOrderId);
    if (this.#clientIds.size <= MOST_KEYS) return;
    const [oldest] = this.#clientIds.keys();
    this.#clientIds.delete(oldest);
  }

  /** The order ids of trades whose client ids are not known. */
  unknownOrders(trades: readonly UsdmTradeRecord[]): string[] {
    const unknown = trades.filter(
      ({ symbol, orderId }) => !this.#clientIds.has(`${symbol} ${orderId}`),
    );
    return [...new Set(unknown.map(({ orderId }) => orderId))];
  }

  funding(record: UsdmIncomeRecord): HedgeFunding {
    return {
      id: record.tranId,
      symbol: this.#require(record.symbol).symbol,
      amount: decimalToScaled(record.income, HEDGE_DECIMALS, "income"),
      asset: record.asset,
      timeMs: record.time,
    };
  }

  /** The account in the quote asset of one contract. */
  account({ assets, positions }: UsdmAccountRecord, quoteAsset: string): HedgeAccountReport {
    const funds = assets.find(({ asset }) => asset === quoteAsset);
    const positionLots: Record<string, Lots> = {};
    const initialMarginFraction: Record<string, number> = {};
    for (const { symbol, positionSide, positionAmt, leverage } of positions) {
      const contract = this.contract(symbol);
      if (contract === undefined || positionSide !== "BOTH") continue;
      const isShort = positionAmt.startsWith("-");
      const lots = contract.instrument.parseAmount(positionAmt.replace(/^-/, ""));
      positionLots[contract.symbol] = isShort && lots !== 0 ? -lots : lots;
      initialMarginFraction[contract.symbol] = 1 / Number(leverage);
    }
    const money = (text = "0") => decimalToScaled(text, HEDGE_DECIMALS, quoteAsset);
    return {
      positionLots,
      availableMargin: money(funds?.availableBalance),
      initialMarginFraction,
      equity: money(funds?.marginBalance),
    };
  }

  /** A touch with both sides; undefined without one of them, or of another contract. */
  touch(
    id: string,
    { bid, bidSize, ask, askSize }: UsdmTouchRecord,
  ): Extract<HedgeEvent, { readonly type: "touch" }> | undefined {
    const contract = this.contract(id);
    if (contract === undefined || [bid, bidSize, ask, askSize].some(isZero)) return undefined;
    const { symbol, instrument } = contract;
    return {
      type: "touch",
      symbol,
      bidTicks: instrument.parsePrice(bid),
      bidLots: instrument.parseAmount(bidSize),
      askTicks: instrument.parsePrice(ask),
      askLots: instrument.parseAmount(askSize),
    };
  }

  /** The announced funding of a contract; undefined for another's, or one without funding. */
  fundingRate({
    symbol: id,
    lastFundingRate,
    nextFundingTime,
  }: UsdmPremiumIndex): HedgeFundingRate | undefined {
    const contract = this.contract(id);
    if (contract === undefined || lastFundingRate === "") return undefined;
    return {
      type: "funding-rate",
      symbol: contract.symbol,
      fundingRate: Number(lastFundingRate),
      nextFundingMs: nextFundingTime,
    };
  }

  #require(id: string): ListedContract {
    const contract = this.contract(id);
    if (contract === undefined)
      throw new FormatError("not a contract of the bot's", {
        field: "symbol",
        value: id,
        expected: [...this.#byId.keys()].join(", "),
      });
    return contract;
  }
}

/**
 * Price times amount in 10^-8 of the quote asset.
 * @throws FormatError if the product has more decimals
 */
function multiplyExactly(price: string, amount: string): HedgeUnits {
  const product =
    decimalToScaled(price, DECIMALS, "price") * decimalToScaled(amount, DECIMALS, "amount");
  if (product % PRODUCT_UNIT !== 0n)
    throw new FormatError("more decimals than money has", {
      field: "price times amount",
      value: scaledToDecimal(product, 2 * DECIMALS),
      expected: `at most ${HEDGE_DECIMALS} decimals`,
    });
  return product / PRODUCT_UNIT;
}

function isZero(text: string): boolean {
  return /^-?0+(\.0+)?$/.test(text);
}

function isOpenStatus(status: string): boolean {
  if (OPEN.has(status)) return true;
  if (CLOSED.has(status)) return false;
  throw new FormatError("not a status of an order", {
    field: "status",
    value: status,
    expected: [...OPEN, ...CLOSED].join(", "),
  });
}
