import { z } from "zod";
import { describeThrown } from "../core/describe-thrown.js";
import { DAY_MS, type Ms } from "../core/units.js";
import type { Notice } from "./notice.js";

/** After midnight (UTC), time for the bot's last record of the day. */
const RECORDED_AFTER_MS: Ms = 60_000;

/** The schema of a {@link DayState}. */
export const dayStateSchema = z.object({
  /** Local date of the last summary. */
  date: z.string().optional(),
});

/** The part of the sender's state that its summaries need. */
export type DayState = z.output<typeof dayStateSchema>;

/** When a summary is due, by the settings of the file. */
export interface SummaryTime {
  readonly dailySummaryAt?: string | undefined;
  readonly timeZone: string;
}

/** True, once a local day, if its summary is due. No summary is due on the first day after it. */
export function isSummaryDue(
  day: DayState,
  { dailySummaryAt, timeZone }: SummaryTime,
  nowMs: Ms,
): boolean {
  if (dailySummaryAt === undefined) return false;
  const { date, time } = localTime(nowMs, timeZone);
  if (day.date === undefined) day.date = time < dailySummaryAt ? "" : date;
  if (day.date === date || time < dailySummaryAt || nowMs % DAY_MS < RECORDED_AFTER_MS)
    return false;
  day.date = date;
  return true;
}

/**
 * Makes the summary of the last UTC day that is over, as `report --daily` prints it.
 * @param summarise returns the lines of a day, such as 2026-11-27; rejects if there are none
 */
export async function makeSummary(
  summarise: (day: string) => Promise<string>,
  nowMs: Ms,
): Promise<Notice> {
  const { date: day } = localTime(nowMs - DAY_MS, "UTC");
  const about = { atMs: nowMs, severity: "info", kind: "summary" } as const;
  try {
    return { ...about, title: "summary of the day", text: await summarise(day) };
  } catch (error) {
    return { ...about, title: `no summary of ${day}`, text: describeThrown(error) };
  }
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
