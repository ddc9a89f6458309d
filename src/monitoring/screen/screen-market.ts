import { figuresWidth, renderFigures } from "./screen-figures.js";
import { LADDER_HEIGHT, ladderWidth, renderLadder } from "./screen-ladder.js";
import type { ScreenMarket } from "./screen-model.js";
import { joinPanels, type Line, packLines, type Span, type Style } from "./screen-text.js";

const GAP = 2;
/** From this height on, the reason of the quotes has two lines. */
const ROOMY_HEIGHT = 20;
/** Lines of the orders and of the reason of the quotes: in a low panel, and in a high one. */
const SMALL_FOOT = 3;
const ROOMY_FOOT = 4;
/** Least height of the book: its heading, a level a side, and the spread. */
const LEAST_BODY = 4;
/** Height of the figures in two columns, which come before the reason of the quotes. */
const GOOD_BODY = 9;

const STATE_STYLE: Readonly<Record<ScreenMarket["state"], Style>> = {
  quoting: "green",
  waiting: "yellow",
  halted: "red",
  "reduce-only": "yellow",
};

/**
 * Least width at which a market shows its book with the figures beside it, in one column or in two.
 * It depends on the market's decimals and assets, so the layout stays while the figures change.
 */
export function panelWidth(market: ScreenMarket, columns: 1 | 2 = 1): number {
  return ladderWidth(market) + GAP + figuresWidth(market, columns);
}

/**
 * Renders one market: the book around the touch with our orders in it, the position and the profit
 * beside it, and below them our orders and the reason of the quotes.
 */
export function renderMarketPanel(
  market: ScreenMarket,
  width: number,
  height: number,
  isChosen = false,
): Line[] {
  const head = titleLines(market, width, isChosen);
  const reference = referenceLines(market);
  const all = [ordersLine(market), ...reference, ...reasonLines(market, width, height)];
  const left = height - head.length;
  // The book keeps its place while a line of the reason comes and goes.
  const most = (height < ROOMY_HEIGHT ? SMALL_FOOT : ROOMY_FOOT) + reference.length;
  // A reference price has its line even where the reason of the quotes has none.
  const least = left > LEAST_BODY + reference.length ? 1 + reference.length : 0;
  const footHeight = Math.min(most, Math.max(left - GOOD_BODY, least, left > LEAST_BODY ? 1 : 0));
  const room = Math.max(0, left - footHeight);
  const foot: Line[] = Array.from({ length: footHeight }, (_, at) => all[at] ?? []);
  return [...head, ...bodyLines(market, width, room), ...foot];
}

function bodyLines(market: ScreenMarket, width: number, room: number): readonly Line[] {
  const ladder = renderLadder(market, Math.min(room, LADDER_HEIGHT));
  const beside = Math.max(0, width - ladder.width - GAP);
  const columns = ([2, 1] as const).find((count) => panelWidth(market, count) <= width);
  if (columns !== undefined)
    return joinPanels(
      [ladder.lines, renderFigures(market, room, columns, beside)],
      [ladder.width, beside],
      GAP,
    ).slice(0, room);
  // Too narrow for both: one below the other, the book in the upper half.
  const upper = renderLadder(market, Math.max(LEAST_BODY, Math.floor(room / 2))).lines;
  const below = renderFigures(market, Math.max(0, room - upper.length), 1, width);
  return [...upper, ...below].slice(0, room);
}

function titleLines(
  { marketId, strategy, state, stateReasons }: ScreenMarket,
  width: number,
  isChosen: boolean,
): Line[] {
  const name: Span = [marketId, isChosen ? "inverse" : "bold"];
  const why =
    state === "quoting" ? [] : stateReasons.length === 0 ? ["no reason given"] : stateReasons;
  const reason = why.join("; ");
  const used = [...marketId].length + state.length + [...strategy].length + 6;
  if (reason !== "" && used + [...reason].length > width)
    return [
      [name, ["  "], [state, STATE_STYLE[state]], ["  "], [strategy, "cyan"]],
      [["  "], [reason, STATE_STYLE[state]]],
    ];
  return [
    [
      name,
      ["  "],
      [reason === "" ? state : `${state}: ${reason}`, STATE_STYLE[state]],
      ["  "],
      [strategy, "cyan"],
    ],
  ];
}

function ordersLine(market: ScreenMarket): Line {
  const { openBids, openAsks, unknownOrders, manualOrders, fills, fillsPerMinute } = market;
  const unknown: Span[] = unknownOrders === 0 ? [] : [[`  ${unknownOrders} unknown`, "yellow"]];
  const manual: Span[] = manualOrders === 0 ? [] : [[`  ${manualOrders} manual`, "yellow"]];
  return [
    ["orders ", "dim"],
    [`${openBids} bid ${openAsks} ask`],
    ...unknown,
    ...manual,
    ["  fills ", "dim"],
    [`${fills} (${fillsPerMinute.toFixed(1)}/min)`],
    ["  book ", "dim"],
    [ageText(market.bookAgeMs)],
  ];
}

function referenceLines({ reference, hedge }: ScreenMarket): Line[] {
  const shown = [
    ["reference ", reference],
    ["hedge ", hedge],
  ] as const;
  return shown.flatMap(([name, line]): Line[] =>
    line === undefined
      ? []
      : [
          [
            [name, "dim"],
            [line.text, line.isGood ? "plain" : "yellow"],
          ],
        ],
  );
}

function reasonLines({ reason }: ScreenMarket, width: number, height: number): Line[] {
  if (reason === undefined) return [[["no intent yet", "dim"]]];
  const named = [
    ["fair", reason.fair],
    ["reservation", reason.reservation],
    ["half spread", reason.halfSpread],
    ...reason.terms,
  ] as const;
  const figures = named.map(([name, value]): Line => [[`${name} `, "dim"], [value]]);
  const prices = packLines(figures, width, 2, height < ROOMY_HEIGHT ? 1 : 2);
  if (reason.clamps.length === 0) return prices;
  // Before the prices: what is held back is missing in the market.
  const held: Line = [
    ["held back: ", "dim"],
    [reason.clamps.join("; "), "yellow"],
  ];
  return [held, ...prices];
}

function ageText(ageMs: number | undefined): string {
  return ageMs === undefined ? "not in sync" : `${(ageMs / 1000).toFixed(1)} s`;
}
