import { FormatError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import type { Hex, Lots, Ms, Side, Ticks } from "../../core/units.js";
import type { MarketRules, OrderStruct, TimeInForce } from "../records.js";
import { decodeInfo } from "./order-info.js";
import type { OrderHasher } from "./order-signing.js";

/** The build request, and so the required content of its response. */
export interface BuildExpectation {
  readonly rules: Pick<MarketRules, "perp" | "makerFeeRate" | "takerFeeRate">;
  readonly instrument: Instrument;
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly signer: Hex;
  readonly timeInForce: TimeInForce;
  /** The `expiration` parameter; 0 unless GTT. */
  readonly expirationMs: Ms;
  readonly nowMs: Ms;
  /**
   * The largest increase of both fee rates for the settlement's gas, scaled by 10^18; 0 if none is
   * expected.
   */
  readonly maxFeeOffset: bigint;
}

/**
 * In the shortest years. The exchange chooses its own count of years, and checks the order again.
 */
const TEN_YEARS_SECONDS = 10 * 365 * 86_400;

/**
 * Checks an order that the exchange built before it is signed: a signature binds the account to
 * what the structure says, whatever was asked for. Returns in words what is wrong; empty when it
 * may be signed.
 * @example
 * ```ts
 * import { Instrument } from "marketwright";
 * import { buildHashedOrder, checkBuiltOrder, OrderHasher } from "marketwright/exchange";
 *
 * const instrument = new Instrument({
 *   marketId: "btcusdc",
 *   tickSize: "0.1",
 *   stepSize: "0.001",
 *   creditDecimals: 6,
 *   paperDecimals: 18,
 * });
 * const wanted = {
 *   rules: { perp: `0x${"22".repeat(20)}`, makerFeeRate: 0n, takerFeeRate: 0n },
 *   instrument,
 *   side: "BUY" as const,
 *   ticks: 300_000,
 *   lots: 20,
 *   signer: `0x${"33".repeat(20)}`,
 * };
 * const hasher = new OrderHasher(`0x${"44".repeat(32)}`);
 * const nowMs = 1_700_000_000_000;
 * const expirationSeconds = nowMs / 1000 + 60;
 * // An exchange that builds 21 lots where 20 were wanted.
 * const built = buildHashedOrder(hasher, { ...wanted, lots: 21, expirationSeconds, nonce: 1n });
 * const expected = { timeInForce: "GTT" as const, expirationMs: expirationSeconds * 1000, nowMs };
 * const wrong = checkBuiltOrder(hasher, built, { ...wanted, ...expected, maxFeeOffset: 0n });
 * wrong[0]; // => "paperAmount is 21000000000000000, expected 20000000000000000"
 * ```
 */
export function checkBuiltOrder(
  hasher: OrderHasher,
  built: { readonly order: OrderStruct; readonly hash: Hex },
  expectation: BuildExpectation,
): string[] {
  const { order } = built;
  const { instrument, side, ticks, lots } = expectation;
  const wrong: string[] = [];
  const differ = (field: string, value: unknown, expected: unknown): void => {
    if (value !== expected)
      wrong.push(`${field} is ${String(value)}, expected ${String(expected)}`);
  };
  try {
    differ("orderHash", built.hash.toLowerCase(), hasher.hash(order));
    differ("perp", order.perp.toLowerCase(), expectation.rules.perp.toLowerCase());
    differ("signer", order.signer.toLowerCase(), expectation.signer.toLowerCase());
    const sign = side === "BUY" ? 1n : -1n;
    differ("paperAmount", order.paperAmount, sign * instrument.lotsToPaper(lots));
    // The exchange chooses its own rounding of a BUY here: this way of placing is the fallback for
    // an unknown rounding.
    const floor = -sign * instrument.creditFloor(ticks, lots);
    const isCeiling = side === "BUY" && order.creditAmount === -instrument.creditCeil(ticks, lots);
    if (!isCeiling) differ("creditAmount", order.creditAmount, floor);
    wrong.push(...checkInfo(order.info, expectation));
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    wrong.push(error.message);
  }
  return wrong;
}

function checkInfo(
  text: Hex,
  { rules, timeInForce, expirationMs, nowMs, maxFeeOffset }: BuildExpectation,
): string[] {
  const wrong: string[] = [];
  const info = decodeInfo(text);
  const offset = info.makerFeeRate - rules.makerFeeRate;
  if (offset < 0n || offset > maxFeeOffset || info.takerFeeRate - rules.takerFeeRate !== offset) {
    wrong.push(
      `fee rates are ${info.makerFeeRate} and ${info.takerFeeRate}, expected ${rules.makerFeeRate} and ${rules.takerFeeRate}` +
        ` with at most ${maxFeeOffset} added to both`,
    );
  }
  if (timeInForce === "GTT") {
    if (info.expirationSeconds !== Math.floor(expirationMs / 1000)) {
      wrong.push(
        `expiration is ${info.expirationSeconds} s, expected ${Math.floor(expirationMs / 1000)} s`,
      );
    }
  } else if (info.expirationSeconds * 1000 - nowMs <= TEN_YEARS_SECONDS * 1000) {
    wrong.push(`expiration is ${info.expirationSeconds} s, expected more than ten years ahead`);
  }
  return wrong;
}
