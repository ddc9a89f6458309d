import { scaledToDecimal } from "../../core/instrument.js";
import type { MarketId } from "../../core/units.js";
import type { LadderTrack } from "../../risk/ladder-track.js";
import {
  type LadderAction,
  type LadderMeasure,
  type Rung,
  severityFor,
} from "../../risk/risk-ladder.js";
import type { Bot } from "../engine/bot.js";

/** Unit of a rung's threshold: a share is of `limits.maxPositionBase`. */
export type RungUnit = "quote" | "share" | "bps";

/** One rung of the risk ladder, in `status`; the loss limits are the highest rungs. */
export interface LadderRungStatus {
  readonly measure: LadderMeasure;
  /** Absent for a measure of the account. */
  readonly marketId?: MarketId;
  readonly threshold: string;
  readonly unit: RungUnit;
  readonly action: LadderAction;
  /** The present value of the measure; absent while it is not known. */
  readonly measured?: string;
  /** True while it is in force: passed and not yet ended, or kept until an operator resumes. */
  readonly isActive: boolean;
  /** The reading that made it act, and what ends it. */
  readonly why?: string;
}

const UNITS: Readonly<Record<LadderMeasure, RungUnit>> = {
  drawdown: "quote",
  "daily-loss": "quote",
  inventory: "share",
  markout: "bps",
};

const NUMBER = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6, useGrouping: false });

/** Every rung of a bot's ladder, by measure, the lowest first. */
export function listLadderRungs({ context, tradingGuards }: Bot): readonly LadderRungStatus[] {
  const { creditDecimals } = context.rules;
  return tradingGuards.ladder.tracks.flatMap((track) =>
    track.rungs.map((_, index) => rungStatus(track, index, creditDecimals)),
  );
}

/** @param index of the rung among those of the track. */
function rungStatus(
  track: Readonly<LadderTrack>,
  index: number,
  creditDecimals: number,
): LadderRungStatus {
  const { measure, marketId, rungs, reached, latch, measured } = track;
  const rung = rungs[index] as Rung;
  const { action, latches, threshold } = rung;
  const isPassed = index < reached;
  const isActive = latches
    ? latch !== undefined && severityFor(action) <= severityFor(latch.action)
    : isPassed;
  const unit = UNITS[measure];
  const why = isActive
    ? actingText(track, index, creditDecimals)
    : isPassed
      ? `an operator accepted it: it acts again after the measure was below ${liftText(rung, unit, creditDecimals)}`
      : undefined;
  return {
    measure,
    ...(marketId === undefined ? {} : { marketId }),
    threshold,
    unit,
    action,
    ...(measured === undefined ? {} : { measured: valueText(measured, creditDecimals) }),
    isActive,
    ...(why === undefined ? {} : { why }),
  };
}

/** The reading of the rung that acts for its measure, and what ends the rung. */
function actingText(track: Readonly<LadderTrack>, index: number, creditDecimals: number): string {
  const { measure, rungs, reached, acting, latch } = track;
  const rung = rungs[index] as Rung;
  const ends = rung.latches
    ? latchEnd(track)
    : `it ends below ${liftText(rung, UNITS[measure], creditDecimals)}`;
  const isHighest = rung.latches ? rung.action === latch?.action : index === reached - 1;
  const reading = rung.latches ? latch?.why : acting?.why;
  return isHighest && reading !== undefined && reading !== "" ? `${reading}; ${ends}` : ends;
}

/** The end of a rung that latches, in words. */
function latchEnd({ measure, marketId, latch }: Readonly<LadderTrack>): string {
  const resume = `marketwright resume${marketId === undefined ? "" : ` --market ${marketId}`}`;
  const byHand = `it ends when an operator resumes (${resume})`;
  if (measure !== "daily-loss") return byHand;
  const flat = latch?.action === "flatten" ? " and the positions are flat" : "";
  return `it ends when the UTC day is over${flat}, or when an operator resumes (${resume})`;
}

function liftText({ liftBelow }: Rung, unit: RungUnit, creditDecimals: number): string {
  return `${valueText(liftBelow, creditDecimals)} ${unit === "share" ? "of maxPositionBase" : unit}`;
}

/** A loss in credit units as quote; a share or basis points with at most six digits. */
function valueText(value: bigint | number, creditDecimals: number): string {
  return typeof value === "bigint" ? scaledToDecimal(value, creditDecimals) : NUMBER.format(value);
}
