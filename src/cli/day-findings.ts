import type { DayManifest } from "../history/store/day-manifest.js";

/** Findings to list per series; the rest is counted. */
const MOST = 3;

/**
 * Describes missing or odd data within some days that shows in no gap: absent candles, breaks in a
 * book's sequence. One line each, for the first few.
 * @param known findings that are reported elsewhere.
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
