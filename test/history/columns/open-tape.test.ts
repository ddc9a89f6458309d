import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import { BookState } from "#history/book-state.js";
import { HistoryError } from "#history/history-errors.js";
import { HistoryStore } from "#history/history-store.js";
import { joinTapes, type OpenTapesOptions, openTapes } from "#history/open-tapes.js";
import { type Tape, TapeKind } from "#history/tape.js";
import { openTape } from "../open-tape.js";
import { fileOf, scratchFolder, take } from "../scratch.js";
import {
  ALL,
  Capture,
  contents,
  MARKET,
  START_MS,
  STEPS,
  seededCapture,
  tapeFiles,
} from "./capture.js";

describe("A tape opened from the store", () => {
  it("equals the recording: both days, books and trades in one order, with both clocks", async () => {
    const capture = seededCapture();
    const store = await capture.stored();
    const tape = await openTape(store, MARKET, ALL);
    expect(contents(tape)).toEqual(contents(capture.builder.build()));
    expect(tape.signedTicks.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(tapeFiles(store)).toHaveLength(2);
  });

  it("is the same however small its pieces are, and the book and both clocks continue from piece to piece", async () => {
    const capture = seededCapture();
    const store = await capture.stored();
    const source = await openTapes(store, MARKET, { ...ALL, blockRows: 7 });
    let [pieces, messages] = [0, 0];
    const standing = new BookState();
    for await (const tape of source) {
      pieces += 1;
      messages += tape.messages;
      expect(tape.rows).toBeLessThan(7 + 7);
      standing.play(tape, tape.messages);
      // A released tape lends its memory to a later one; earlier results must not depend on it.
      source.release(tape);
    }
    const whole = capture.builder.build();
    const all = new BookState();
    all.play(whole, whole.messages);
    expect([standing.knownRows(), standing.rowsBeyondKnown()]).toEqual([
      all.knownRows(),
      all.rowsBeyondKnown(),
    ]);
    expect({ messages, several: pieces > 20 }).toEqual({ messages: whole.messages, several: true });
    expect(contents(await joinTapes(source))).toEqual(contents(whole));
  });

  it("begins in the middle of a day with the current book, received no earlier than its last part", async () => {
    const store = await new Capture()
      .book(
        "snapshot",
        START_MS,
        [
          [1000, 5],
          [999, 6],
        ],
        [[1010, 7]],
      )
      .book("update", START_MS + 10, [[999, 0]], [[1011, 8]], 40_000)
      .trade(START_MS + 20, "BUY", [1010, 1])
      .book("update", START_MS + 30, [[1001, 9]], [], 60_000)
      .stored();
    const fromUs = (START_MS + 15) * 1000;
    const tape = await openTape(store, MARKET, { ...ALL, fromUs });
    // The snapshot reaches as far as the earlier one did; levels reported beyond it come along.
    expect([...tape.kind]).toEqual([
      TapeKind.bookSnapshot,
      TapeKind.bookUpdate,
      TapeKind.trade,
      TapeKind.bookUpdate,
    ]);
    expect([...tape.rowEnd]).toEqual([3, 4, 5, 6]);
    expect([...tape.signedTicks]).toEqual([1000, 999, -1010, -1011, 1010, 1001]);
    expect([...tape.lots]).toEqual([5, 0, 7, 8, 1, 9]);
    expect([...tape.exchangeUs]).toEqual([fromUs, fromUs, fromUs + 5000, fromUs + 15_000]);
    expect([...tape.localUs]).toEqual([
      fromUs + 35_000,
      fromUs + 35_000,
      fromUs + 5500,
      fromUs + 75_000,
    ]);
    expect([...(tape.byLocal ?? [])]).toEqual([2, 0, 1, 3]);
  });

  // The window of a sweep may begin where a block of the day does, as at midnight. Only the initial
  // book precedes it, in two messages.
  it("has room for the initial book if a block of the columns begins with the span", async () => {
    const store = await new Capture()
      .book("snapshot", START_MS, [[1000, 5]], [[1010, 7]])
      .book("update", START_MS + 10, [[990, 3]], [[1020, 8]])
      .book("update", START_MS + 20, [[1001, 9]], [])
      .stored();
    const tape = await openTape(store, MARKET, {
      ...ALL,
      blockRows: 4,
      fromUs: (START_MS + 20) * 1000,
    });
    expect([...tape.kind]).toEqual([
      TapeKind.bookSnapshot,
      TapeKind.bookUpdate,
      TapeKind.bookUpdate,
    ]);
    expect([...tape.signedTicks]).toEqual([1000, -1010, 990, -1020, 1001]);
    expect([...tape.rowEnd]).toEqual([2, 4, 5]);
  });

  // A decision in a quiet second needs that book: a history truncated after it must not look as if
  // there were none.
  it("has the initial book even if the span has no messages, received as in a longer span", async () => {
    const store = await new Capture()
      .book("snapshot", START_MS, [[1000, 5]], [[1010, 7]], 40_000)
      .book("update", START_MS + 30, [[1001, 9]], [], 1_000)
      .stored();
    const fromUs = (START_MS + 15) * 1000;
    const whole = await openTape(store, MARKET, { ...ALL, fromUs });
    const quiet = await openTape(store, MARKET, { ...ALL, fromUs, toUs: fromUs + 1 });
    expect([...quiet.kind]).toEqual([TapeKind.bookSnapshot]);
    expect([...quiet.signedTicks]).toEqual([1000, -1010]);
    // The update overtook it, so it was received by then.
    expect([quiet.localUs[0], whole.localUs[0]]).toEqual([fromUs + 16_000, fromUs + 16_000]);
  });

  it("holds amounts beyond 32 bits, by day and by piece, and if only the initial book has them", async () => {
    const [many, most] = [2 ** 32, 9_007_199_254_740_000];
    const capture = new Capture()
      .book("snapshot", START_MS, [[1000, 2 ** 32 - 1]], [[1010, 7]])
      .trade(START_MS + 5, "BUY", [1010, 1])
      .book("update", START_MS + 10, [[999, many]], [[1011, most]])
      .trade(START_MS + 20, "BUY", [1010, many + 1])
      .trade(START_MS + 2000, "SELL", [1000, 3]);
    const store = await capture.stored();
    const whole = await openTape(store, MARKET, ALL);
    expect(contents(whole)).toEqual(contents(capture.builder.build()));
    expect([...whole.lots]).toEqual([2 ** 32 - 1, 7, 1, many, most, many + 1, 3]);
    const pieces: (readonly [wide: boolean, lots: number[]])[] = [];
    const source = await openTapes(store, MARKET, { ...ALL, blockRows: 2 });
    for await (const tape of source) {
      pieces.push([tape.lots instanceof Float64Array, [...tape.lots]]);
      source.release(tape);
    }
    expect(pieces).toEqual([
      [false, [2 ** 32 - 1, 7]],
      [true, [1, many, most]],
      [true, [many + 1]],
      [false, [3]],
    ]);
    const last = await openTape(store, MARKET, {
      ...ALL,
      blockRows: 2,
      fromUs: (START_MS + 30) * 1000,
    });
    expect([...last.lots]).toEqual([2 ** 32 - 1, 7, many, most, 3]);
  });

  it("ends before the requested end", async () => {
    const store = await seededCapture().stored();
    const whole = await openTape(store, MARKET, ALL);
    const toUs = (START_MS + 400) * 1000;
    const tape = await openTape(store, MARKET, { ...ALL, toUs });
    const messages = whole.exchangeUs.findIndex((us) => us >= toUs);
    expect(tape.messages).toBe(messages);
    expect(tape.exchangeUs).toEqual(whole.exchangeUs.subarray(0, messages));
  });

  it("names the gaps of the store in the span", async () => {
    const store = await new Capture()
      .trade(START_MS, "BUY", [1000, 1])
      .trade(START_MS + 100, "BUY", [1000, 1])
      .stored();
    const span = { fromUs: (START_MS - 50) * 1000, toUs: (START_MS + 200) * 1000 };
    const { gaps } = await openTapes(store, MARKET, { ...STEPS, ...span });
    expect(gaps).toEqual([
      { kind: "trades", span: [START_MS - 50, START_MS] },
      { kind: "trades", span: [START_MS + 101, START_MS + 200] },
    ]);
    await expect(openTape(store, MARKET, { ...STEPS, fromUs: 0, toUs: 1e9 })).rejects.toThrow(
      ConfigError,
    );
    await expect(openTape(store, "ethusdt", ALL)).rejects.toThrow(
      /ethusdt: has no book and no trades at that time.*a market of the store: btcusdt/,
    );
  });

  it("is not built beside broken marks, whose stamps show the lag of the clock: the whole day would be received at another time", async () => {
    const capture = seededCapture();
    const store = await capture.stored();
    const marks = `${JSON.stringify({ time: START_MS, markPrice: "100.5", line: 9001, recvTimeNs: `${START_MS}000900` })}\n`;
    await take(store, [fileOf(scratchFolder(), "marks.ndjson", marks)]);
    const path = store.dataPath({ market: MARKET, kind: "marks" }, "2024-08-08");
    const bytes = readFileSync(path);
    bytes[20] = (bytes[20] as number) ^ 1;
    writeFileSync(path, bytes);
    await expect(openTape(store, MARKET, ALL)).rejects.toThrow(
      /marks\/2024-08-08\.parquet: is broken: its checksum differs/,
    );
  });

  it("gives rows without a local stamp the requested latency", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    await take(
      store,
      [
        fileOf(
          folder,
          "t.csv",
          `id,price,amount,time,isBuyerMaker\n1,100.1,0.002,${START_MS},true\n`,
        ),
      ],
      {
        shape: "trades",
      },
    );
    const tape = await openTape(store, MARKET, { ...ALL, baseLatencyUs: 1500 });
    expect([...tape.localUs]).toEqual([START_MS * 1000 + 1500]);
    expect([tape.signedTicks[0], tape.lots[0], tape.byLocal]).toEqual([-1001, 2, undefined]);
  });

  it("lets no stamp lie before its exchange stamp, whatever the manual correction", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const line = (id: number, lateNs: number) =>
      `${id},100.1,0.002,${START_MS + id},true,${id},${START_MS + id}${String(lateNs).padStart(6, "0")}\n`;
    const file = fileOf(
      folder,
      "t.csv",
      `id,price,amount,time,isBuyerMaker,line,recvTimeNs\n${line(1, 2000)}${line(2, 9000)}`,
    );
    await take(store, [file], { clock: { partsAt: [], baseLatencyNs: 0n, offsetNs: -7_000_000n } });
    const source = await openTapes(store, MARKET, { ...ALL, baseLatencyUs: 3 });
    const tape = await joinTapes(source);
    expect([...tape.localUs].map((us, at) => us - (tape.exchangeUs[at] as number))).toEqual([
      3, 10,
    ]);
    expect(source.days[0]?.tape.footer.addedLocalNs).toBe("7001000");
  });
});

describe("What columns cannot hold", () => {
  const opened = async (
    price: string,
    amount: string,
    wish: Partial<OpenTapesOptions>,
    isBuyerMaker = "true",
  ): Promise<Tape> => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const rows = `1,100.1,0.002,${START_MS},true\n2,${price},${amount},${START_MS + 1},${isBuyerMaker}\n`;
    await take(store, [fileOf(folder, "t.csv", `id,price,amount,time,isBuyerMaker\n${rows}`)], {
      shape: "trades",
    });
    return openTape(store, MARKET, { ...ALL, ...wish });
  };

  it.each([
    [
      "a price between two ticks",
      "100.15",
      "0.002",
      {},
      /row 2: price is off the grid \(got "100.15"\); expected .*tick size 0.1/,
    ],
    [
      "an amount between two lots",
      "100.1",
      "0.0025",
      {},
      /row 2: amount is off the grid \(got "0.0025"\); expected .*step size 0.001/,
    ],
    [
      "more lots than are exact",
      "100.1",
      "9007199254740.992",
      {},
      /row 2: amount has too many lots.*expected at most 9007199254740991 lots of 0.001; use a larger/,
    ],
    [
      "more ticks than 31 bits",
      "214748364.8",
      "1",
      {},
      /row 2: price has too many ticks.*at most 2147483647 ticks of 0.1/,
    ],
    [
      "a finer tick than the data have",
      "100.1",
      "1",
      { tickSize: "0.3" },
      /row 1: price is off the grid \(got "100.1/,
    ],
  ])("is refused with file, row and value: %s", async (_, price, amount, wish, message) => {
    const failed = opened(price, amount, wish);
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toBeInstanceOf(HistoryError);
    await expect(failed).rejects.toThrow("2024-08-08.parquet");
  });

  it("is a trade without a taker's side, as some sources have them", async () => {
    await expect(opened("100.1", "0.001", {}, "")).rejects.toThrow(
      /row 2: id is of a trade without the taker's side/,
    );
  });

  it("is no amount to the last lot below 2^53", async () => {
    expect([...(await opened("100.1", "9007199254740.991", {})).lots]).toEqual([
      2,
      Number.MAX_SAFE_INTEGER,
    ]);
  });

  it("holds a grid that is coarser or finer than the data's decimals", async () => {
    const tape = await opened("100.30", "4.500", { tickSize: "0.05", stepSize: "0.0005" });
    expect([...tape.signedTicks]).toEqual([-2002, -2006]);
    expect([...tape.lots]).toEqual([4, 9000]);
  });

  it.each([["0"], ["-1"], ["x"]])("names an invalid tick size: %s", async (tickSize) => {
    await expect(opened("100.1", "0.001", { tickSize })).rejects.toThrow(
      /tickSize: is not a valid step/,
    );
  });

  it("requests the grid if no day has one", async () => {
    await expect(opened("100.1", "0.001", { tickSize: undefined } as object)).rejects.toThrow(
      /tickSize: no day of this market has its tick and step size/,
    );
  });
});
