import type { DayManifest } from "../history/store/day-manifest.js";

/** Most findings that are told of one series; the rest is counted. */
const MOST = 3;

/**
 * What the files of some days say is missing or odd within them, which shows in no gap: candles that are not there, breaks in a book's sequence.
 * A line each, of the first few.
 * @param known findings that are told elsewhere.
 */
export function describeDayFindings(
  { market, kind }: { readonly market: string; readonly kind: string },
  days: readonly Pick<DayManifest, "day" | "findings">[],
  known: readonly string[] = [],
): string[] {
  const found = days.flatMap(({ day, findings }) =>
    findings
      .filter((finding) => !known.includes(finding))
      .map((finding) => `${market} ${kind} ${day}: ${finding}`),
  );
  const more = found.length - MOST;
  return [
    ...found.slice(0, MOST),
    ...(more > 0 ? [`${market} ${kind}: and ${more} more (data list --days)`] : []),
  ];
}
