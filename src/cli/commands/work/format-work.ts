import type { BenchmarkCost, WorkSummary } from "../../../bot/work/work-summary.js";
import { shellWord } from "../../../core/files/shell-word.js";
import { formatCount } from "../../../core/format-count.js";
import type { MarketId } from "../../../core/units.js";
import { instantText } from "../../../history/day.js";
import { formatBase, formatSignedQuote } from "../../control/amount-text.js";
import { table } from "../../process/output.js";
import type { WorkOptions } from "./work-options.js";

/** Options that are repeated as they were typed. */
const REPEATED = {
  style: "--style",
  taker: "--taker",
  slices: "--slices",
  participation: "--participation",
  riskAversion: "--risk-aversion",
  volatilityBps: "--volatility-bps",
} as const satisfies Partial<Record<keyof WorkOptions, string>>;

/** Duration proposed for the rest of a work whose end was a time that has passed. */
const NEXT_BY = "10m";

/**
 * Formats a work for a person.
 * @param goOn the command that works the rest; undefined if nothing is left
 * @param resume the command that has to end a halt before it; undefined without one
 */
export function formatWork(
  work: WorkSummary,
  goOn: string | undefined,
  resume?: string | undefined,
): string {
  const { side, baseAsset, quoteAsset, fills, averagePriceQuote, feesBps, makerShare } = work;
  const seconds = ((work.endedAtMs - work.startedAtMs) / 1000).toFixed(1);
  const done = side === null ? "held" : side === "BUY" ? "bought" : "sold";
  const lines: string[][] = [
    [
      "work",
      side === null
        ? `${work.marketId}: the target was held already`
        : `${work.marketId}: ${done} ${work.filledBase} ${baseAsset ?? "base"} in ${seconds} s; ${work.reason}`,
    ],
    ["position", `${work.startBase} to ${work.endBase ?? "unknown"}, target ${work.targetBase}`],
  ];
  if (averagePriceQuote !== null)
    lines.push([
      "price",
      `${averagePriceQuote} on average in ${formatCount(fills, "fill")}, ${percent(makerShare)} as maker, fees ${formatSignedQuote(work.feesQuote, quoteAsset)} (${bps(feesBps)})`,
    ]);
  for (const [name, cost] of [
    ["arrival mid", work.arrival],
    ["TWAP", work.twap],
    ["VWAP", work.vwap],
  ] as const)
    if (cost !== null) lines.push(["cost", costText(name, cost, quoteAsset)]);
  if (resume !== undefined) lines.push(["resume", `${resume} (the halt lasts until then)`]);
  if (goOn !== undefined) lines.push(["go on", goOn]);
  return table(lines);
}

/**
 * Formats the rest of a work, and the command that goes on with it.
 * @param resume the command that has to end a halt before; undefined without one
 */
export function formatWorkLeft(
  work: WorkSummary | undefined,
  marketId: MarketId,
  command: string,
  resume: string | undefined,
): string {
  const next =
    resume === undefined
      ? `go on with ${command}`
      : `the halt lasts until ${resume}; then go on with ${command}`;
  if (work === undefined) return `nothing of ${marketId} was traded; ${next}`;
  const left =
    work.leftBase === null ? "an unknown amount" : formatBase(work.leftBase, work.baseAsset);
  return `${work.filledBase} of ${marketId} is filled, ${left} is left; ${next}`;
}

/**
 * The command that works the rest: to the same end if it is still to come, and within the same
 * worst price.
 */
export function continueCommand(
  file: string,
  marketId: MarketId,
  options: WorkOptions,
  work: WorkSummary | undefined,
): string {
  const isOver = work !== undefined && work.byMs !== null && work.endedAtMs >= work.byMs;
  const isDuration = /[a-z]$/.test(options.by);
  const by =
    work?.byMs === undefined || work.byMs === null || isOver
      ? isOver && !isDuration
        ? NEXT_BY
        : options.by
      : instantText(work.byMs);
  const bound =
    work?.worstPriceQuote === undefined || work.worstPriceQuote === null
      ? [
          ["--limit-price", options.limitPrice],
          ["--max-slippage-bps", options.maxSlippageBps],
        ]
      : [["--limit-price", work.worstPriceQuote]];
  const repeated = Object.entries(REPEATED).map(([name, option]) => [
    option,
    options[name as keyof typeof REPEATED],
  ]);
  const rest = [...bound, ...repeated].flatMap(([option, value]) =>
    value === undefined ? [] : [`${option} ${value}`],
  );
  return [
    `npx marketwright work ${shellWord(file)} --market ${marketId} --target ${options.target} --by ${by}`,
    ...rest,
  ].join(" ");
}

function costText(
  name: string,
  { priceQuote, costQuote, costBps }: BenchmarkCost,
  asset: string | null,
): string {
  return `${formatSignedQuote(costQuote, asset)}, ${bps(costBps)} against ${name} ${priceQuote}`;
}

function bps(value: number | null): string {
  return value === null ? "unknown" : `${value > 0 ? "+" : ""}${value.toFixed(2)} bps`;
}

function percent(share: number | null): string {
  return share === null ? "unknown" : `${(share * 100).toFixed(0)} %`;
}
