import type { Report } from "#backtest/report-schema.js";
import { wrapped } from "../interface/markdown.js";
import { labelOf, type StrategyResult } from "./try-strategies.js";

/** Horizons of the table's markouts, in seconds. */
const MARKOUT_SECONDS = [1, 10];
/** Columns of a page, and the indent of an item's further lines. */
const COLUMNS = 100;
const INDENT = "   ";

/** A row for each result, and the doubts that its last column numbers. */
export function resultsTable(results: readonly StrategyResult[]): string {
  const doubts = new NumberedTexts();
  const head = [
    "capture",
    "strategy",
    "fills",
    "turnover",
    "profit",
    "bps of turnover",
    "largest fall",
    ...MARKOUT_SECONDS.map((seconds) => `markout ${seconds} s, bps`),
    "read first",
  ];
  const rows = results.map((result, at) => {
    const name = result.capture.name;
    const isFirst = results[at - 1]?.capture.name !== name;
    return [isFirst ? name : "", labelOf(result), ...cellsOf(result, doubts)];
  });
  return [
    `| ${head.join(" | ")} |`,
    `|${head.map((_, at) => (at < 2 ? "---|" : "---:|")).join("")}`,
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
    "",
    ...doubts.texts.map((text, at) =>
      wrapped(`${at + 1}. ${text}`, COLUMNS - INDENT.length).replaceAll("\n", `\n${INDENT}`),
    ),
  ].join("\n");
}

function cellsOf(result: StrategyResult, doubts: NumberedTexts): readonly string[] {
  const { report } = result;
  if (report === undefined)
    return ["", "", "", "", "", ...MARKOUT_SECONDS.map(() => ""), "no reference price"];
  const { fills, profit, ratios, drawdown } = report;
  return [
    `${fills.all.fills}`,
    wholeQuote(fills.all.turnover),
    Number(profit.total).toFixed(2),
    ratios.profitPerTurnoverBps === null ? "" : ratios.profitPerTurnoverBps.toFixed(2),
    Number(drawdown.max).toFixed(2),
    ...MARKOUT_SECONDS.map((seconds) => markoutText(result, report, seconds)),
    warningsOf(report)
      .map((text) => doubts.numberOf(text))
      .join(", "),
  ];
}

function wholeQuote(exact: string): string {
  return Math.round(Number(exact)).toString();
}

/** Mean markout of all fills with its 95 % band, in basis points of the capture's first price. */
function markoutText(
  { capture }: StrategyResult,
  { isIndicative, markets, markoutSeconds }: Report,
  seconds: number,
): string {
  // Within a candle nobody knows when its prices were.
  if (isIndicative) return "";
  const all = markets[0]?.markouts.find(({ side, level }) => side === "BOTH" && level === "ALL");
  const horizon = all?.horizons[markoutSeconds.indexOf(seconds)];
  if (horizon === undefined || horizon === null) return "";
  const bpsPerTick = (10_000 * Number(capture.tickSizeQuote)) / capture.firstPrice;
  const mean = (horizon.meanTicks * bpsPerTick).toFixed(2);
  const { halfBandTicks } = horizon;
  return halfBandTicks === null ? mean : `${mean} ± ${(halfBandTicks * bpsPerTick).toFixed(2)}`;
}

/** Counts of one run, which would make a doubt of its own of each. */
const COUNTS = /(most of its fills are ambiguous), .*/;

/** Reasons to doubt a run, which a reader needs before its profit. */
function warningsOf(report: Report): readonly string[] {
  const indicative = report.isIndicative ? ["played on candles: the fills are a guess"] : [];
  const ended = report.reason === null ? [] : [report.reason];
  return [...report.worthless, ...ended, ...indicative, ...report.doubts].map((text) =>
    text.replace(/^market: /, "").replace(COUNTS, "$1"),
  );
}

/** Texts in the order in which they first came, counted from 1. */
class NumberedTexts {
  readonly texts: string[] = [];

  numberOf(text: string): number {
    const at = this.texts.indexOf(text);
    return at >= 0 ? at + 1 : this.texts.push(text);
  }
}
