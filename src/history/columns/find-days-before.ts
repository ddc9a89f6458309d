import { daySpan } from "../spans.js";
import type { HistoryStore } from "../store/history-store.js";
import { type DayTapeOptions, openDayTape } from "./day-tape.js";
import { isBookLost } from "./lost-book.js";
import type { SourceDay } from "./source-day.js";
import { tapeDays } from "./tape-days.js";

/**
 * The days before a span whose book goes on in it, ascending: a capture over midnight tells the whole book once, on its first day, and what stood at the
 * span's beginning is known by playing it from there. None where the span's first day tells a whole book by then, or where what was told before was lost.
 * @param days of the span, ascending.
 * @param fromUs the span's beginning.
 * @throws HistoryError naming a file that is broken, or holds what columns cannot
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

/** Whether a day says by an instant what the whole book is, or that it is lost. */
function tellsWhole({ tape: { footer } }: SourceDay, byUs: number): boolean {
  return footer.beginsWhole || footer.turns.some(({ atUs }) => atUs <= byUs);
}
