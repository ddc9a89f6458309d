import { BookContinuity } from "../book-continuity.js";
import type { TieBreak } from "../choose-tie-break.js";
import type { DayBookBreaks } from "../day-book-breaks.js";
import type { DayRows } from "../day-rows.js";
import { BlockBuffer } from "./block-buffer.js";
import { TapeKind } from "./tape.js";
import type { TapeFileWriter, TapeFooter } from "./tape-file.js";

/**
 * Writes a day's book and trades as one recording, in the order of the exchange's clock.
 * @param order the rule for equal exchange stamps.
 * @param losses where the book is lost: at breaks of its chain, and where it continues without a
 * snapshot after a time without records.
 * @throws HistoryError naming the file, the row and the value that columns cannot hold
 */
export async function writeBlocks(
  writer: TapeFileWriter,
  book: DayRows | undefined,
  trades: DayRows | undefined,
  blockRows: number,
  order: TieBreak,
  losses: DayBookBreaks,
): Promise<Pick<TapeFooter, "messages" | "rows" | "beginsWhole" | "turns">> {
  const buffer = new BlockBuffer(blockRows);
  const course = new BookContinuity(buffer, losses);
  let [messages, rows] = [0, 0];
  const flush = async (): Promise<void> => {
    const { firstUs, lastUs } = buffer;
    const { bytes, shape } = buffer.take();
    messages += shape.messages;
    rows += shape.rows;
    await writer.block(bytes, { ...shape, firstUs, lastUs });
  };
  try {
    await book?.fill();
    await trades?.fill();
    for (
      let from = nextOf(book, trades, order);
      from !== undefined;
      from = nextOf(book, trades, order)
    ) {
      if (buffer.isFull) await flush();
      if (course.applyBreakBefore(from.us)) continue;
      course.advanceTo(from);
      if (from === trades) buffer.begin(TapeKind.trade, from.us, from.localUs);
      else course.beginMessage(from);
      const { us, ns, seqHigh, seqLow, isSnapshot } = from;
      let level: number;
      do {
        if (from.isRefused) throw await from.refusalError();
        const { signedTicks } = from;
        if (signedTicks !== 0) buffer.row(signedTicks, from.lots);
        level = from.level;
        if (!from.step()) await from.fill();
      } while (
        from !== trades &&
        from.hasRow &&
        from.us === us &&
        from.ns === ns &&
        from.seqHigh === seqHigh &&
        from.seqLow === seqLow &&
        from.isSnapshot === isSnapshot &&
        from.level > level
      );
    }
    if (buffer.messages > 0) await flush();
    return { messages, rows, beginsWhole: course.beginsWhole, turns: course.turns };
  } finally {
    await book?.close();
    await trades?.close();
  }
}

/**
 * The rows, of the book or the trades, whose current one comes next; undefined when both are at
 * their end.
 */
function nextOf(
  book: DayRows | undefined,
  trades: DayRows | undefined,
  order: TieBreak,
): DayRows | undefined {
  if (book?.hasRow !== true) return trades?.hasRow === true ? trades : undefined;
  return trades?.hasRow === true && !book.isBefore(trades, order) ? trades : book;
}
