import { describe, expect, it } from "vitest";
import { FormatError } from "#core/errors.js";
import { parseInt64Json } from "#core/int64-json.js";
import {
  decodeBalancesResponse,
  decodeIncomes,
  decodePositions,
  decodeUserTrade,
} from "#exchange/decode-account.js";
import { decodeBuildResult, decodeOrder, decodeOrders } from "#exchange/decode-orders.js";
import { createInstruments, decodeRules } from "#exchange/decode-rules.js";
import {
  HASH,
  INFO,
  wireBalances,
  wireExchangeInfo,
  wireOrder,
  wirePosition,
  wireTrade,
} from "./wire-records.js";

const rules = decodeRules(wireExchangeInfo(), ["btcusdc"]);
const context = { creditDecimals: rules.creditDecimals, instruments: createInstruments(rules) };

describe("an order", () => {
  it("is read onto the grid", () => {
    expect(
      decodeOrder(
        wireOrder({
          filledAmount: "0.005",
          pendingAmount: "0.002",
          availableAmount: "0.013",
          averagePrice: "2000.45",
        }),
        context,
      ),
    ).toEqual({
      id: "275287091667264",
      hash: HASH,
      info: INFO,
      marketId: "btcusdc",
      side: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      ticks: 20005,
      lots: 20,
      availableLots: 13,
      pendingLots: 2,
      filledLots: 5,
      canceledLots: 0,
      expiredLots: 0,
      failedLots: 0,
      averagePrice: "2000.45",
      status: "NEW",
      createdAtMs: 1_700_000_000_000,
      expirationMs: 0,
    });
  });

  it("keeps every digit of an id past 2^53: a cancel by a rounded id would cancel nothing", () => {
    const text = JSON.stringify(wireOrder()).replace("275287091667264", "9223372036854775807");
    expect(decodeOrder(parseInt64Json(text), context)?.id).toBe("9223372036854775807");
    expect(decodeOrder(wireOrder({ id: "42" }), context)?.id).toBe("42");
    expect(() => decodeOrder(wireOrder({ id: 2 ** 60 }), context)).toThrow(FormatError);
    expect(() => decodeOrder(wireOrder({ id: "99999999999999999999" }), context)).toThrow(
      FormatError,
    );
  });

  it("has its expiration in milliseconds, whichever unit the exchange uses", () => {
    expect(decodeOrder(wireOrder({ expiration: 1_700_000_300 }), context)?.expirationMs).toBe(
      1_700_000_300_000,
    );
    expect(decodeOrder(wireOrder({ expiration: 1_700_000_300_123 }), context)?.expirationMs).toBe(
      1_700_000_300_123,
    );
  });

  it("of an older, finer grid keeps its true price as a fraction instead of being lost from the table", () => {
    expect(decodeOrder(wireOrder({ price: "2000.55" }), context)?.ticks).toBe(20005.5);
  });

  it("of another market is left out of a list, and an unknown status passes", () => {
    const orders = decodeOrders(
      [wireOrder({ marketId: "ethusdc", price: "?" }), wireOrder({ status: "MATCHING" })],
      context,
      "openOrders",
    );
    expect(orders.map(({ status }) => status)).toEqual(["MATCHING"]);
  });

  it.each([
    ["side", "BUYISH"],
    ["price", "-1"],
    ["amount", 1],
    ["amount", "1e3"],
    ["amount", "9".repeat(30)],
    ["filledAmount", undefined],
    ["hash", "0x12"],
    ["json", null],
    ["json", { info: "0x00" }],
    ["createdAt", "yesterday"],
    ["createdAt", -5],
    ["status", 3],
  ])("with %s = %j is refused by that name", (field, value) => {
    expect(() => decodeOrder({ ...wireOrder(), [field]: value }, context)).toThrow(
      new RegExp(`order\\.${field}`),
    );
  });

  it.each([{ value: null }, { value: 1 }, { value: "x" }, { value: [1] }, { value: { id: 1 } }])(
    "that is $value is refused",
    ({ value }) => {
      expect(() => decodeOrder(value, context)).toThrow(FormatError);
      expect(() => decodeOrders(value, context, "openOrders")).toThrow(FormatError);
      expect(() => decodeOrders([value], context, "openOrders")).toThrow(/openOrders\.0/);
    },
  );
});

describe("a build result", () => {
  it("is read as what will be hashed", () => {
    const { json } = wireOrder();
    const built = decodeBuildResult({
      order: json,
      orderHash: HASH.toUpperCase().replace("0X", "0x"),
      packedOrder: "0x00",
      gasFeeQuotation: "abc+/=",
    });
    expect(built.order.paperAmount).toBe(20_000_000_000_000_000n);
    expect(built.order.creditAmount).toBe(-40_010_000n);
    expect(built.hash).toBe(HASH);
    expect(() =>
      decodeBuildResult({
        order: { ...json, paperAmount: "1.5" },
        orderHash: HASH,
        gasFeeQuotation: "",
      }),
    ).toThrow(/paperAmount/);
  });
});

describe("a trade of the account", () => {
  it("has a rebate as a negative commission, to the unit", () => {
    expect(decodeUserTrade(wireTrade(), context)).toEqual({
      id: "11",
      marketId: "btcusdc",
      side: "BUY",
      isMaker: true,
      ticks: 20005,
      lots: 20,
      quote: 40_010_000n,
      commission: -4001n,
      timeMs: 1_700_000_000_001,
      status: "SETTLED",
    });
  });

  it("has digits below the smallest unit of credit cut off toward zero, as the contract divides", () => {
    expect(
      decodeUserTrade(wireTrade({ commission: "-0.0000019", quoteAmount: "0.0000019" }), context),
    ).toMatchObject({
      commission: -1n,
      quote: 1n,
    });
  });
});

describe("positions", () => {
  it("are signed lots", () => {
    expect(decodePositions([wirePosition()], context)[0]).toMatchObject({
      lots: -500,
      unrealizedPnl: -1_250_000n,
    });
    expect(decodePositions([wirePosition({ side: "LONG" })], context)[0]?.lots).toBe(500);
  });

  it("tells what a liquidation leaves beyond whole lots apart, of the position's own sign", () => {
    const of = (size: string, side: string) =>
      decodePositions([wirePosition({ size, side })], context)[0];
    expect(of("2.0005", "LONG")).toMatchObject({ lots: 2_000, restPaper: 5n * 10n ** 14n });
    expect(of("0.0005", "SHORT")).toMatchObject({ lots: 0, restPaper: -5n * 10n ** 14n });
    expect(of("2", "LONG")).not.toHaveProperty("restPaper");
  });

  it("an open one is not hidden by closed ones of its market, in either order", () => {
    const closed = wirePosition({ status: "CLOSED", size: "0", closedAt: 5 });
    expect(
      decodePositions([closed, wirePosition(), closed], context).map(({ lots }) => lots),
    ).toEqual([-500]);
    expect(decodePositions([closed], context)[0]).toMatchObject({ lots: 0, status: "CLOSED" });
  });

  it("name their market as marketId or as symbol", () => {
    const { marketId, ...unnamed } = wirePosition();
    expect(decodePositions([{ ...unnamed, symbol: marketId }], context)[0]?.marketId).toBe(
      "btcusdc",
    );
    expect(() => decodePositions([unnamed], context)).toThrow(/names no market/);
  });

  it("of unknown markets are left out, and what no order can trade is cut off", () => {
    expect(decodePositions([wirePosition({ marketId: "ethusdc" })], context)).toEqual([]);
    expect(decodePositions([wirePosition({ size: "0.5005" })], context)[0]?.lots).toBe(-500);
    expect(
      Object.is(decodePositions([wirePosition({ size: "0.0004" })], context)[0]?.lots, 0),
    ).toBe(true);
  });

  it("without a direction are refused", () => {
    expect(() => decodePositions([wirePosition({ side: "BOTH" })], context)).toThrow(
      /LONG or SHORT/,
    );
  });
});

describe("balances", () => {
  it("are credit units", () => {
    const { balances, positions } = decodeBalancesResponse(
      { balances: wireBalances(), positions: [wirePosition()] },
      context,
      "balances",
    );
    expect(balances).toMatchObject({
      availableCredit: { btcusdc: { buy: 1_000_500_000n, sell: 999_000_000n } },
      netValue: 1_000_123_456n,
      primaryCredit: -5_500_000n,
      isSafe: true,
    });
    expect(positions).toHaveLength(1);
  });

  it.each(["netValue", "exposure", "isSafe", "availableCreditAmounts"])(
    "without %s are refused",
    (field) => {
      const answer = { balances: { ...wireBalances(), [field]: undefined }, positions: [] };
      expect(() => decodeBalancesResponse(answer, context, "balances")).toThrow(new RegExp(field));
    },
  );
});

describe("incomes", () => {
  it("are signed credit units of every market, one without a market included", () => {
    const incomes = decodeIncomes(
      [
        { id: 1, type: "FUNDING_FEE", amount: "-0.5", time: 7, marketId: "ethusdc" },
        { id: 2, type: "DEPOSIT", amount: "100", time: 8, marketId: null },
      ],
      context,
    );
    expect(incomes).toEqual([
      { id: "1", type: "FUNDING_FEE", amount: -500_000n, timeMs: 7, marketId: "ethusdc" },
      { id: "2", type: "DEPOSIT", amount: 100_000_000n, timeMs: 8, marketId: "" },
    ]);
  });
});
