import type { MarketStatus } from "../../bot/status/market-status.js";
import type { OpenPosition } from "../../bot/status/open-position.js";
import type { MarketId } from "../../core/units.js";
import type { ControlAnswer } from "../session/control-handler.js";
import { alignedTable } from "./aligned-table.js";
import { formatAveragePrice, formatBase, formatQuote } from "./amount-text.js";

/** Most positions that a sentence names. */
const MOST_NAMED = 3;

/** Our orders in markets that may still fill. */
export function countOpenOrders(
  { markets }: Pick<ControlAnswer, "markets">,
  marketIds: readonly MarketId[],
): number {
  return marketIds.reduce((sum, marketId) => {
    const { openBids = 0, openAsks = 0 } = markets[marketId] ?? {};
    return sum + openBids + openAsks;
  }, 0);
}

/** The open positions of these markets. */
export function positionsIn(
  { openPositions }: Pick<ControlAnswer, "openPositions">,
  marketIds: readonly MarketId[],
): readonly OpenPosition[] {
  return openPositions.filter(({ marketId }) => marketIds.includes(marketId));
}

/** True if the exchange has reported the account, so that its orders and positions are counted. */
export function isAccountReported(
  { markets }: Pick<ControlAnswer, "markets">,
  marketIds: readonly MarketId[],
): boolean {
  return marketIds.every((marketId) => typeof markets[marketId]?.positionBase === "string");
}

/**
 * Says why the position of a market is not known; undefined if all are known. A reported position
 * of zero may be wrong while the market is `position-unknown`, as after a liquidation that is
 * reported only in part.
 */
export function whyPositionUnknown(
  answer: Pick<ControlAnswer, "markets">,
  marketIds: readonly MarketId[],
): string | undefined {
  if (!isAccountReported(answer, marketIds))
    return "the exchange has not reported the position yet";
  return marketIds.every(
    (marketId) => answer.markets[marketId]?.positionUnknownSeconds === undefined,
  )
    ? undefined
    : "the position is not known";
}

/**
 * Names positions in one phrase, such as `position +0.12 BTC stays open`; `no position is open`
 * without any.
 */
export function openPositionsPhrase(positions: readonly OpenPosition[]): string {
  const [first, second] = positions;
  if (first === undefined) return "no position is open";
  if (second === undefined) return `position ${positionText(first)} stays open`;
  return `${positions.length} positions stay open: ${positionNames(positions)}`;
}

/** Names positions, such as `+0.12 BTC, -3 ETH`. */
export function positionNames(positions: readonly OpenPosition[]): string {
  const named = positions.slice(0, MOST_NAMED).map(positionText).join(", ");
  const more = positions.length - MOST_NAMED;
  return more > 0 ? `${named} and ${more} more` : named;
}

/** One position, such as `+0.12 BTC`; the market stands for an asset without a name. */
export function positionText({ positionBase, baseAsset, marketId }: OpenPosition): string {
  return formatBase(positionBase, baseAsset ?? `base of ${marketId}`);
}

/** Formats positions with entry and notional as a table, in at most `mostLines` lines. */
export function positionLines(positions: readonly OpenPosition[], mostLines: number): string {
  if (positions.length === 0) return "";
  const most = positions.length + 1 <= mostLines ? positions.length : Math.max(0, mostLines - 2);
  const shown = positions.slice(0, most);
  const lines = alignedTable([
    { heading: "market", cells: shown.map(({ marketId }) => marketId) },
    {
      heading: "position",
      cells: shown.map(({ positionBase, baseAsset }) => formatBase(positionBase, baseAsset)),
      isNumeric: true,
    },
    {
      heading: "entry",
      cells: shown.map(({ entryPrice }) => formatAveragePrice(entryPrice)),
      isNumeric: true,
    },
    {
      heading: "notional",
      cells: shown.map(({ notionalQuote, quoteAsset }) => formatQuote(notionalQuote, quoteAsset)),
      isNumeric: true,
    },
  ]);
  const left = positions.length - shown.length;
  return left === 0 ? lines : `${lines}${left} more positions: --json lists all\n`;
}

/** True if a position is too small for any order of its market. */
export function isBelowMinimum(
  { positionBase }: OpenPosition,
  market: MarketStatus | undefined,
): boolean {
  // Whole grids have few digits: a float compares them exactly enough.
  return Math.abs(Number(positionBase)) < Number(market?.minOrderBase ?? 0);
}

/** Our orders in markets that ended cancelled, since the bot's start. */
export function countCancelled(
  { markets }: Pick<ControlAnswer, "markets">,
  marketIds: readonly MarketId[],
): number {
  return marketIds.reduce((sum, marketId) => sum + (markets[marketId]?.ordersCancelled ?? 0), 0);
}
