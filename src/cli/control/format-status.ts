import { hedgeText } from "../../bot/status/hedge-status.js";
import type { MarketStatus } from "../../bot/status/market-status.js";
import type { OpenPosition } from "../../bot/status/open-position.js";
import { referenceText } from "../../bot/status/reference-text.js";
import { formatCount } from "../../core/format-count.js";
import type { MarketId } from "../../core/units.js";
import type { ControlAnswer } from "../session/control-handler.js";
import { alignedTable } from "./aligned-table.js";
import { formatAveragePrice, formatBase, formatQuote, formatSignedQuote } from "./amount-text.js";
import { fileLines } from "./file-lines.js";
import { haltLines } from "./halt-lines.js";
import { moneyLines, pnlParts, transferLines } from "./money-lines.js";
import { oneLine } from "./one-line.js";

/** Most reasons of a market that are shown. */
const MOST_REASONS = 1;
const MOST_HALT_LINES = 6;
const REASON_CHARACTERS = 120;
const REFERENCE_CHARACTERS = 160;
/** Tokens below this share of the limit are shown. */
const FEW_TOKENS = 0.2;

/**
 * Formats the status of a running bot for a person: the account, the halts, and a line for each
 * market with the reasons why it does not quote.
 * @param resume the command that resumes the bot
 */
export function formatStatus(status: ControlAnswer, resume: string): string {
  const { activeHalts, ladder } = status;
  const halts = haltLines(activeHalts, resume, MOST_HALT_LINES);
  return [
    headLine(status),
    accountLines(status),
    halts,
    ...ladder.map((rung) => `risk ladder: ${oneLine(rung, REASON_CHARACTERS)}\n`),
    rungEndLines(status),
    tokenLine(status),
    "\n",
    marketLines(status),
    referenceLines(status),
    hedgeLines(status),
    ...Object.entries(status.markets).map(([marketId, market]) =>
      reasonLines(status, marketId, market),
    ),
    takeoverLine(status),
    fileLines(status),
  ].join("");
}

function headLine({ config, phase, account, dryRun, paper }: ControlAnswer): string {
  const kind = paper
    ? ", dry run: orders, positions and equity are paper"
    : dryRun
      ? ", dry run: nothing is sent"
      : "";
  return `${oneLine(config, 200)}: ${phase}${kind}, account ${account}\n`;
}

function accountLines(status: ControlAnswer): string {
  const { equityQuote, earnedQuote, transfersQuote, peakEquityQuote, dailyLossQuote } = status;
  const { quoteAsset, pnlQuote, underWayQuote } = status;
  const isUnderWay = Number(underWayQuote ?? 0) !== 0;
  const bounds = [
    ...(peakEquityQuote === undefined ? [] : [`peak ${formatQuote(peakEquityQuote)}`]),
    ...(Number(dailyLossQuote ?? 0) > 0 ? [`lost today ${formatQuote(dailyLossQuote)}`] : []),
  ];
  const parts = [
    ...pnlParts(pnlQuote),
    ...(isUnderWay ? [`under way ${formatSignedQuote(underWayQuote)}`] : []),
  ];
  return moneyLines([
    { name: "equity", amount: formatQuote(equityQuote, quoteAsset), note: bounds.join(", ") },
    { name: "earned", amount: formatSignedQuote(earnedQuote, quoteAsset), note: parts.join(", ") },
    ...transferLines(transfersQuote, quoteAsset),
  ]);
}

/** The present value of each measure whose rung is in force, and what ends that rung. */
function rungEndLines({ ladderRungs }: ControlAnswer): string {
  const byMeasure = new Map<string, string>();
  for (const { measure, marketId, measured, unit, isActive, why } of ladderRungs) {
    if (!isActive || why === undefined) continue;
    const name = `${measure}${marketId === undefined ? "" : ` of ${marketId}`}`;
    const now = measured === undefined ? "not known now" : `now ${measured} ${unit}`;
    // The reading at which it acted is in the line above.
    const end = why.split("; ").at(-1) ?? why;
    // The highest rung of a measure comes last.
    byMeasure.set(name, `  ${name}: ${now}, ${end}\n`);
  }
  return [...byMeasure.values()].join("");
}

function tokenLine({ tokens }: ControlAnswer): string {
  const few = Object.entries(tokens).filter(([, { left, limit }]) => left < limit * FEW_TOKENS);
  if (few.length === 0) return "";
  const texts = few.map(([name, { left, limit }]) => `${name} ${left} of ${limit}`);
  return `rate limit: ${texts.join(", ")} tokens left\n`;
}

/** One row for each market. */
function marketLines({ markets, openPositions }: ControlAnswer): string {
  const rows = Object.entries(markets);
  const positions = new Map(openPositions.map((position) => [position.marketId, position]));
  const cells = (
    cell: (market: MarketStatus, position: OpenPosition | undefined) => string,
  ): readonly string[] => rows.map(([marketId, market]) => cell(market, positions.get(marketId)));
  return alignedTable([
    { heading: "market", cells: rows.map(([marketId]) => marketId) },
    { heading: "state", cells: cells(stateText) },
    { heading: "position", cells: cells(positionCell), isNumeric: true },
    {
      heading: "entry",
      cells: cells((_, position) =>
        position === undefined ? "" : formatAveragePrice(position.entryPrice),
      ),
      isNumeric: true,
    },
    {
      heading: "notional",
      cells: cells((_, position) =>
        position === undefined ? "" : formatQuote(position.notionalQuote, position.quoteAsset),
      ),
      isNumeric: true,
    },
    {
      heading: "earned",
      cells: cells(({ pnlTotalQuote }) => formatSignedQuote(pnlTotalQuote)),
      isNumeric: true,
    },
    { heading: "orders", cells: cells(ordersText) },
    { heading: "market bid", cells: cells(({ bestBid }) => bestBid ?? ""), isNumeric: true },
    { heading: "market ask", cells: cells(({ bestAsk }) => bestAsk ?? ""), isNumeric: true },
  ]);
}

function stateText({ state, isFlattening }: MarketStatus): string {
  return isFlattening ? "flattening" : state;
}

function positionCell({ positionBase, baseAsset }: MarketStatus): string {
  return positionBase === null ? "unknown" : formatBase(positionBase, baseAsset);
}

function ordersText({ openBids, openAsks, unknownOrders, manualOrders }: MarketStatus): string {
  const parts = [formatCount(openBids, "bid"), formatCount(openAsks, "ask")];
  if (unknownOrders > 0) parts.push(`${unknownOrders} unknown`);
  if (manualOrders > 0) parts.push(`${manualOrders} manual`);
  return parts.join(", ");
}

/** One line for each market with a reference price. */
function referenceLines({ markets }: ControlAnswer): string {
  return Object.entries(markets)
    .flatMap(([marketId, { reference }]) =>
      reference === undefined
        ? []
        : [`  ${marketId}: reference ${oneLine(referenceText(reference), REFERENCE_CHARACTERS)}\n`],
    )
    .join("");
}

/** One line for each market with a hedge. */
function hedgeLines({ markets }: ControlAnswer): string {
  return Object.entries(markets)
    .flatMap(([marketId, { hedge }]) =>
      hedge === undefined
        ? []
        : [`  ${marketId}: hedge ${oneLine(hedgeText(hedge), REFERENCE_CHARACTERS)}\n`],
    )
    .join("");
}

/** Reasons that no line above has: halts are in their table. */
function reasonLines(
  { activeHalts }: ControlAnswer,
  marketId: MarketId,
  { reasons, positionUnknownSeconds }: MarketStatus,
): string {
  const told = new Set(
    activeHalts
      .filter((halt) => halt.marketId === null || halt.marketId === marketId)
      .map(({ name, why }) => `${name}: ${why}`),
  );
  const own = reasons.filter((reason) => !told.has(reason));
  const shown = own.slice(0, MOST_REASONS).map((reason) => oneLine(reason, REASON_CHARACTERS));
  const more = own.length - shown.length;
  if (more > 0) shown.push(`${formatCount(more, "more reason")}: --json lists all`);
  if (positionUnknownSeconds !== undefined)
    shown.push(`the position is unknown for ${Math.round(positionUnknownSeconds)} s`);
  return shown.map((reason) => `  ${marketId}: ${reason}\n`).join("");
}

function takeoverLine({ liquidator, unwindCounts }: ControlAnswer): string {
  const unwinding = unwindCounts.open ?? 0;
  const sold = unwinding === 0 ? "" : `, ${formatCount(unwinding, "takeover")} being sold`;
  if (liquidator === undefined)
    return unwinding === 0 ? "" : `takeovers: ${unwinding} being sold\n`;
  const { watched, inFlight, paused } = liquidator;
  const pause = paused === undefined ? "" : `, paused: ${oneLine(paused, REASON_CHARACTERS)}`;
  return `liquidator: ${formatCount(watched, "account")} watched, ${formatCount(inFlight, "takeover")} under way${sold}${pause}\n`;
}
