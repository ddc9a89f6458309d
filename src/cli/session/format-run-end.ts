import type { RunSummary } from "../../bot/run/monitor/run-summary.js";
import { formatCount } from "../../core/format-count.js";
import { formatQuote, formatSignedQuote } from "../control/amount-text.js";
import { openPositionsPhrase, positionLines } from "../control/market-figures.js";
import { moneyLines, pnlParts, transferLines } from "../control/money-lines.js";
import { oneLine } from "../control/one-line.js";

/** Most lines of the table of positions. */
const MOST_POSITION_LINES = 10;

/**
 * Formats the end of a run for a person: one sentence about what stays open, the positions, and the
 * figures of the run.
 */
export function formatRunEnd(summary: RunSummary): string {
  const { openPositions } = summary;
  return `${sentenceFor(summary)}\n${positionLines(openPositions, MOST_POSITION_LINES)}${figures(summary)}`;
}

function sentenceFor(summary: RunSummary): string {
  const { stopReason, openPositions, positionBase, paper } = summary;
  const { positionsApart = [], takeoversUnderWay = [] } = summary;
  const why = stopReason === null ? "" : ` (${oneLine(stopReason)})`;
  const unknown = Object.values(positionBase).includes(null);
  const isInDoubt = positionsApart.length > 0 || takeoversUnderWay.some(({ isHeld }) => !isHeld);
  const positions = unknown
    ? "the exchange has not reported the position"
    : isInDoubt
      ? "the position is not known for certain"
      : openPositionsPhrase(openPositions);
  const kind = paper === undefined ? "" : " of this dry run";
  return `The bot${kind} has stopped${why}: ${ordersPhrase(summary)}, ${positions}.`;
}

function ordersPhrase({ ordersLeft, openOrdersLeft }: RunSummary): string {
  const left = Math.max(ordersLeft.length, openOrdersLeft ?? 0);
  if (left > 0) return `${formatCount(left, "order")} may still fill`;
  return openOrdersLeft === null
    ? "the exchange was not asked which orders are open"
    : "no order is open";
}

function figures(summary: RunSummary): string {
  const { quoteAsset, pnlQuote, underWayQuote, transfersQuote } = summary;
  const isUnderWay = Number(underWayQuote ?? 0) !== 0;
  const money = moneyLines([
    { name: "equity", amount: formatQuote(summary.equityQuote, quoteAsset) },
    {
      name: "earned",
      amount: formatSignedQuote(summary.equityChangeQuote, quoteAsset),
      note: pnlParts(pnlQuote).join(", "),
    },
    ...transferLines(transfersQuote, quoteAsset),
    ...(isUnderWay
      ? [
          {
            name: "under way",
            amount: formatSignedQuote(underWayQuote, quoteAsset),
            note: "in the balance or in the records, not in both yet",
          },
        ]
      : []),
  ]);
  return `${money}${hedgeLines(summary)}${countsLine(summary)}\n${liquidationsLine(summary)}`;
}

function hedgeLines({ hedges = {}, quoteAsset }: RunSummary): string {
  return Object.entries(hedges)
    .map(([marketId, hedge]) => {
      const { venue, symbol, positionBase, profit, profitQuote, venueQuoteAsset } = hedge;
      const parts =
        profit === undefined
          ? "no price yet"
          : `trading ${formatSignedQuote(profit.trading)}, fees ${formatSignedQuote(profit.fees)}, funding ${formatSignedQuote(profit.funding)} ${venueQuoteAsset}`;
      const earned = formatSignedQuote(profitQuote ?? null, quoteAsset);
      return `hedge      ${marketId} at ${oneLine(venue)} ${oneLine(symbol)}: position ${positionBase}, since it began ${earned} (${parts})\n`;
    })
    .join("");
}

function liquidationsLine({ liquidations, quoteAsset }: RunSummary): string {
  if (liquidations === undefined) return "";
  const { seen, won, lost, profitQuote } = liquidations;
  return `liquidations  ${seen} seen, ${won} won, ${lost} lost; profit ${formatSignedQuote(profitQuote, quoteAsset)} after gas\n`;
}

function countsLine(summary: RunSummary): string {
  const { ordersPlaced, ordersCancelled, fills, secondsToFirstQuote } = summary;
  const rare = (
    [
      [summary.ordersRejected, "rejected"],
      [summary.ordersUnknown - summary.ordersUnknownResolved, "of unknown fate"],
      [summary.manualOrders, "manual"],
    ] as const
  )
    .filter(([count]) => count > 0)
    .map(([count, what]) => `, ${count} ${what}`);
  const failed = summary.failedTrades === 0 ? "" : `, ${summary.failedTrades} failed to settle`;
  const first =
    secondsToFirstQuote === null
      ? "no market was quoted on both sides"
      : `first quotes after ${secondsToFirstQuote.toFixed(1)} s`;
  return `orders     ${ordersPlaced} placed, ${ordersCancelled} cancelled${rare.join("")}; ${formatCount(fills, "fill")}${failed}; ${first}`;
}
