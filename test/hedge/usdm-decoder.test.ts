import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Instrument } from "#core/instrument.js";
import { type ListedContract, UsdmDecoder } from "#hedge/usdm-decoder.js";

const TAG = 0xabcd;
const KEY = "mw-abcd000000000001";

function contract(tickSize: string, stepSize: string): ListedContract {
  const instrument = new Instrument({
    marketId: "BTC/USDT:USDT",
    tickSize,
    stepSize,
    creditDecimals: 8,
    paperDecimals: 18,
  });
  return {
    id: "BTCUSDT",
    symbol: "BTC/USDT:USDT",
    instrument,
    baseAsset: "BTC",
    quoteAsset: "USDT",
    minLots: 1,
    maxLots: 1000,
    minNotional: 0n,
  };
}

describe("the announced funding of a contract", () => {
  const decoder = new UsdmDecoder([contract("0.1", "0.001")], TAG);
  const index = (changes: object) =>
    decoder.fundingRate({
      symbol: "BTCUSDT",
      lastFundingRate: "-0.00012359",
      nextFundingTime: 1_577_865_600_000,
      ...changes,
    });

  it("keeps the exchange's sign: longs pay a positive rate", () => {
    expect(index({})).toEqual({
      type: "funding-rate",
      symbol: "BTC/USDT:USDT",
      fundingRate: -0.00012359,
      nextFundingMs: 1_577_865_600_000,
    });
  });

  it("is none of another contract, and of one without funding", () => {
    expect(index({ symbol: "ETHUSDT" })).toBeUndefined();
    expect(index({ lastFundingRate: "" })).toBeUndefined();
  });
});

const trade = {
  symbol: "BTCUSDT",
  id: "1",
  orderId: "2",
  side: "BUY" as const,
  price: "30000.1",
  qty: "0.001",
  commission: "0.00000001",
  commissionAsset: "USDT",
  time: 1,
  maker: false,
};

/** A decimal of up to so many digits, and its value in units of 10^-decimals. */
const decimal = (digits: number, decimals: number) =>
  fc.bigInt({ min: 1n, max: 10n ** BigInt(digits) - 1n }).map((scaled) => {
    const text = scaled.toString().padStart(decimals + 1, "0");
    return { scaled, text: `${text.slice(0, -decimals)}.${text.slice(-decimals)}` };
  });

describe("the records of Binance USD-M as reports of a hedge", () => {
  it("keep every digit of a fee and of money, up to 18 of them", () => {
    const decoder = new UsdmDecoder([contract("0.1", "0.001")], TAG);
    fc.assert(
      fc.property(decimal(18, 8), fc.boolean(), ({ scaled, text }, isNegative) => {
        const sign = isNegative ? -1n : 1n;
        const signed = isNegative ? `-${text}` : text;
        expect(decoder.fill({ ...trade, commission: signed }).fee).toBe(sign * scaled);
        const income = { symbol: "BTCUSDT", tranId: "1", asset: "USDT", time: 1 };
        expect(decoder.funding({ ...income, income: signed }).amount).toBe(sign * scaled);
        const funds = { asset: "USDT", marginBalance: signed, availableBalance: text };
        expect(decoder.account({ assets: [funds], positions: [] }, "USDT")).toMatchObject({
          equity: sign * scaled,
          availableMargin: scaled,
        });
      }),
    );
  });

  it("keep every digit of price times amount", () => {
    const decoder = new UsdmDecoder([contract("0.0001", "0.0001")], TAG);
    fc.assert(
      fc.property(decimal(12, 4), decimal(15, 4), (price, amount) => {
        const fill = decoder.fill({ ...trade, price: price.text, qty: amount.text });
        expect(fill.quote).toBe(price.scaled * amount.scaled);
        expect(BigInt(fill.lots)).toBe(amount.scaled);
      }),
    );
  });

  it("are refused rather than rounded", () => {
    const decoder = new UsdmDecoder([contract("0.1", "0.001")], TAG);
    expect(() => decoder.fill({ ...trade, commission: "0.000000001" })).toThrow(/decimals/);
    expect(() => decoder.fill({ ...trade, qty: "0.0015" })).toThrow(/a whole multiple of 0.001/);
    expect(() => decoder.fill({ ...trade, price: "0.0000000001" })).toThrow(
      /more decimals than money has/,
    );
  });

  it("name a fill's order by the key that its id had in any earlier report", () => {
    const decoder = new UsdmDecoder([contract("0.1", "0.001")], TAG);
    const order = {
      symbol: "BTCUSDT",
      orderId: "2",
      clientOrderId: KEY,
      side: "BUY" as const,
      status: "NEW",
      origQty: "0.001",
      executedQty: "0",
    };
    expect(decoder.unknownOrders([trade])).toEqual(["2"]);
    decoder.order(order);
    expect(decoder.unknownOrders([trade])).toEqual([]);
    expect(decoder.fill(trade).key).toBe(KEY);
  });

  it("have the sign of a short position, and 1 / leverage as the margin", () => {
    const decoder = new UsdmDecoder([contract("0.1", "0.001")], TAG);
    const position = { symbol: "BTCUSDT", positionSide: "BOTH", positionAmt: "-0.020" };
    const { positionLots, initialMarginFraction } = decoder.account(
      { assets: [], positions: [{ ...position, leverage: "20" }] },
      "USDT",
    );
    expect(positionLots).toEqual({ "BTC/USDT:USDT": -20 });
    expect(initialMarginFraction).toEqual({ "BTC/USDT:USDT": 0.05 });
  });
});
