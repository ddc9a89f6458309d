import { bytesToHex } from "../../core/crypto/hex.js";
import { FormatError } from "../../core/errors.js";
import type { BuyRounding, Instrument } from "../../core/instrument.js";
import type { Hex, Lots, Ms, Side, Ticks } from "../../core/units.js";
import type { MarketRules, OrderStruct, TimeInForce } from "../records.js";
import { encodeInfo } from "./order-info.js";
import type { OrderHasher } from "./order-signing.js";

/** Inputs of an order. */
export interface OrderInputs {
  readonly rules: Pick<MarketRules, "perp" | "makerFeeRate" | "takerFeeRate">;
  readonly instrument: Instrument;
  readonly side: Side;
  /** Worst accepted price. */
  readonly ticks: Ticks;
  /** Positive. */
  readonly lots: Lots;
  /** The trading account's address. */
  readonly signer: Hex;
  /** Seconds since the epoch. */
  readonly expirationSeconds: number;
  /** Unsigned 64 bits. */
  readonly nonce: bigint;
  /** Default `up`. */
  readonly buyRounding?: BuyRounding;
}

/** An order with the hash that identifies it. */
export interface HashedOrder {
  readonly order: OrderStruct;
  readonly hash: Hex;
  /** The bytes of `hash`, for signing. */
  readonly digest: Uint8Array;
}

/**
 * Builds the structure of an order on the market's grid.
 * @param info in place of the one that its fees, end and nonce make: for an order that nobody
 * signs.
 * @throws FormatError when price or amount is not positive and whole, or the credit would be
 * nothing.
 * @example
 * ```ts
 * import { Instrument } from "marketwright";
 * import { buildOrderStruct } from "marketwright/exchange";
 *
 * const instrument = new Instrument({
 *   marketId: "btcusdc",
 *   tickSize: "0.1",
 *   stepSize: "0.001",
 *   creditDecimals: 6,
 *   paperDecimals: 18,
 * });
 * const order = buildOrderStruct({
 *   rules: { perp: `0x${"22".repeat(20)}`, makerFeeRate: 0n, takerFeeRate: 0n },
 *   instrument,
 *   side: "SELL",
 *   ticks: 300_000,
 *   lots: 20,
 *   signer: `0x${"33".repeat(20)}`,
 *   expirationSeconds: 2_000_000_000,
 *   nonce: 1n,
 * });
 * order.paperAmount; // => -20_000_000_000_000_000n
 * order.creditAmount; // => 600_000_000n
 * ```
 */
export function buildOrderStruct(inputs: OrderInputs, info?: Hex): OrderStruct {
  const { rules, instrument, side, ticks, lots } = inputs;
  requirePositive(ticks, "ticks");
  requirePositive(lots, "lots");
  const isBuy = side === "BUY";
  const paper = instrument.lotsToPaper(lots);
  const credit = instrument.orderCredit(side, ticks, lots, inputs.buyRounding);
  if (credit === 0n) {
    throw new FormatError("the order's value rounds to nothing", {
      field: "lots",
      value: lots,
      expected: "price times amount of at least one smallest unit of credit",
    });
  }
  return {
    perp: rules.perp,
    signer: inputs.signer,
    paperAmount: isBuy ? paper : -paper,
    creditAmount: isBuy ? -credit : credit,
    info:
      info ??
      encodeInfo({
        makerFeeRate: rules.makerFeeRate,
        takerFeeRate: rules.takerFeeRate,
        expirationSeconds: inputs.expirationSeconds,
        nonce: inputs.nonce,
      }),
  };
}

/**
 * Builds an order and hashes it: after this, `signer.sign(digest)` is all that is missing. @throws
 * FormatError as {@link buildOrderStruct}.
 * @example
 * ```ts
 * import { Instrument } from "marketwright";
 * import { buildHashedOrder, ecdsaScheme, OrderHasher } from "marketwright/exchange";
 *
 * const instrument = new Instrument({
 *   marketId: "btcusdc",
 *   tickSize: "0.1",
 *   stepSize: "0.001",
 *   creditDecimals: 6,
 *   paperDecimals: 18,
 * });
 * const signer = ecdsaScheme.signer(`0x${"11".repeat(32)}`);
 * const { hash, digest } = buildHashedOrder(new OrderHasher(`0x${"44".repeat(32)}`), {
 *   rules: { perp: `0x${"22".repeat(20)}`, makerFeeRate: 0n, takerFeeRate: 0n },
 *   instrument,
 *   side: "SELL",
 *   ticks: 300_000,
 *   lots: 20,
 *   signer: signer.address,
 *   expirationSeconds: 2_000_000_000,
 *   nonce: 1n,
 * });
 * hash.length; // => 66
 * ecdsaScheme.recover(digest, signer.sign(digest)); // => signer.address.toLowerCase()
 * ```
 */
export function buildHashedOrder(hasher: OrderHasher, inputs: OrderInputs): HashedOrder {
  const order = buildOrderStruct(inputs);
  const digest = hasher.digest(order);
  return { order, hash: bytesToHex(digest), digest };
}

const SECONDS_A_YEAR = 365.25 * 86400;

/**
 * Returns the expiration for `info`: a GTT order's own (whole seconds, rounded down), of any other
 * time in force far enough ahead (docs/reference/exchange-interface.md#expiration: more than ten
 * years; eleven here, so that a clock ahead of the exchange's does no harm).
 * @example
 * ```ts
 * import { infoExpirationSeconds } from "marketwright/exchange";
 *
 * const nowMs = 1_700_000_000_000;
 * infoExpirationSeconds("GTT", nowMs, nowMs + 60_500); // => 1_700_000_060
 * infoExpirationSeconds("GTC", nowMs, 0) > 1_700_000_000 + 10 * 365 * 86_400; // => true
 * ```
 */
export function infoExpirationSeconds(
  timeInForce: TimeInForce,
  nowMs: Ms,
  expirationMs: Ms,
): number {
  return Math.floor(
    timeInForce === "GTT" ? expirationMs / 1000 : nowMs / 1000 + 11 * SECONDS_A_YEAR,
  );
}

function requirePositive(value: number, field: string): void {
  if (!Number.isSafeInteger(value) || value <= 0) {
    throw new FormatError("not a positive whole number", {
      field,
      value,
      expected: "an integer of at least 1",
    });
  }
}
