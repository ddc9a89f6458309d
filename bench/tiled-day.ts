import { BlockBuffer } from "#history/block-buffer.js";
import type { DayTape } from "#history/day-tape.js";
import type { Tape, TapeKind } from "#history/tape.js";
import { readFooter, TapeFileWriter } from "#history/tape-file.js";

const BLOCK_ROWS = 1 << 20;

/**
 * Writes a tape repeatedly, each time later, until a day has the given number of rows: the columns
 * of a busy day.
 */
export async function tiledDay(tape: Tape, rows: number, path: string): Promise<DayTape> {
  const writer = await TapeFileWriter.create(path);
  const buffer = new BlockBuffer(BLOCK_ROWS);
  const key = "a tiled day";
  const spanUs =
    (tape.exchangeUs[tape.messages - 1] as number) - (tape.exchangeUs[0] as number) + 1000;
  let [messages, written] = [0, 0];
  const flush = async (): Promise<void> => {
    const { firstUs, lastUs } = buffer;
    const { bytes, shape } = buffer.take();
    await writer.block(bytes, { ...shape, firstUs, lastUs });
  };
  for (let tile = 0; written < rows; tile++) {
    for (let at = 0; at < tape.messages && written < rows; at++) {
      if (buffer.isFull) await flush();
      const shiftUs = tile * spanUs;
      buffer.begin(
        tape.kind[at] as TapeKind,
        (tape.exchangeUs[at] as number) + shiftUs,
        (tape.localUs[at] as number) + shiftUs,
      );
      for (
        let row = at === 0 ? 0 : (tape.rowEnd[at - 1] as number);
        row < (tape.rowEnd[at] as number);
        row++
      ) {
        buffer.row(tape.signedTicks[row] as number, tape.lots[row] as number);
        written += 1;
      }
      messages += 1;
    }
  }
  await flush();
  await writer.finish({
    key,
    messages,
    rows: written,
    blockRows: BLOCK_ROWS,
    addedLocalNs: "0",
    beginsWhole: false,
    turns: [],
  });
  await writer.close();
  const footer = readFooter(path, key);
  if (footer === undefined) throw new Error(`${path} cannot be read back`);
  return { path, footer };
}
