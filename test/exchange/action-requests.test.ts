import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Instrument } from "#core/instrument.js";
import type { Signer } from "#core/signing.js";
import { buildActionRequest } from "#exchange/action-requests.js";
import { formatCanonicalParams } from "#exchange/request-signing.js";
import type { PlaceAction } from "#exchange/venue.js";

const HASH = `0x${"ab".repeat(32)}`;
const INFO = `0x${"0f".repeat(32)}`;
const ACCOUNT = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const ORDER_SIGNATURE = `0x${"11".repeat(65)}`;
const REQUEST_SIGNATURE = `0x${"22".repeat(65)}`;

/** Signs the order first, then the request. */
function signer(): Signer {
  const signatures = [ORDER_SIGNATURE, REQUEST_SIGNATURE];
  return { address: ACCOUNT, sign: () => signatures.shift() ?? "0x" };
}

function place(over: Partial<PlaceAction>): PlaceAction {
  const order = { perp: "0x", signer: ACCOUNT, paperAmount: 1n, creditAmount: -1n, info: INFO };
  return {
    kind: "place",
    actionId: 1,
    timestampMs: 1_780_272_000_000,
    marketId: "btcusdc",
    side: "BUY",
    type: "LIMIT",
    ticks: 618_017,
    lots: 5,
    timeInForce: "POST_ONLY",
    expirationMs: 0,
    order,
    hash: HASH,
    ...over,
  };
}

describe("the request that places an order", () => {
  it("is, character for character, what the exchange sorts and encodes its parameters to: any other text is a wrong signature", () => {
    fc.assert(
      fc.property(
        fc.record({
          marketId: fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }),
          side: fc.constantFrom("BUY" as const, "SELL" as const),
          ticks: fc.integer({ min: 1, max: 2 ** 40 }),
          lots: fc.integer({ min: 1, max: 2 ** 40 }),
          timeInForce: fc.constantFrom("POST_ONLY" as const, "GTT" as const, "GTC" as const),
          timestampMs: fc.integer({ min: 1, max: 4e12 }),
          quotation: fc.option(fc.string({ unit: "grapheme" }), { nil: undefined }),
        }),
        ({ quotation, ...over }) => {
          const instrument = new Instrument({ ...GRID, marketId: over.marketId });
          const expirationMs = over.timeInForce === "GTT" ? 1_780_272_300_000 : 0;
          const action = place({
            ...over,
            expirationMs,
            ...(quotation === undefined ? {} : { gasFeeQuotation: quotation }),
          });
          const instruments = new Map([[over.marketId, instrument]]);
          const { method, path, params } = buildActionRequest(action, {
            signer: signer(),
            account: ACCOUNT,
            instruments,
            timeoutMs: 1,
          });
          const sorted = formatCanonicalParams({
            marketId: over.marketId,
            side: over.side,
            orderType: "LIMIT",
            amount: instrument.formatAmount(over.lots),
            price: instrument.formatPrice(over.ticks),
            timeInForce: over.timeInForce,
            ...(over.timeInForce === "GTT" ? { expiration: String(expirationMs) } : {}),
            info: INFO,
            orderSignature: ORDER_SIGNATURE,
            ...(quotation === undefined ? {} : { gasFeeQuotation: quotation }),
            account: ACCOUNT,
            timestamp: String(over.timestampMs),
          });
          expect(`${method} ${path}`).toBe("POST /v1/order");
          expect(params).toBe(`${sorted}&signature=${REQUEST_SIGNATURE}`);
        },
      ),
    );
  });

  it("is not made for a market whose grid is not known", () => {
    const context = { signer: signer(), account: ACCOUNT, instruments: new Map(), timeoutMs: 1 };
    expect(() => buildActionRequest(place({}), context)).toThrow(
      /the market's rules are not known/,
    );
  });
});

const GRID = { tickSize: "0.1", stepSize: "0.001", creditDecimals: 6, paperDecimals: 18 };
