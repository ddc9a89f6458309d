import type { OpenPosition } from "../../bot/status/open-position.js";
import { formatCount } from "../../core/format-count.js";
import type { MarketId } from "../../core/units.js";
import type { CommandOutcome, ControlAnswer } from "../session/control-handler.js";
import { haltLines, haltNames } from "./halt-lines.js";
import {
  countOpenOrders,
  isBelowMinimum,
  openPositionsPhrase,
  positionLines,
  positionNames,
  positionsIn,
  positionText,
  whyPositionUnknown,
} from "./market-figures.js";

/** Most lines below the sentence. */
const MOST_LINES = 10;

/** The answer to a command, and how it was given. */
export interface DescribedCommand {
  /** The newest status. */
  readonly answer: ControlAnswer;
  readonly outcome: CommandOutcome;
  /**
   * The orders that were open when the command was applied, and those that ended cancelled since;
   * undefined without a wait.
   */
  readonly waited?: { readonly openOrders: number; readonly cancelled: number } | undefined;
  /** The command that resumes the bot. */
  readonly resume: string;
  /** Bound of a flatten, in basis points. */
  readonly maxSlippageBps: number;
}

/** Describes what a halt, a resume or a flatten did: one sentence and at most ten lines. */
export function describeCommand(described: DescribedCommand): string {
  const { answer, outcome, resume } = described;
  const { marketIds } = outcome;
  const halts = answer.activeHalts.filter(
    ({ marketId }) => marketId === null || marketIds.includes(marketId),
  );
  const positions = positionsIn(answer, marketIds);
  const shownPositions = outcome.command === "resume" ? [] : positions;
  const forHalts = Math.max(3, MOST_LINES - 1 - shownPositions.length);
  const haltsText = haltLines(halts, resume, forHalts);
  const left = MOST_LINES - haltsText.split("\n").length + 1;
  return `${sentenceFor(described, positions)}\n${positionLines(shownPositions, left)}${haltsText}`;
}

function sentenceFor(described: DescribedCommand, positions: readonly OpenPosition[]): string {
  switch (described.outcome.command) {
    case "halt":
      return haltSentence(described, positions);
    case "resume":
      return resumeSentence(described);
    case "flatten":
      return flattenSentence(described, positions);
  }
}

function haltSentence(
  { answer, outcome: { marketIds }, waited }: DescribedCommand,
  positions: readonly OpenPosition[],
): string {
  const where = whereText(answer, marketIds);
  const rest = whyPositionUnknown(answer, marketIds) ?? openPositionsPhrase(positions);
  const open = countOpenOrders(answer, marketIds);
  if (open > 0)
    return `Halted${where}: ${formatCount(open, "order")} ${open === 1 ? "is" : "are"} being cancelled, ${rest}.`;
  if (waited === undefined || waited.openOrders === 0)
    return `Quotes are down${where}: no order is open, ${rest}.`;
  const other = waited.openOrders - waited.cancelled;
  const ended = other > 0 ? `, ${other} ended otherwise (filled or expired)` : "";
  return `Quotes are down${where}: ${formatCount(Math.min(waited.cancelled, waited.openOrders), "order")} cancelled${ended}, ${rest}.`;
}

function resumeSentence({ answer, outcome }: DescribedCommand): string {
  const { marketIds, endedHalts, abandonedFlattening } = outcome;
  const where = whereText(answer, marketIds);
  const remain = answer.activeHalts.filter(
    ({ marketId }) => marketId === null || marketIds.includes(marketId),
  );
  const stopped =
    abandonedFlattening.length === 0
      ? ""
      : ` Flattening has stopped: ${openPositionsPhrase(positionsIn(answer, abandonedFlattening))}.`;
  const remaining = `${formatCount(remain.length, "halt")} ${remain.length === 1 ? "remains" : "remain"}: ${haltNames(remain)}.`;
  if (endedHalts.length === 0) {
    return remain.length === 0
      ? `Nothing was resumed${where}: no halt is in force.${stopped}`
      : `Nothing was resumed${where}: ${remaining}${stopped}`;
  }
  const ended = `Resumed${where}: ${haltNames(endedHalts)} ended`;
  return remain.length === 0
    ? `${ended}, and the bot may quote.${stopped}`
    : `${ended}, and ${remaining}${stopped}`;
}

function flattenSentence(
  { answer, outcome: { marketIds }, maxSlippageBps }: DescribedCommand,
  positions: readonly OpenPosition[],
): string {
  const where = whereText(answer, marketIds);
  const worked = positions.filter(
    ({ marketId }) => answer.markets[marketId]?.isFlattening === true,
  );
  const [first, second] = worked;
  const bound = `no further than ${maxSlippageBps} bps from the touch`;
  if (first !== undefined && second === undefined) {
    const verb = first.positionBase.startsWith("-") ? "bought back" : "sold";
    return `Flattening${where}: position ${positionText(first)} is being ${verb}, ${bound}.`;
  }
  if (first !== undefined)
    return `Flattening${where}: ${worked.length} positions are being closed, ${positionNames(worked)}, ${bound}.`;
  const open = countOpenOrders(answer, marketIds);
  const orders =
    open === 0
      ? "no order is open"
      : `${formatCount(open, "order")} ${open === 1 ? "is" : "are"} being cancelled`;
  const unknown = whyPositionUnknown(answer, marketIds);
  if (unknown !== undefined) return `Halted${where}, and not flattened: ${unknown}.`;
  return positions.length === 0
    ? `Flat${where}: no position is open, and ${orders}.`
    : `Halted${where}, and not flattening: ${openPositionsPhrase(positions)}, ${orders}.`;
}

/**
 * The reason why a flatten trades nothing although a position is open; undefined if it trades, or
 * there is none.
 */
export function whyNotFlattening(
  answer: ControlAnswer,
  marketIds: readonly MarketId[],
): string | undefined {
  const idle = marketIds.filter((marketId) => answer.markets[marketId]?.isFlattening !== true);
  const unknown = whyPositionUnknown(answer, idle);
  if (unknown !== undefined)
    return `nothing is flattened: ${unknown}; try again once status shows it`;
  const left = positionsIn(answer, marketIds).filter(
    ({ marketId }) => answer.markets[marketId]?.isFlattening !== true,
  );
  if (left.length === 0) return undefined;
  return left
    .map((position) => {
      const market = answer.markets[position.marketId];
      return isBelowMinimum(position, market)
        ? `${position.marketId} keeps ${positionText(position)}: the market takes no order below ${market?.minOrderBase}`
        : `${position.marketId} keeps ${positionText(position)}: its book has no price to bound an order by; try again once status shows a best bid and ask`;
    })
    .join("\nmarketwright: ");
}

/** ` in btcusdc`; empty if the bot has no other market. */
function whereText(answer: ControlAnswer, marketIds: readonly MarketId[]): string {
  const all = Object.keys(answer.markets).length;
  if (all === 1) return "";
  return marketIds.length === all ? " in all markets" : ` in ${marketIds.join(", ")}`;
}
