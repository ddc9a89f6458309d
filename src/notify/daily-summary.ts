import { Decimal } from "decimal.js";
import { z } from "zod";
import { formatCount } from "../core/format-count.js";
import type { Ms } from "../core/units.js";
import type { Notice } from "./notice.js";

/** The schema of a {@link DayState}. */
export const dayStateSchema = z.object({
  /** Local date of the last summary. */
  date: z.string().optional(),
  sinceMs: z.number().optional(),
  fills: z.record(z.string(), z.object({ count: z.int(), quote: z.string() })).default({}),
  /** Number of halts by their reason. */
  halts: z.record(z.string(), z.int()).default({}),
  /** The profit of the run when the last summary was made. */
  pnl: z.object({ startedAtMs: z.number(), parts: z.record(z.string(), z.string()) }).optional(),
});

/** Counts since the last summary, and the profit at that time. */
export type DayState = z.output<typeof dayStateSchema>;

const statusSchema = z.object({
  startedAtMs: z.number(),
  equityQuote: z.string().optional(),
  quoteAsset: z.string().nullable(),
  pnlQuote: z.record(z.string(), z.string()),
  pnlTotalQuote: z.string(),
  drawdownQuote: z.string().optional(),
});

/** Most reasons of halts, and most markets, that a summary names. */
const MOST_NAMED = 8;

/** When a summary is due, by the settings of the file. */
export interface SummaryTime {
  readonly dailySummaryAt?: string | undefined;
  readonly timeZone: string;
}

/** True if the summary of this local day is due. The first day only counts. */
export function isSummaryDue(day: DayState, { dailySummaryAt, timeZone }: SummaryTime, nowMs: Ms) {
  if (dailySummaryAt === undefined) return false;
  const { date, time } = localTime(nowMs, timeZone);
  if (day.date === undefined) day.date = time < dailySummaryAt ? "" : date;
  return day.date !== date && time >= dailySummaryAt;
}

/** Counts an event for the next summary. */
export function countForSummary(day: DayState, notice: Notice): void {
  const { kind, marketId = "account", cause, volumeQuote = "0" } = notice;
  if (kind === "halt" && cause !== undefined) day.halts[cause] = (day.halts[cause] ?? 0) + 1;
  if (kind !== "fill") return;
  const { count, quote } = day.fills[marketId] ?? { count: 0, quote: "0" };
  day.fills[marketId] = { count: count + 1, quote: new Decimal(quote).add(volumeQuote).toFixed() };
}

/**
 * Makes the summary, and begins the next day.
 * @param status the bot's status; undefined if it does not run
 */
export function makeSummary(
  day: DayState,
  status: unknown,
  { timeZone }: SummaryTime,
  nowMs: Ms,
): Notice {
  const read = statusSchema.safeParse(status);
  const bot = read.success ? read.data : undefined;
  const lines = [
    ...(bot === undefined
      ? ["the bot does not run: its profit is not known"]
      : profitTexts(day, bot)),
    fillsText(day, bot?.quoteAsset ?? ""),
    haltsText(day),
  ];
  const { date } = localTime(nowMs, timeZone);
  const pnl = bot === undefined ? day.pnl : { startedAtMs: bot.startedAtMs, parts: partsOf(bot) };
  Object.assign(day, dayStateSchema.parse({ date, sinceMs: nowMs, pnl }));
  const title = "summary of the day";
  return { atMs: nowMs, severity: "info", kind: "summary", title, text: lines.join("; ") };
}

type Status = z.output<typeof statusSchema>;

function partsOf({ pnlQuote, pnlTotalQuote }: Status): Record<string, string> {
  return { ...pnlQuote, total: pnlTotalQuote };
}

function profitTexts(day: DayState, bot: Status): readonly string[] {
  const { equityQuote, quoteAsset, drawdownQuote, startedAtMs } = bot;
  const asset = quoteAsset === null ? "" : ` ${quoteAsset}`;
  const earlier = day.pnl?.startedAtMs === startedAtMs ? day.pnl.parts : {};
  const signed = (name: string, value: string): string => {
    const change = new Decimal(value).sub(earlier[name] ?? "0");
    return `${change.isNegative() ? "" : "+"}${change.toFixed(2)}`;
  };
  const { total = "0", ...parts } = partsOf(bot);
  const named = Object.entries(parts)
    .filter(([name, value]) => !new Decimal(value).eq(earlier[name] ?? "0"))
    .map(([name, value]) => `${name} ${signed(name, value)}`);
  const since = day.pnl?.startedAtMs === startedAtMs ? "" : " since the bot's start";
  const split = named.length === 0 ? "" : ` (${named.join(", ")})`;
  return [
    `profit${since} ${signed("total", total)}${asset}${split}`,
    ...(equityQuote === undefined ? [] : [`equity ${new Decimal(equityQuote).toFixed(2)}${asset}`]),
    ...(drawdownQuote === undefined
      ? []
      : [`drawdown ${new Decimal(drawdownQuote).toFixed(2)}${asset}`]),
  ];
}

function fillsText({ fills }: DayState, asset: string): string {
  const markets = Object.entries(fills);
  if (markets.length === 0) return "no fills";
  const named = markets
    .slice(0, MOST_NAMED)
    .map(([marketId, { count, quote }]) =>
      `${marketId} ${formatCount(count, "fill")}, ${new Decimal(quote).toFixed(2)} ${asset}`.trimEnd(),
    );
  const more = markets.length - named.length;
  return `volume: ${named.join(", ")}${more > 0 ? ` and ${formatCount(more, "market")} more` : ""}`;
}

function haltsText({ halts }: DayState): string {
  const causes = Object.entries(halts).sort(([, one], [, other]) => other - one);
  if (causes.length === 0) return "no halts";
  const named = causes.slice(0, MOST_NAMED).map(([cause, count]) => `${cause} ${count}`);
  return `halts: ${named.join(", ")}`;
}

/** The date and the time of day, to the minute. */
function localTime(nowMs: Ms, timeZone: string): { readonly date: string; readonly time: string } {
  const text = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "short",
  }).format(nowMs);
  const [date = "", time = ""] = text.split(" ");
  return { date, time };
}
