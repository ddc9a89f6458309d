import { scaledToDecimal } from "../../../core/instrument.js";
import type { Lots, MarketId } from "../../../core/units.js";
import type { Opportunity } from "../../../liquidator/ledger/opportunity.js";
import type {
  ScreenLiquidation,
  ScreenLiquidator,
} from "../../../monitoring/screen/screen-model.js";
import type { RunningLiquidator } from "../run-liquidator.js";

const SHOWN = 8;

/** Formats of a panel's amounts. */
interface ScreenScale {
  /** Credit units in few digits. */
  readonly quote: (units: bigint) => string;
  readonly baseOf: (marketId: MarketId, lots: Lots) => string;
}

/** The liquidator's panel. */
export function screenLiquidator(
  running: RunningLiquidator | undefined,
  { quote, baseOf }: ScreenScale,
): ScreenLiquidator | undefined {
  if (running === undefined) return undefined;
  const { liquidator, ledger, rpc, dryRun } = running;
  const { paused, blockNumber, watched, nearest, inFlight } = liquidator.view();
  const { seen, confirmed, won, lost, unprofitable, reverted, cured, profitQuote, gasWei } =
    ledger.counts();
  const counts = { seen, confirmed, won, lost, unprofitable, reverted, cured };
  return {
    paused,
    dryRun,
    blockNumber,
    watched,
    inFlight: inFlight.length,
    counts: Object.entries(counts),
    profitQuote: quote(profitQuote),
    gasEth: Number(scaledToDecimal(gasWei, 18)).toPrecision(3),
    rpcs: rpc.report().map(({ name, headAgeMs, distrustReason }) => ({
      name,
      text:
        distrustReason ??
        (headAgeMs === undefined ? "no head yet" : `${(headAgeMs / 1000).toFixed(1)} s`),
      isBelieved: distrustReason === undefined,
    })),
    nearest: nearest.map(({ account, nearness, discountCredit }) => ({
      account,
      distance: distanceText(nearness.distanceBps),
      discountQuote: quote(discountCredit),
    })),
    liquidations: ledger
      .recent(SHOWN)
      .map((opportunity) => screenLiquidation(opportunity, { quote, baseOf })),
  };
}

function screenLiquidation(opportunity: Opportunity, scale: ScreenScale): ScreenLiquidation {
  const { atMs, marketId, victim, outcome, profitQuote } = opportunity;
  return {
    atMs: Math.max(...Object.values(atMs)),
    marketId,
    victim,
    outcome,
    detail: detailOf(opportunity, scale),
    profitQuote: profitQuote === undefined ? undefined : scale.quote(profitQuote),
  };
}

/**
 * Distance of the price that makes an account liquidatable. If hardly any price does, a figure says
 * no more than that.
 */
export function distanceText(distanceBps: number): string {
  if (distanceBps === 0) return "unsafe";
  return distanceBps < 10_000 ? `${distanceBps.toFixed(1)} bps` : "far";
}

function detailOf(
  { marketId, unwound, lostTo, shortOfQuote, reason, atMs }: Opportunity,
  { quote, baseOf }: ScreenScale,
): string {
  if (unwound !== undefined)
    return unwound.remainingLots === 0
      ? "sold"
      : `${unwound.state}, ${baseOf(marketId, unwound.remainingLots)} to sell`;
  if (lostTo !== undefined) return `to ${lostTo.winner}, ${lostTo.blocksBefore} blocks before`;
  if (shortOfQuote !== undefined) return `short of the least profit by ${quote(shortOfQuote)}`;
  if (reason !== undefined) return reason;
  return Object.keys(atMs).at(-1) ?? "";
}
