import { describe, expect, it } from "vitest";
import { Instrument } from "#core/instrument.js";
import { type BuildExpectation, checkBuiltOrder } from "#exchange/built-order-check.js";
import { decodeRules } from "#exchange/decode-rules.js";
import { buildOrderStruct } from "#exchange/order-building.js";
import { decodeInfo, encodeInfo } from "#exchange/order-info.js";
import { OrderHasher } from "#exchange/order-signing.js";
import type { MarketRules, OrderStruct } from "#exchange/records.js";
import { wireExchangeInfo } from "./wire-records.js";

const NOW = 1_700_000_000_000;
const SIGNER = `0x${"aB".repeat(20)}`;
const rules = decodeRules(wireExchangeInfo(), ["btcusdc"]);
const market = rules.markets.btcusdc as MarketRules;
const hasher = new OrderHasher(rules.eip712.domainSeparator);
// A product of 7 decimals, so that rounding matters.
const instrument = new Instrument({
  marketId: "btcusdc",
  tickSize: "0.1",
  stepSize: "0.000001",
  creditDecimals: 6,
  paperDecimals: 18,
});

const expectation: BuildExpectation = {
  rules: market,
  instrument,
  side: "BUY",
  ticks: 20005,
  lots: 20_001,
  signer: SIGNER,
  timeInForce: "GTC",
  expirationMs: 0,
  nowMs: NOW,
  maxFeeOffset: 0n,
};

function built(
  change: Partial<OrderStruct> = {},
  info: Partial<ReturnType<typeof decodeInfo>> = {},
  expected = expectation,
) {
  const struct = buildOrderStruct({
    ...expected,
    expirationSeconds: NOW / 1000 + 11 * 366 * 86400,
    nonce: 5n,
  });
  const order = { ...struct, info: encodeInfo({ ...decodeInfo(struct.info), ...info }), ...change };
  return { order, hash: hasher.hash(order) };
}

describe("an order that the exchange built is signed only if it says what was asked for", () => {
  it("is fine when it does, however its addresses are written and a BUY is rounded", () => {
    expect(checkBuiltOrder(hasher, built(), expectation)).toEqual([]);
    expect(checkBuiltOrder(hasher, built({ signer: SIGNER.toLowerCase() }), expectation)).toEqual(
      [],
    );
    const ceil = -instrument.creditCeil(20005, 20_001);
    const floor = -instrument.creditFloor(20005, 20_001);
    expect(ceil).toBe(floor - 1n);
    expect(checkBuiltOrder(hasher, built({ creditAmount: floor }), expectation)).toEqual([]);
    const sell = { ...expectation, side: "SELL" } as const;
    expect(checkBuiltOrder(hasher, built({}, {}, sell), sell)).toEqual([]);
    expect(checkBuiltOrder(hasher, built({ creditAmount: -ceil }, {}, sell), sell)).toHaveLength(1);
  });

  it.each<[string, Partial<OrderStruct>, RegExp]>([
    ["a larger amount", { paperAmount: 30_000_000_000_000_000n }, /paperAmount/],
    [
      "the other side",
      { paperAmount: -20_001_000_000_000_000n, creditAmount: 40_011_000n },
      /paperAmount/,
    ],
    ["a worse price", { creditAmount: -50_000_000n }, /creditAmount/],
    ["another contract", { perp: `0x${"1".repeat(40)}` }, /perp/],
    ["another account", { signer: `0x${"1".repeat(40)}` }, /signer/],
    ["an info that is none", { info: `0x${"f".repeat(64)}` }, /expiration is out of range/],
  ])("%s is named", (_, change, message) => {
    expect(checkBuiltOrder(hasher, built(change), expectation).join("; ")).toMatch(message);
  });

  it("a hash of something else is named: it is what would be signed", () => {
    expect(
      checkBuiltOrder(hasher, { ...built(), hash: `0x${"0".repeat(64)}` }, expectation).join(),
    ).toMatch(/orderHash/);
    expect(
      checkBuiltOrder(
        hasher,
        { ...built(), order: { ...built().order, info: "0x12" } },
        expectation,
      ).join(),
    ).toMatch(/info/);
  });

  it("fees may carry the settlement's gas, the same in both rates, up to what is allowed", () => {
    const offset = 10n ** 15n;
    const withOffset = built(
      {},
      { makerFeeRate: market.makerFeeRate + offset, takerFeeRate: market.takerFeeRate + offset },
    );
    expect(checkBuiltOrder(hasher, withOffset, { ...expectation, maxFeeOffset: offset })).toEqual(
      [],
    );
    expect(
      checkBuiltOrder(hasher, withOffset, { ...expectation, maxFeeOffset: offset - 1n }).join(),
    ).toMatch(/fee rates/);
    const onlyTaker = built({}, { takerFeeRate: market.takerFeeRate + offset });
    expect(
      checkBuiltOrder(hasher, onlyTaker, { ...expectation, maxFeeOffset: offset }).join(),
    ).toMatch(/fee rates/);
    expect(checkBuiltOrder(hasher, built({}, { makerFeeRate: 0n }), expectation).join()).toMatch(
      /fee rates/,
    );
  });

  it("expires when a GTT was to expire, and else not for ten years", () => {
    const gtt = { ...expectation, timeInForce: "GTT", expirationMs: NOW + 300_500 } as const;
    expect(
      checkBuiltOrder(hasher, built({}, { expirationSeconds: NOW / 1000 + 300 }), gtt),
    ).toEqual([]);
    expect(
      checkBuiltOrder(hasher, built({}, { expirationSeconds: NOW / 1000 + 301 }), gtt).join(),
    ).toMatch(/expiration/);
    expect(
      checkBuiltOrder(
        hasher,
        built({}, { expirationSeconds: NOW / 1000 + 300 }),
        expectation,
      ).join(),
    ).toMatch(/ten years/);
  });

  // An exchange may count years of 365 days: refused here, what it builds to its own rule would
  // never be placed.
  it("is taken with the shortest expiration beyond ten years that an exchange may take", () => {
    const tenYearsSeconds = NOW / 1000 + 10 * 365 * 86_400;
    expect(
      checkBuiltOrder(hasher, built({}, { expirationSeconds: tenYearsSeconds + 1 }), expectation),
    ).toEqual([]);
    expect(
      checkBuiltOrder(
        hasher,
        built({}, { expirationSeconds: tenYearsSeconds }),
        expectation,
      ).join(),
    ).toMatch(/ten years/);
  });
});
