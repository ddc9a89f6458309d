import { daySpan } from "../spans.js";
import type { HistoryStore } from "../store/history-store.js";
import { type DayTapeOptions, openDayTape } from "./day-tape.js";
import { isBookLost } from "./lost-book.js";
import type { SourceDay } from "./source-day.js";
import { tapeDays } from "./tape-days.js";

/**
 * Finds the days before a span whose book continues into it, ascending. A capture over midnight
 * contains the whole book only once, on its first day. Playing the capture from there gives the
 * book at the beginning of the span.
 *
 * Returns no days if the span's first day has a whole book by then, or if the earlier book was
 * lost.
 * @param days of the span, ascending.
 * @param fromUs the span's beginning.
 * @throws HistoryError naming a file that is broken, or holds a value that columns cannot hold
 */
export async function findDaysBefore(
  store: HistoryStore,
  days: readonly SourceDay[],
  fromUs: number,
  options: DayTapeOptions,
): Promise<readonly SourceDay[]> {
  const found: SourceDay[] = [];
  let first = days.find(({ input }) => input.book !== undefined);
  let byUs = fromUs;
  while (first !== undefined && !tellsWhole(first, byUs)) {
    const { market, day } = first.input;
    const before = store.days({ market, kind: "book" }).findLast((manifest) => manifest.day < day);
    if (before === undefined || isBookLost(first, before)) break;
    const [input] = tapeDays(store, market, daySpan(before.day), ["book", "trades"]).inputs;
    first = { input, tape: await openDayTape(store, input, options) };
    found.unshift(first);
    byUs = Number.POSITIVE_INFINITY;
  }
  return found;
}

/** True if a day has a whole book, or a loss of it, by an instant. */
function tellsWhole({ tape: { footer } }: SourceDay, byUs: number): boolean {
  return footer.beginsWhole || footer.turns.some(({ atUs }) => atUs <= byUs);
}
