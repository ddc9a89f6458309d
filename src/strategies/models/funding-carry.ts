import type { Ms } from "../../core/units.js";
import type { FundingRateFit } from "./funding-rate-model.js";

/** A position's expected funding, and how uncertain it is. */
export interface FundingCarry {
  /** Expected receipts of a long position, in basis points of its value: negative if it pays. */
  readonly longBps: number;
  /** Variance of the receipts by the errors of the predicted rates, in square basis points. */
  readonly varianceBps2: number;
}

/** The next funding of a market, as it is announced. */
export interface AnnouncedFunding {
  /** Basis points; a long position pays it if it is positive. */
  readonly rateBps: number;
  /** Time until it is paid, above 0. */
  readonly untilMs: Ms;
}

/**
 * The expected funding of a position that is held for a random time, exponentially distributed with
 * the mean `holdingMs`. The next rate is the announced one; the rates after it return to their mean
 * (docs/reference/built-in-strategies.md#funding has the derivation).
 * @example
 * ```ts
 * import { fundingCarry } from "marketwright";
 *
 * const fit = { persistence: 0, longRunBps: 0, residualBps: 0, periodMs: 28_800_000 };
 * const carry = fundingCarry({ rateBps: 3, untilMs: 3_600_000 }, fit, 3_600_000);
 * // Held at the funding with a chance of 1 / e, and paid by longs.
 * carry.longBps.toFixed(4); // => "-1.1036"
 * ```
 */
export function fundingCarry(
  { rateBps, untilMs }: AnnouncedFunding,
  { persistence, longRunBps, residualBps, periodMs }: Omit<FundingRateFit, "isFitted">,
  holdingMs: Ms,
): FundingCarry {
  const first = Math.exp(-untilMs / holdingMs);
  const next = Math.exp(-periodMs / holdingMs);
  const kept = persistence * next;
  const paid = first * (longRunBps / (1 - next) + (rateBps - longRunBps) / (1 - kept));
  const errors = (first * next * (1 + kept)) / ((1 - next) * (1 - kept) * (1 - persistence * kept));
  return { longBps: -paid, varianceBps2: residualBps ** 2 * errors };
}

/** Positions in orders, without sign, between which a held position is left as it is. */
export interface CarryBand {
  /** The position that is worth its fees from none. */
  readonly nearOrders: number;
  /** The position that is worth keeping: its fees of getting in are spent. */
  readonly farOrders: number;
}

/** The costs and the risk of a position. */
export interface CarryRisk {
  /** Fees of getting in and out, in basis points of the value, from 0. */
  readonly feesBps: number;
  /** Aversion per basis point of value and per order held. */
  readonly riskAversion: number;
  /** Variance of the value of a position over its holding time, in square basis points. */
  readonly varianceBps2: number;
}

/**
 * The positions on the side that is paid. `nearOrders` maximises
 * `q carry - q fees - riskAversion q^2 variance / 2`, `farOrders` the same without fees. Both are 0
 * without a carry, and Infinity without a risk.
 * @example
 * ```ts
 * import { carryBand } from "marketwright";
 *
 * const risk = { feesBps: 2, riskAversion: 0.001, varianceBps2: 1000 };
 * carryBand(5, risk); // => { nearOrders: 3, farOrders: 5 }
 * carryBand(1, risk); // => { nearOrders: 0, farOrders: 1 }
 * ```
 */
export function carryBand(
  carryBps: number,
  { feesBps, riskAversion, varianceBps2 }: CarryRisk,
): CarryBand {
  const cost = riskAversion * varianceBps2;
  const worth = (bps: number): number => (bps > 0 ? bps / cost : 0);
  const paid = Math.abs(carryBps);
  return { nearOrders: worth(paid - feesBps), farOrders: worth(paid) };
}
