import { spanOf } from "../spans.js";
import type { HistoryStore } from "../store/history-store.js";
import { type DayTapeOptions, dayTape } from "./day-tape.js";
import { isLost } from "./lost-book.js";
import type { SourceDay } from "./source-day.js";
import { tapeDays } from "./tape-days.js";

/**
 * The days before a span whose book goes on in it, ascending: a capture over midnight tells the whole book once, on its first day, and what stood at the
 * span's beginning is known by playing it from there. None where the span's first day tells a whole book by then, or where what was told before was lost.
 * @param days of the span, ascending.
 * @param fromUs the span's beginning.
 * @throws HistoryError naming a file that is broken, or holds what columns cannot
 */
export async function daysBefore(
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
    if (before === undefined || isLost(first, before)) break;
    const [input] = tapeDays(store, market, spanOf(before.day), ["book", "trades"]).inputs;
    first = { input, tape: await dayTape(store, input, options) };
    found.unshift(first);
    byUs = Number.POSITIVE_INFINITY;
  }
  return found;
}

/** Whether a day says by an instant what the whole book is, or that it is lost. */
function tellsWhole({ tape: { footer } }: SourceDay, byUs: number): boolean {
  return footer.beginsWhole || footer.turns.some(({ atUs }) => atUs <= byUs);
}
