import type { MarketId } from "#core/units.js";
import type { MakerRun, MarketRun } from "./run-maker.js";

type Row = readonly string[];

const PARTS = ["spread", "inventory", "fees", "funding", "basis"] as const;

/** The tables of the runs as Markdown: of the account, and of each market if `withMarkets`. */
export function renderRuns(runs: readonly MakerRun[], withMarkets: boolean): string {
  const markets = withMarkets ? [...(runs[0]?.markets.keys() ?? [])] : [];
  return [accountTable(runs), ...markets.map((id) => marketTable(id, runs))].join("\n");
}

function accountTable(runs: readonly MakerRun[]): string {
  const rows = runs.map(({ seed, summary, largestFallQuote, halts }): Row => {
    const { pnlQuote, fills, ordersPlaced } = summary;
    return [
      `${seed}`,
      money(Number(pnlQuote.total)),
      ...PARTS.map((part) => money(Number(pnlQuote[part]))),
      money(largestFallQuote),
      `${ordersPlaced}`,
      `${fills}`,
      ratio(ordersPlaced, fills),
      halts.length === 0 ? "none" : halts.join(", "),
    ];
  });
  const totals = runs.map(({ summary }) => Number(summary.pnlQuote.total));
  const median = [...totals].sort((a, b) => a - b)[Math.floor((runs.length - 1) / 2)] ?? 0;
  const losing = runs.filter(({ summary }) => Number(summary.pnlQuote.total) < 0);
  return [
    table(
      ["seed", "profit", ...PARTS, "largest fall", "orders", "fills", "orders a fill", "halts"],
      rows,
    ),
    "",
    `Of ${runs.length} seeds ${losing.length} lost. The profit is ${money(Math.min(...totals))} to`,
    `${money(Math.max(...totals))} USDC, its lower median ${money(median)}.`,
    "",
  ].join("\n");
}

function marketTable(id: MarketId, runs: readonly MakerRun[]): string {
  const rows = runs.map(({ seed, markets }): Row => {
    const run = markets.get(id) as MarketRun;
    return [
      `${seed}`,
      `${run.buys}`,
      `${run.sells}`,
      run.volumeQuote.toFixed(0),
      money(run.profitQuote),
      amount(run.endBase),
      amount(run.largestBase),
      `${(100 * run.quotedFraction).toFixed(1)} %`,
    ];
  });
  return [
    `\`${id}\`:`,
    "",
    table(
      [
        "seed",
        "buys",
        "sells",
        "volume",
        "profit",
        "end position",
        "largest position",
        "both sides quoted",
      ],
      rows,
    ),
    "",
  ].join("\n");
}

function table(head: Row, rows: readonly Row[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function money(value: number): string {
  const text = value.toFixed(2);
  return Number(text) === 0 ? "0.00" : text;
}

function amount(value: number): string {
  return `${Number(value.toFixed(6))}`;
}

function ratio(orders: number, fills: number): string {
  return fills === 0 ? "" : (orders / fills).toFixed(1);
}
