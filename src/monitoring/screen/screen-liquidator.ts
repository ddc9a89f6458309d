import { formatClock } from "./screen-clock.js";
import type { ScreenCandidate, ScreenLiquidation, ScreenLiquidator } from "./screen-model.js";
import { colorBySign, type Line, type Span, type Style } from "./screen-text.js";

/** Lines that are neither a candidate nor a liquidation. */
const FIXED_LINES = 2;

const OUTCOME_STYLE: Readonly<Record<string, Style>> = {
  won: "green",
  lost: "yellow",
  reverted: "red",
  open: "cyan",
  "dry-run": "cyan",
};

/**
 * Renders the liquidator: its state, the accounts nearest to liquidation, and the newest outcomes.
 */
export function renderLiquidatorPanel(liquidator: ScreenLiquidator, height: number): Line[] {
  if (height < FIXED_LINES) return [];
  const room = height - FIXED_LINES;
  const { nearest, liquidations } = liquidator;
  const most = Math.max(Math.ceil(room / 2), room - nearest.length);
  const shown = liquidations.slice(Math.max(0, liquidations.length - most));
  return [
    title(liquidator),
    countsLine(liquidator),
    ...nearest.slice(0, Math.max(0, room - shown.length)).map(candidateLine),
    ...shown.map(liquidationLine),
  ];
}

function title({ paused, dryRun, blockNumber, watched, inFlight, rpcs }: ScreenLiquidator): Line {
  const state: Span =
    paused === undefined
      ? [inFlight > 0 ? `${inFlight} under way` : "watching", "green"]
      : [`paused: ${paused}`, "yellow"];
  return [
    ["liquidator  ", "bold"],
    ...(dryRun ? [["dry run, nothing is sent  ", "cyan"] as const] : []),
    state,
    ["   block ", "dim"],
    [String(blockNumber ?? "unknown")],
    ["   accounts ", "dim"],
    [String(watched)],
    ...rpcs.flatMap(({ name, text, isBelieved }): Span[] => [
      [`   ${name} `, "dim"],
      [text, isBelieved ? "plain" : "red"],
    ]),
  ];
}

function countsLine({ counts, profitQuote, gasEth }: ScreenLiquidator): Line {
  return [
    ["earned ", "dim"],
    colorBySign(profitQuote),
    ["   gas ", "dim"],
    [`${gasEth} ETH`],
    ...counts.flatMap(([name, count]): Span[] => [[`   ${name} `, "dim"], [String(count)]]),
  ];
}

function candidateLine({ account, distance, discountQuote }: ScreenCandidate): Line {
  return [
    ["  near ", "dim"],
    [account],
    ["  "],
    [distance, distance === "unsafe" ? "red" : "plain"],
    ["  discount ", "dim"],
    [discountQuote],
  ];
}

function liquidationLine({
  atMs,
  marketId,
  victim,
  outcome,
  detail,
  profitQuote,
}: ScreenLiquidation): Line {
  return [
    [`  ${formatClock(atMs)} `, "dim"],
    [outcome.padEnd(13), OUTCOME_STYLE[outcome] ?? "plain"],
    [`${marketId} ${victim} `],
    ...(profitQuote === undefined ? [] : [colorBySign(profitQuote), [" "] as const]),
    [detail, "dim"],
  ];
}
