import { decimalToScaled, scaledToDecimal } from "../../core/instrument.js";
import type { CreditUnits } from "../../core/units.js";
import type { MarkoutOptions } from "../../risk/markout-window.js";
import type { Rung } from "../../risk/risk-ladder.js";
import type { BotConfig } from "../config/config.js";
import {
  DEFAULT_FLATTEN,
  DEFAULT_LIFT_FRACTION,
  DEFAULT_MARKOUT,
  DEFAULT_WIDEN_FACTOR,
  type RungConfig,
} from "../config/fields/ladder-fields.js";

/** The rungs of every measure, in ascending order; the limits are the highest rungs. */
export interface LadderRungs {
  readonly drawdown: readonly Rung<CreditUnits>[];
  readonly dailyLoss: readonly Rung<CreditUnits>[];
  readonly inventory: readonly Rung<number>[];
  readonly markout: readonly Rung<number>[];
}

/** The ladder of a bot's file, with every default filled in. */
export function ladderRungsFor(
  { risk }: Pick<BotConfig, "risk">,
  creditDecimals: number,
): LadderRungs {
  const {
    maxDrawdownQuote,
    onDrawdown = "halt",
    maxDailyLossQuote,
    onDailyLoss = onDrawdown,
    ladder,
  } = risk;
  const lift = ladder?.liftFraction ?? DEFAULT_LIFT_FRACTION;
  const money = (fromQuote: string, rung: RungConfig, isLimit = false): Rung<CreditUnits> => {
    const from = decimalToScaled(fromQuote, creditDecimals);
    const liftBelow = (from * BigInt(Math.round(lift * 1e6))) / 1_000_000n;
    const threshold = scaledToDecimal(from, creditDecimals);
    return {
      ...actionOf(rung, isLimit),
      // A limit acts above its value, as documented; a rung acts at its value.
      from: isLimit ? from + 1n : from,
      liftBelow,
      threshold,
      text: `${threshold} quote`,
    };
  };
  const plain = (from: number, rung: RungConfig, unit: string): Rung<number> => {
    const threshold = String(from);
    const text = `${threshold} ${unit}`;
    return { ...actionOf(rung, false), from, liftBelow: from * lift, threshold, text };
  };
  return {
    drawdown: [
      ...(ladder?.drawdown ?? []).map((rung) => money(String(rung.fromQuote), rung)),
      money(maxDrawdownQuote, { action: onDrawdown }, true),
    ],
    dailyLoss: [
      ...(ladder?.dailyLoss ?? []).map((rung) => money(String(rung.fromQuote), rung)),
      ...(maxDailyLossQuote === undefined
        ? []
        : [money(maxDailyLossQuote, { action: onDailyLoss }, true)]),
    ],
    inventory: (ladder?.inventory ?? []).map((rung) =>
      plain(Number(rung.fromFraction), rung, "of maxPositionBase"),
    ),
    markout: (ladder?.markout ?? []).map((rung) => plain(Number(rung.fromBps), rung, "bps")),
  };
}

function actionOf(
  { action, widenFactor }: RungConfig,
  isLimit: boolean,
): Pick<Rung, "action" | "widenFactor" | "latches"> {
  const latches = isLimit || action === "halt" || action === "flatten";
  return action === "widen"
    ? { action, widenFactor: widenFactor ?? DEFAULT_WIDEN_FACTOR, latches }
    : { action, latches };
}

/** Markout settings of a bot's file. */
export function markoutOptionsFor({ risk }: Pick<BotConfig, "risk">): MarkoutOptions {
  const { markoutHorizonMs, markoutFills, markoutMinFills } = risk.ladder ?? {};
  const fills = markoutFills ?? DEFAULT_MARKOUT.fills;
  return {
    horizonMs: markoutHorizonMs ?? DEFAULT_MARKOUT.horizonMs,
    fills,
    minFills: markoutMinFills ?? Math.min(DEFAULT_MARKOUT.minFills, fills),
  };
}

/** How a position is flattened. */
export interface FlattenTerms {
  readonly maxSlippageBps: number;
  readonly slices: number;
  readonly everyMs: number;
}

/** How a position is flattened, with every default filled in. */
export function flattenTermsFor({ risk }: Pick<BotConfig, "risk">): FlattenTerms {
  const { maxSlippageBps, slices, everyMs } = risk.flatten ?? {};
  return {
    maxSlippageBps: maxSlippageBps ?? DEFAULT_FLATTEN.maxSlippageBps,
    slices: slices ?? DEFAULT_FLATTEN.slices,
    everyMs: everyMs ?? DEFAULT_FLATTEN.everyMs,
  };
}
