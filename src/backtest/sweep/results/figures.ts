import { Decimal } from "decimal.js";
import type { Report } from "../../report/report-schema.js";

/**
 * One figure of a run: money and sums as exact decimals, ratios as numbers, null where it is not
 * defined.
 */
export type FigureValue = string | number | null;

/** The direction in which a figure is better. */
export type Goal = "maximise" | "minimise";

interface FigureKind {
  readonly of: (report: Report) => FigureValue;
  readonly goal: Goal;
  /** For a column's head. */
  readonly words: string;
}

/** The figures that a sweep keeps of each run's report, and can rank by. */
export const FIGURES = {
  profit: { of: ({ profit }) => profit.total, goal: "maximise", words: "profit" },
  profitOverDrawdown: {
    of: ({ ratios }) => ratios.profitOverDrawdown,
    goal: "maximise",
    words: "profit over drawdown",
  },
  profitPerTurnoverBps: {
    of: ({ ratios }) => ratios.profitPerTurnoverBps,
    goal: "maximise",
    words: "profit in bps of turnover",
  },
  sharpe: {
    of: ({ ratios }) => ratios.sharpe?.value ?? null,
    goal: "maximise",
    words: "Sharpe ratio",
  },
  maxDrawdown: { of: ({ drawdown }) => drawdown.max, goal: "minimise", words: "largest fall" },
  fills: { of: ({ fills }) => fills.all.fills, goal: "maximise", words: "fills" },
  turnover: { of: ({ fills }) => fills.all.turnover, goal: "maximise", words: "turnover" },
  spread: { of: ({ profit }) => profit.spread, goal: "maximise", words: "from the spread" },
  adverseSelection: {
    of: ({ profit }) => profit.adverseSelection,
    goal: "maximise",
    words: "adverse selection",
  },
  inventory: { of: ({ profit }) => profit.inventory, goal: "maximise", words: "from the position" },
  fees: { of: ({ profit }) => profit.fees, goal: "maximise", words: "fees" },
  funding: { of: ({ profit }) => profit.funding, goal: "maximise", words: "funding" },
} as const satisfies Readonly<Record<string, FigureKind>>;

/** The name of a figure. */
export type FigureName = keyof typeof FIGURES;

/** Every figure, in the order of the table. */
export const FIGURE_NAMES = Object.keys(FIGURES) as [FigureName, ...FigureName[]];

/** All figures of one run. */
export type Figures = Readonly<Record<FigureName, FigureValue>>;

/** Extracts the figures of a report that a sweep keeps. */
export function extractFigures(report: Report): Figures {
  return Object.fromEntries(
    FIGURE_NAMES.map((name) => [name, FIGURES[name].of(report)]),
  ) as Figures;
}

/** The objective of a sweep: a figure, and its direction. */
export interface Objective {
  readonly figure: FigureName;
  readonly goal: Goal;
}

/**
 * Below zero where `a` is better than `b`, exactly. An undefined figure ranks behind all others.
 */
export function compareFigures(a: FigureValue, b: FigureValue, goal: Goal): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = new Decimal(a).comparedTo(new Decimal(b));
  return goal === "maximise" ? 0 - order : order;
}

/** The best of some items, the first of equals; undefined where there are none. */
export function findBest<Item>(
  items: readonly Item[],
  figureOf: (item: Item) => FigureValue,
  goal: Goal,
): Item | undefined {
  return items.reduce<Item | undefined>(
    (best, item) =>
      best === undefined || compareFigures(figureOf(item), figureOf(best), goal) < 0 ? item : best,
    undefined,
  );
}
