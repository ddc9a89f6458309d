import { HistoryError } from "../history-errors.js";
import { WHOLE_FROM_LEVEL } from "../kinds.js";
import { BlockBuffer } from "./block-buffer.js";
import type { DayLosses } from "./day-losses.js";
import type { DayRows } from "./day-rows.js";
import type { OrderOfAnInstant } from "./order-of-an-instant.js";
import { LEAST_TICKS, MOST_TICKS, TapeKind } from "./tape.js";
import type { TapeFileWriter, TapeFooter } from "./tape-file.js";

/**
 * Writes a day's book and trades as one recording: in the order of the exchange's clock.
 * @param order of what has one stamp there.
 * @param losses where the book is given up: at a break of its chain, and where it goes on without a snapshot after a time without any record.
 * @throws HistoryError naming the file, the row and the value that columns cannot hold
 */
export async function writeBlocks(
  writer: TapeFileWriter,
  book: DayRows | undefined,
  trades: DayRows | undefined,
  blockRows: number,
  order: OrderOfAnInstant,
  { breaksMs, resumesMs }: DayLosses,
): Promise<Pick<TapeFooter, "messages" | "rows" | "beginsWhole" | "turns">> {
  const buffer = new BlockBuffer(blockRows);
  let [messages, rows] = [0, 0];
  let beginsWhole: boolean | undefined;
  const turns: { atUs: number; isLoss: boolean }[] = [];
  let [breaks, resumes, heardUs] = [0, 0, Number.NEGATIVE_INFINITY];
  const lose = (us: number): void => {
    turns.push({ atUs: us, isLoss: true });
    // What was told before is not heard after it.
    buffer.begin(TapeKind.bookLost, us, Math.max(us, heardUs));
    wholeBook(buffer);
  };
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
    let beforeUs = Number.NEGATIVE_INFINITY;
    for (;;) {
      const hasBook = book?.isThere === true;
      const hasTrades = trades?.isThere === true;
      if (!hasBook && !hasTrades) break;
      if (buffer.isFull) await flush();
      const from = (hasBook && !(hasTrades && !(book as DayRows).isBefore(trades as DayRows, order)) ? book : trades) as DayRows;
      const { us, ns, seqHigh, seqLow, isSnapshot } = from;
      const breakUs = (breaksMs[breaks] ?? Number.POSITIVE_INFINITY) * 1000;
      if (breakUs <= us) {
        breaks += 1;
        beforeUs = Math.max(beforeUs, breakUs);
        lose(beforeUs);
        continue;
      }
      if (us < beforeUs)
        throw new HistoryError(from.file, "is not in the order of time", { value: us, expected: `${beforeUs} us or later` });
      beforeUs = us;
      if (from === trades) {
        buffer.begin(TapeKind.trade, us, from.localUs);
        if (from.isRefused) throw await from.refusal();
        buffer.row(from.signedTicks, from.lots);
        if (!from.step()) await from.fill();
        continue;
      }
      beginsWhole ??= isSnapshot;
      let hasResumed = false;
      for (; (resumesMs[resumes] ?? Number.POSITIVE_INFINITY) * 1000 <= us; resumes += 1) hasResumed = true;
      if (hasResumed && !isSnapshot) lose(us);
      if (isSnapshot && turns.at(-1)?.isLoss !== false) turns.push({ atUs: us, isLoss: false });
      heardUs = Math.max(heardUs, from.localUs);
      buffer.begin(isSnapshot ? TapeKind.bookSnapshot : TapeKind.bookUpdate, us, from.localUs);
      if (isSnapshot && from.level === WHOLE_FROM_LEVEL) wholeBook(buffer);
      let level = Number.NEGATIVE_INFINITY;
      do {
        if (from.isRefused) throw await from.refusal();
        const { signedTicks } = from;
        if (signedTicks !== 0) buffer.row(signedTicks, from.lots);
        level = from.level;
        if (!from.step()) await from.fill();
      } while (
        from.isThere &&
        from.us === us &&
        from.ns === ns &&
        from.seqHigh === seqHigh &&
        from.seqLow === seqLow &&
        from.isSnapshot === isSnapshot &&
        from.level > level
      );
    }
    if (buffer.messages > 0) await flush();
    return { messages, rows, beginsWhole: beginsWhole === true, turns };
  } finally {
    await book?.close();
    await trades?.close();
  }
}

/** A message with these rows replaces both sides to their ends, and not just as far as its levels reach. */
function wholeBook(buffer: BlockBuffer): void {
  buffer.row(LEAST_TICKS, 0);
  buffer.row(-MOST_TICKS, 0);
}
