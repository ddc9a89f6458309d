import { PNL_PARTS, type PnlPart } from "./metrics.js";
import type { ScreenLevel, ScreenMarket } from "./screen-model.js";
import { colorBySign, isZero, type Line, type Span, type Style } from "./screen-text.js";

/**
 * Lines of a panel beside the book: title, spread, position, profit, orders, reason, clamps, and a
 * blank.
 */
const FIXED_LINES = 8;
const MOST_LEVELS = 10;

const RARE: ReadonlySet<PnlPart> = new Set(["failed", "liquidation", "other"]);

const STATE_STYLE: Readonly<Record<ScreenMarket["state"], Style>> = {
  quoting: "green",
  waiting: "yellow",
  halted: "red",
  "reduce-only": "yellow",
};

/** Renders one market: the book around the touch with our orders in it, and its figures. */
export function renderMarketPanel(market: ScreenMarket, width: number, height: number): Line[] {
  const levels = Math.max(1, Math.min(MOST_LEVELS, Math.floor((height - FIXED_LINES) / 2)));
  const asks = padded(market.asks.slice(0, levels), levels).reverse();
  const bids = padded(market.bids.slice(0, levels), levels);
  const shown = [...asks, ...bids].filter((level) => level !== undefined);
  const columns = columnWidths(shown);
  return [
    title(market, width),
    ...asks.map((level) => levelLine(level, columns, "red")),
    [
      ["  ── spread ", "dim"],
      [market.spread ?? "unknown"],
      ["  mark ", "dim"],
      [market.mark ?? "unknown"],
      ["  book ", "dim"],
      [ageText(market.bookAgeMs)],
    ],
    ...bids.map((level) => levelLine(level, columns, "green")),
    [
      ["position ", "dim"],
      market.positionBase === undefined ? ["unknown"] : colorBySign(market.positionBase),
      ["   fills ", "dim"],
      [`${market.fills} (${market.fillsPerMinute.toFixed(1)}/min)`],
    ],
    profitLine(market),
    ordersLine(market),
    ...reasonLines(market),
    [],
  ];
}

function title({ marketId, strategy, state, stateReasons }: ScreenMarket, width: number): Line {
  const left = `${marketId}  `;
  const right =
    state === "quoting" ? state : `${state}: ${stateReasons.join("; ") || "no reason given"}`;
  const gap = Math.max(2, width - left.length - strategy.length - right.length);
  return [[left, "bold"], [strategy, "cyan"], [" ".repeat(gap)], [right, STATE_STYLE[state]]];
}

function levelLine(
  level: ScreenLevel | undefined,
  { price, amount }: { price: number; amount: number },
  style: Style,
): Line {
  if (level === undefined) return [["  ·", "dim"]];
  const own: Span = level.own === undefined ? [""] : [`   ours ${level.own}`, "bold"];
  return [
    [level.own === undefined ? "  " : "▸ ", "bold"],
    [level.price.padStart(price), style],
    [`  ${level.amount.padStart(amount)}`],
    own,
  ];
}

function columnWidths(levels: readonly ScreenLevel[]): { price: number; amount: number } {
  return {
    price: Math.max(0, ...levels.map((level) => level.price.length)),
    amount: Math.max(0, ...levels.map((level) => level.amount.length)),
  };
}

function profitLine({ pnlQuote, pnlTotalQuote }: ScreenMarket): Line {
  // Reversed settlements and rare incomes are shown only if there are any.
  const parts = PNL_PARTS.filter((part) => !RARE.has(part) || !isZero(pnlQuote[part])).flatMap(
    (part): Span[] => [[`  ${part} `, "dim"], colorBySign(pnlQuote[part])],
  );
  return [["profit ", "dim"], colorBySign(pnlTotalQuote), [" =", "dim"], ...parts];
}

function ordersLine({ openBids, openAsks, unknownOrders, manualOrders }: ScreenMarket): Line {
  const unknown: Span[] = unknownOrders === 0 ? [] : [[`   ${unknownOrders} unknown`, "yellow"]];
  const manual: Span[] = manualOrders === 0 ? [] : [[`   ${manualOrders} manual`, "yellow"]];
  return [["orders ", "dim"], [`${openBids} bid ${openAsks} ask`], ...unknown, ...manual];
}

function reasonLines({ reason }: ScreenMarket): Line[] {
  if (reason === undefined) return [[["no intent yet", "dim"]], []];
  const terms = reason.terms.flatMap(([name, value]): Span[] => [[`  ${name} `, "dim"], [value]]);
  return [
    [
      ["fair ", "dim"],
      [reason.fair],
      ["  reservation ", "dim"],
      [reason.reservation],
      ["  half spread ", "dim"],
      [reason.halfSpread],
      ...terms,
    ],
    reason.clamps.length === 0
      ? []
      : [
          ["held back: ", "dim"],
          [reason.clamps.join("; "), "yellow"],
        ],
  ];
}

function padded(levels: readonly ScreenLevel[], count: number): (ScreenLevel | undefined)[] {
  return Array.from({ length: count }, (_, index) => levels[index]);
}

function ageText(ageMs: number | undefined): string {
  return ageMs === undefined ? "not in sync" : `${(ageMs / 1000).toFixed(1)} s`;
}
