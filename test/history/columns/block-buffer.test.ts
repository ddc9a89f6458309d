import { expect, it } from "vitest";
import { BlockBuffer } from "#history/block-buffer.js";
import { blockColumns } from "#history/block-layout.js";
import { TapeKind } from "#history/tape.js";

// A row that is lost here is a level or a trade that no backtest sees.
it("a block keeps every message and row, though its memory grows", () => {
  const messages = 5_000;
  const buffer = new BlockBuffer(1 << 13);
  for (let at = 0; at < messages; at++) {
    buffer.begin(at % 3 === 0 ? TapeKind.trade : TapeKind.bookUpdate, at, at + 7);
    for (let row = 0; row <= at % 2; row++) buffer.row(at - row, at + row + 1);
  }
  expect(buffer.isFull).toBe(false);
  const { bytes, shape } = buffer.take();
  expect(shape).toEqual({ messages, rows: 7_500, hasByLocal: false, isWide: false });
  const columns = blockColumns(bytes.buffer as ArrayBuffer, shape);
  let from = 0;
  for (let at = 0; at < messages; at++) {
    const to = columns.rowEnd[at] ?? 0;
    expect([columns.exchangeUs[at], columns.localUs[at], columns.kind[at], to - from]).toEqual([
      at,
      at + 7,
      at % 3 === 0 ? TapeKind.trade : TapeKind.bookUpdate,
      1 + (at % 2),
    ]);
    expect([columns.signedTicks[to - 1], columns.lots[to - 1]]).toEqual([
      at - (at % 2),
      at + (at % 2) + 1,
    ]);
    from = to;
  }
});
