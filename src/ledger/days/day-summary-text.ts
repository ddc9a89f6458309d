import { Decimal } from "decimal.js";
import { toPlainLine } from "../../core/plain-line.js";
import type { DaySummary, MarketSummary, ProfitTexts } from "./day-summary.js";

/** Most halts and causes that the text names. */
const MOST = 5;

const PARTS = [
  "spread",
  "inventory",
  "fees",
  "funding",
  "basis",
  "liquidation",
  "failed",
  "other",
] as const satisfies readonly (keyof ProfitTexts)[];

/** A day's summary as lines of text for a person, such as a message; money to two decimals. */
export function formatDaySummary(summary: DaySummary): string {
  const { day, from, to, quoteAsset, equity, profit, fills, volume, fees, drawdown } = summary;
  const asset = quoteAsset === "" ? "" : ` ${quoteAsset}`;
  const lines = [
    `${day}, ${from.slice(11, 19)} to ${to.startsWith(day) ? to.slice(11, 19) : "24:00:00"} UTC`,
    `profit ${signed(profit.total)}${asset}: ${partsText(profit)}`,
    `equity ${money(equity.start)} to ${money(equity.end)}${asset}, deepest drawdown ${money(drawdown)}`,
    `fills ${fills}, volume ${money(volume)}, fees ${new Decimal(fees).isNegative() ? `${money(fees.slice(1))} received` : `${money(fees)} paid`}, funding ${signed(profit.funding)}`,
    ...beside(summary, asset),
    ...summary.markets.map(marketLine),
    ...haltLines(summary),
    ...summary.gaps.slice(0, MOST).map((gap) => `${gap.cause} from ${gap.from} to ${gap.to}`),
  ];
  return `${lines.join("\n")}\n`;
}

function beside(
  { transfers, unattended, underWay, hedgeProfit, settlementFailures, liquidations }: DaySummary,
  asset: string,
): string[] {
  const amounts: readonly (readonly [string, string | null])[] = [
    ["deposits less withdrawals", transfers],
    ["changed while no bot ran", unattended],
    ["under way", underWay],
    ["hedges since their start", hedgeProfit],
  ];
  return [
    ...amounts
      .filter(([, amount]) => amount !== null && !new Decimal(amount).isZero())
      .map(([name, amount]) => `${name} ${signed(amount ?? "0")}${asset}`),
    ...(settlementFailures === 0 ? [] : [`settlement failures ${settlementFailures}`]),
    ...(liquidations === 0 ? [] : [`liquidations ${liquidations}`]),
  ];
}

function marketLine(market: MarketSummary): string {
  const { marketId, profit, fills, position, uptime, down, markouts } = market;
  const causes = down
    .slice(0, MOST)
    .map(({ cause, seconds }) => `${cause} ${durationText(seconds)}`)
    .join(", ");
  const last = markouts.find(({ horizonSeconds }) => horizonSeconds === 10) ?? markouts.at(-1);
  const markout =
    last === undefined
      ? ""
      : `, markout after ${last.horizonSeconds} s ${last.bps > 0 ? "+" : ""}${last.bps.toFixed(2)} bps`;
  return `${marketId}: profit ${signed(profit.total)}, ${fills} fills, position ${position ?? "not known"}${markout}, both sides ${(100 * uptime.both).toFixed(1)} %${causes === "" ? "" : ` (not: ${causes})`}`;
}

/** The halts in force and the longest ones, in order of time: those of each start are short. */
function haltLines({ halts }: DaySummary): string[] {
  const longest = [...halts].sort((one, other) => rankHalt(other) - rankHalt(one)).slice(0, MOST);
  const shown = halts
    .filter((halt) => longest.includes(halt))
    .map(
      ({ name, marketId, why, from, to, seconds }) =>
        `halt ${name}${marketId === null ? "" : ` of ${marketId}`} at ${from.slice(11, 19)} for ${durationText(seconds)}${to === null ? ", in force" : ""}: ${toPlainLine(why)}`,
    );
  return halts.length <= MOST ? shown : [...shown, `${halts.length - MOST} shorter halts`];
}

function rankHalt({ to, seconds }: DaySummary["halts"][number]): number {
  return to === null ? Number.POSITIVE_INFINITY : seconds;
}

function partsText(profit: ProfitTexts): string {
  const parts = PARTS.filter((part) => !new Decimal(profit[part]).isZero());
  return parts.length === 0
    ? "no part"
    : parts.map((part) => `${part} ${signed(profit[part])}`).join(", ");
}

function signed(text: string): string {
  const value = new Decimal(text);
  return `${value.isPositive() && !value.isZero() ? "+" : ""}${value.toFixed(2)}`;
}

function money(text: string): string {
  return new Decimal(text).toFixed(2);
}

function durationText(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${(seconds / 60).toFixed(1)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
