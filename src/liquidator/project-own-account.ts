import type { Hex } from "../core/units.js";
import { computeTakeoverTerms, liquidatorAfterTakeover } from "../perpetual/liquidation.js";
import {
  computePositionMargin,
  type MarginAccount,
  type MarginMarket,
} from "../perpetual/margin-account.js";
import type { AccountLimits } from "../risk/limits.js";
import type { TakeoverInFlight } from "./liquidation-executor.js";
import type { LiquidatorSettings } from "./liquidator-settings.js";
import { reserveRoom } from "./plan/allocate-takeovers.js";
import type { OwnAccount, TakeoverMarket } from "./plan/plan-input.js";

/** Inputs of the projected own account. */
export interface OwnAccountInput {
  /** The account on the chain at `blockNumber`. */
  readonly margin: MarginAccount;
  readonly blockNumber: number;
  readonly inFlight: readonly TakeoverInFlight[];
  readonly markets: ReadonlyMap<Hex, MarginMarket>;
  readonly limits: AccountLimits;
  readonly settings: Pick<
    LiquidatorSettings,
    "account" | "maxNotionalCredit" | "maxPositionAmount"
  >;
  /** Value of unsold inventory from earlier takeovers, at the mark. */
  readonly unwindingCredit: bigint;
}

/**
 * Projects the own account to the state after everything in flight succeeds, with its worst-case
 * losses set aside.
 */
export function projectOwnAccount({
  margin,
  blockNumber,
  inFlight,
  markets,
  limits,
  settings,
  unwindingCredit,
}: OwnAccountInput): OwnAccount {
  let after = margin;
  let underway = unwindingCredit;
  for (const held of inFlight) {
    const market = markets.get(held.perp);
    if (market === undefined) continue;
    const isIn = held.minedBlock !== undefined && held.minedBlock <= blockNumber;
    if (!isIn) {
      const taken = liquidatorAfterTakeover(
        after,
        market,
        computeTakeoverTerms(market, held.requestPaper, held.requestPaper),
      );
      after = { ...taken, netValueCredit: taken.netValueCredit - held.reservedQuote };
      underway += computePositionMargin(market, held.requestPaper).notional;
    }
  }
  const { account, maxNotionalCredit, maxPositionAmount } = settings;
  const maxExposureCredit =
    maxNotionalCredit === undefined
      ? undefined
      : after.exposureCredit + maxNotionalCredit - underway;
  return { account, margin: after, limits, maxExposureCredit, maxPositionAmount };
}

/**
 * Projects the markets: in-flight takeovers count as pending unwind, and use up room in the limits.
 */
export function projectMarkets(
  markets: ReadonlyMap<Hex, TakeoverMarket>,
  inFlight: readonly TakeoverInFlight[],
): Map<Hex, TakeoverMarket> {
  const counted = new Map(markets);
  for (const { perp, requestPaper, minedBlock } of inFlight) {
    const market = counted.get(perp);
    // A mined takeover is already the bot's to sell, and part of the unwinding it reports.
    if (market === undefined || minedBlock !== undefined) continue;
    const lots = Number(requestPaper / market.instrument.paperPerLot);
    counted.set(perp, {
      ...reserveRoom(market, requestPaper),
      pendingUnwindLots: market.pendingUnwindLots + lots,
    });
  }
  return counted;
}
