import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../../src/core/errors.js";
import { seededRandom } from "../../../src/core/seeded-random.js";
import { openKlines } from "../../../src/history/columns/open-klines.js";
import { openFunding, openMarks } from "../../../src/history/columns/open-marks.js";
import { joined, openTape, openTapes, type TapeWish } from "../../../src/history/columns/open-tape.js";
import { StandingBook } from "../../../src/history/columns/standing-book.js";
import { type Tape, TapeKind } from "../../../src/history/columns/tape.js";
import { TapeBuilder } from "../../../src/history/columns/tape-builder.js";
import { HistoryError } from "../../../src/history/history-errors.js";
import { listHistory } from "../../../src/history/list-history.js";
import { HistoryStore } from "../../../src/history/store.js";
import { fileOf, scratchFolder, take } from "../scratch.js";

const MARKET = "btcusdt";
const STEPS = { tickSize: "0.1", stepSize: "0.001" };
/** 2024-08-08T23:59:59Z: what begins here ends on the next day. */
const START_MS = 1_723_161_599_000;
const ALL: TapeWish = { ...STEPS, fromUs: 0, toUs: 2e15 };

type Level = readonly [ticks: number, lots: number];

/** Messages of one capture, as its files hold them and as a builder takes them. */
class Capture {
  readonly builder = new TapeBuilder({ marketId: MARKET, ...STEPS });
  #line = 0;
  #updates = 0;
  #book = "";
  #trades = "";

  book(type: "snapshot" | "update", atMs: number, bids: readonly Level[], asks: readonly Level[], latencyUs = 500): this {
    const line = this.#next();
    const text = (levels: readonly Level[]): string[][] =>
      levels.map(([ticks, lots]) => [(ticks / 10).toFixed(1), (lots / 1000).toFixed(3)]);
    const recvTimeNs = `${atMs * 1000 + latencyUs}000`;
    if (type === "update") this.#updates += 1;
    const sequence = this.#updates;
    const message = { type, line, sequence, beginSequence: sequence, endSequence: sequence, timestamp: atMs, recvTimeNs };
    this.#book += `${JSON.stringify({ ...message, bids: text(bids), asks: text(asks) })}\n`;
    this.builder[type](atMs * 1000, atMs * 1000 + latencyUs, line);
    for (const level of bids) this.builder.level("BUY", ...level);
    for (const level of asks) this.builder.level("SELL", ...level);
    return this;
  }

  trade(atMs: number, taker: "BUY" | "SELL", [ticks, lots]: Level, latencyUs = 500): this {
    const line = this.#next();
    const record = {
      id: line,
      price: (ticks / 10).toFixed(1),
      amount: (lots / 1000).toFixed(3),
      time: atMs,
      isBuyerMaker: taker === "SELL",
    };
    this.#trades += `${JSON.stringify({ ...record, status: "SETTLED", line, recvTimeNs: `${atMs * 1000 + latencyUs}000` })}\n`;
    this.builder.trade(atMs * 1000, atMs * 1000 + latencyUs, taker, ticks, lots, line);
    return this;
  }

  /** Its files, imported into a store. */
  async stored(): Promise<HistoryStore> {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const files = [
      ...(this.#book === "" ? [] : [fileOf(folder, "book.ndjson", this.#book)]),
      ...(this.#trades === "" ? [] : [fileOf(folder, "trades.ndjson", this.#trades)]),
    ];
    await take(store, files);
    return store;
  }

  #next(): number {
    this.#line += 1;
    return this.#line;
  }
}

/** A capture of some hundred seeded messages over two days, some heard in another order than they were sent. */
function seededCapture(): Capture {
  const random = seededRandom("open-tape");
  const whole = (below: number): number => Math.floor(random.uniform() * below);
  const capture = new Capture();
  const levels = (from: number): Level[] => Array.from({ length: whole(4) }, () => [from + whole(20), whole(3)]);
  capture.book("snapshot", START_MS, [[1000, 5]], [[1030, 5]]);
  for (let at = 0; at < 300; at++) {
    const atMs = START_MS + Math.floor(at / 3) * 20;
    const latencyUs = 100 + whole(60_000);
    if (at % 4 === 0) capture.trade(atMs, whole(2) === 0 ? "BUY" : "SELL", [1000 + whole(40), 1 + whole(9)], latencyUs);
    else capture.book(at % 50 === 1 ? "snapshot" : "update", atMs, levels(990), levels(1020), latencyUs);
  }
  return capture;
}

/** Everything a tape holds, to be compared whatever memory it lies in. */
function contents({ byLocal, ...tape }: Tape): object {
  const columns = Object.entries(tape).map(([name, value]) => [name, ArrayBuffer.isView(value) ? [...(value as Float64Array)] : value]);
  return { ...Object.fromEntries(columns), byLocal: byLocal === undefined ? undefined : [...byLocal] };
}

function tapeFiles(store: HistoryStore): string[] {
  const folder = join(store.root, MARKET, ".columns");
  return readdirSync(folder).map((name) => join(folder, name));
}

describe("A tape that is opened from the store", () => {
  it("is what was recorded: both days, books and trades in one order, each clock its own", async () => {
    const capture = seededCapture();
    const store = await capture.stored();
    const tape = await openTape(store, MARKET, ALL);
    expect(contents(tape)).toEqual(contents(capture.builder.build()));
    expect(tape.signedTicks.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(tapeFiles(store)).toHaveLength(2);
  });

  it("is the same however small its pieces are, and its pieces carry the book and both clocks on", async () => {
    const capture = seededCapture();
    const store = await capture.stored();
    const source = await openTapes(store, MARKET, { ...ALL, blockRows: 7 });
    let [pieces, messages] = [0, 0];
    const standing = new StandingBook();
    for await (const tape of source) {
      pieces += 1;
      messages += tape.messages;
      expect(tape.rows).toBeLessThan(7 + 7);
      standing.play(tape, tape.messages);
      // A piece that is given back lends its memory to one of the next: what was read before must not depend on it.
      source.release(tape);
    }
    const whole = capture.builder.build();
    const all = new StandingBook();
    all.play(whole, whole.messages);
    expect(standing.rows()).toEqual(all.rows());
    expect({ messages, several: pieces > 20 }).toEqual({ messages: whole.messages, several: true });
    expect(contents(await joined(source))).toEqual(contents(whole));
  });

  it("begins in the middle of a day with the book that stood there, heard no earlier than its last part was", async () => {
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
    expect([...tape.kind]).toEqual([TapeKind.bookSnapshot, TapeKind.trade, TapeKind.bookUpdate]);
    expect([...tape.signedTicks]).toEqual([1000, -1010, -1011, 1010, 1001]);
    expect([...tape.lots]).toEqual([5, 7, 8, 1, 9]);
    expect([...tape.exchangeUs]).toEqual([fromUs, fromUs + 5000, fromUs + 15_000]);
    expect([...tape.localUs]).toEqual([fromUs + 35_000, fromUs + 5500, fromUs + 75_000]);
    expect([...(tape.byLocal ?? [])]).toEqual([1, 0, 2]);
  });

  it("ends before the end that was asked for", async () => {
    const store = await seededCapture().stored();
    const whole = await openTape(store, MARKET, ALL);
    const toUs = (START_MS + 400) * 1000;
    const tape = await openTape(store, MARKET, { ...ALL, toUs });
    const messages = whole.exchangeUs.findIndex((us) => us >= toUs);
    expect(tape.messages).toBe(messages);
    expect(tape.exchangeUs).toEqual(whole.exchangeUs.subarray(0, messages));
  });

  it("names what the store lacks of the span", async () => {
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
    await expect(openTape(store, MARKET, { ...STEPS, fromUs: 0, toUs: 1e9 })).rejects.toThrow(ConfigError);
    await expect(openTape(store, "ethusdt", ALL)).rejects.toThrow(/ethusdt: has no books and no trades/);
  });

  it("gives rows that nobody stamped the latency that is said", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    await take(store, [fileOf(folder, "t.csv", `id,price,amount,time,isBuyerMaker\n1,100.1,0.002,${START_MS},true\n`)], {
      shape: "trades",
    });
    const tape = await openTape(store, MARKET, { ...ALL, baseLatencyUs: 1500 });
    expect([...tape.localUs]).toEqual([START_MS * 1000 + 1500]);
    expect([tape.signedTicks[0], tape.lots[0], tape.byLocal]).toEqual([-1001, 2, undefined]);
  });

  it("lets no stamp lie before its exchange stamp, whatever correction was set by hand", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const line = (id: number, lateNs: number) =>
      `${id},100.1,0.002,${START_MS + id},true,${id},${START_MS + id}${String(lateNs).padStart(6, "0")}\n`;
    const file = fileOf(folder, "t.csv", `id,price,amount,time,isBuyerMaker,line,recvTimeNs\n${line(1, 2000)}${line(2, 9000)}`);
    await take(store, [file], { clock: { partsAt: [], baseLatencyNs: 0n, offsetNs: -7_000_000n } });
    const source = await openTapes(store, MARKET, { ...ALL, baseLatencyUs: 3 });
    const tape = await joined(source);
    expect([...tape.localUs].map((us, at) => us - (tape.exchangeUs[at] as number))).toEqual([3, 10]);
    expect(source.days[0]?.tape.footer.addedLocalNs).toBe("7001000");
  });
});

describe("What columns cannot hold", () => {
  const opened = async (price: string, amount: string, wish: Partial<TapeWish>, isBuyerMaker = "true"): Promise<Tape> => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const rows = `1,100.1,0.002,${START_MS},true\n2,${price},${amount},${START_MS + 1},${isBuyerMaker}\n`;
    await take(store, [fileOf(folder, "t.csv", `id,price,amount,time,isBuyerMaker\n${rows}`)], { shape: "trades" });
    return openTape(store, MARKET, { ...ALL, ...wish });
  };

  it.each([
    ["a price between two ticks", "100.15", "0.002", {}, /row 2: price is off the grid \(got "100.15"\); expected .*tick size 0.1/],
    ["an amount between two lots", "100.1", "0.0025", {}, /row 2: amount is off the grid \(got "0.0025"\); expected .*step size 0.001/],
    ["more lots than 32 bits", "100.1", "4294968", {}, /row 2: amount has more lots.*expected at most 4294967295 lots of 0.001: a coarser/],
    ["more ticks than 31 bits", "214748364.8", "1", {}, /row 2: price has more ticks.*at most 2147483647 ticks of 0.1/],
    ["a finer tick than the data have", "100.1", "1", { tickSize: "0.3" }, /row 1: price is off the grid \(got "100.1/],
  ])("is refused with file, row and value: %s", async (_, price, amount, wish, message) => {
    const failed = opened(price, amount, wish);
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toBeInstanceOf(HistoryError);
    await expect(failed).rejects.toThrow("2024-08-08.parquet");
  });

  it("is a trade of which nobody knows who took, as some sources have them", async () => {
    await expect(opened("100.1", "0.001", {}, "")).rejects.toThrow(/row 2: id does not say who took/);
  });

  it("holds a grid that is coarser or finer than the data's decimals", async () => {
    const tape = await opened("100.30", "4.500", { tickSize: "0.05", stepSize: "0.0005" });
    expect([...tape.signedTicks]).toEqual([-2002, -2006]);
    expect([...tape.lots]).toEqual([4, 9000]);
  });

  it.each([["0"], ["-1"], ["x"]])("names a tick size that is none: %s", async (tickSize) => {
    await expect(opened("100.1", "0.001", { tickSize })).rejects.toThrow(/tickSize: is no unit of a grid/);
  });

  it("asks for the grid where no day tells it", async () => {
    await expect(opened("100.1", "0.001", { tickSize: undefined } as object)).rejects.toThrow(
      /tickSize: no day of this market tells its grid/,
    );
  });
});

describe("The columns beside the store", () => {
  it("are made once, and are no kind of history to whoever lists it", async () => {
    const store = await seededCapture().stored();
    const made: string[] = [];
    const wish = { ...ALL, onMake: (day: string) => made.push(day) };
    const first = contents(await openTape(store, MARKET, wish));
    expect(contents(await openTape(store, MARKET, wish))).toEqual(first);
    expect(made).toEqual(["2024-08-08", "2024-08-09"]);
    expect((await listHistory(store, { verify: true })).map(({ kind, problems }) => [kind, problems])).toEqual([
      ["book", []],
      ["trades", []],
    ]);
  });

  it.each<[string, (path: string) => void]>([
    ["cut", (path) => truncateSync(path, statSync(path).size - 1)],
    ["cut to nothing", (path) => truncateSync(path, 0)],
    ["foreign", (path) => writeFileSync(path, "what another program wrote, long enough to be read to its end and further")],
    ["of one wrong bit in its columns", (path) => writeFileSync(path, flipped(readFileSync(path), 900))],
    ["of one wrong bit in its table", (path) => writeFileSync(path, flipped(readFileSync(path), statSync(path).size - 60))],
  ])("are made anew where a file is %s", async (_, breakIt) => {
    const store = await seededCapture().stored();
    const whole = contents(await openTape(store, MARKET, { ...ALL, blockRows: 50 }));
    for (const path of tapeFiles(store)) breakIt(path);
    const made: string[] = [];
    expect(contents(await openTape(store, MARKET, { ...ALL, onMake: (day) => made.push(day) }))).toEqual(whole);
    expect(made).toEqual(["2024-08-08", "2024-08-09"]);
  });

  it("are made anew when the day has got more, and the old ones go", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const csv = (id: number) => `id,price,amount,time,isBuyerMaker\n${id},100.1,0.002,${START_MS + id},true\n`;
    await take(store, [fileOf(folder, "one.csv", csv(1))], { shape: "trades" });
    expect((await openTape(store, MARKET, ALL)).messages).toBe(1);
    const [old] = tapeFiles(store);
    await take(store, [fileOf(folder, "two.csv", csv(2))], { shape: "trades" });
    expect((await openTape(store, MARKET, ALL)).messages).toBe(2);
    expect(tapeFiles(store)).toHaveLength(1);
    expect(existsSync(old as string)).toBe(false);
  });

  it("are made anew when the day is replaced by one that says otherwise, though it is as long", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const csv = (price: string) => `id,price,amount,time,isBuyerMaker\n1,${price},1,${START_MS},true\n`;
    await take(store, [fileOf(folder, "one.csv", csv("5.1"))], { shape: "trades" });
    expect((await openTape(store, MARKET, ALL)).signedTicks[0]).toBe(-51);
    const [old] = tapeFiles(store);
    await take(store, [fileOf(folder, "other.csv", csv("5.2"))], { shape: "trades", replace: true });
    expect((await openTape(store, MARKET, ALL)).signedTicks[0]).toBe(-52);
    expect(tapeFiles(store)).toHaveLength(1);
    expect(existsSync(old as string)).toBe(false);
  });

  it("are swept of what killed makers left, and not of what living ones are making", async () => {
    const store = await seededCapture().stored();
    const folder = join(store.root, MARKET, ".columns");
    mkdirSync(folder);
    const [dead, living] = [".2024-08-08-999999999-1.next", `.2024-08-08-${process.ppid}-1.next`];
    for (const name of [dead, living]) writeFileSync(join(folder, name), "half");
    await openTape(store, MARKET, ALL);
    expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([living]);
  });

  it("are not read beside a Parquet file that was changed since, though it is as long, and are beside one that was copied", async () => {
    const store = await seededCapture().stored();
    const path = store.dataPath({ market: MARKET, kind: "trades" }, "2024-08-08");
    const whole = readFileSync(path);
    await openTape(store, MARKET, ALL);
    const made = tapeFiles(store).map((file) => statSync(file).mtimeMs);
    writeFileSync(path, flipped(Buffer.from(whole), 100));
    utimesSync(path, 1, 1);
    await expect(openTape(store, MARKET, ALL)).rejects.toThrow(/2024-08-08.parquet: is broken: its checksum differs/);
    writeFileSync(path, whole);
    utimesSync(path, 2, 2);
    await openTape(store, MARKET, ALL);
    expect(tapeFiles(store).map((file) => statSync(file).mtimeMs)).toEqual(made);
  });

  it("are not made of a Parquet file that was changed", async () => {
    const store = await seededCapture().stored();
    const path = store.dataPath({ market: MARKET, kind: "trades" }, "2024-08-08");
    writeFileSync(path, flipped(readFileSync(path), 100));
    await expect(openTape(store, MARKET, ALL)).rejects.toThrow(/2024-08-08.parquet: is broken: its checksum differs/);
    expect(tapeFiles(store).filter((name) => name.includes("08-08"))).toEqual([]);
  });
});

describe("Candles, marks and funding as columns", () => {
  it("are those of the span, prices in ticks, volumes in whole lots, rates by 10^18", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const candle = (minute: number, close: string) => `${START_MS - 59_000 + minute * 60_000},100.0,100.4,99.8,${close},1.2345\n`;
    await take(store, [
      fileOf(folder, "k.csv", `time,open,high,low,close,volume\n${candle(0, "100.1")}${candle(1, "100.2")}${candle(2, "100.3")}`),
      fileOf(
        folder,
        "m.csv",
        `time,markPrice,indexPrice,fundingRate,nextFundingTime\n${START_MS},100.12345678,100.5,-0.00002760,${START_MS + 1000}\n${START_MS + 2000},101,,,\n`,
      ),
      fileOf(folder, "f.csv", `marketId,fundingRate,fundingTime\nbtcusdt,0.0000276,${START_MS + 1000}\n`),
    ]);
    const startUs = (START_MS + 1000) * 1000;
    const klines = await openKlines(store, MARKET, { kind: "klines-1M", ...STEPS, fromUs: startUs, toUs: 2e15 });
    expect(klines).toMatchObject({ bars: 2, intervalUs: 60_000_000, startUs: Float64Array.of(startUs, startUs + 60_000_000) });
    expect([klines.openTicks[0], klines.highTicks[0], klines.lowTicks[0], klines.closeTicks[0], klines.lots[0]]).toEqual([
      1000, 1004, 998, 1002, 1234,
    ]);
    const marks = await openMarks(store, MARKET, { fromUs: 0, toUs: 2e15, baseLatencyUs: 5 });
    expect(marks).toEqual({
      exchangeUs: Float64Array.of(START_MS * 1000, START_MS * 1000 + 2e6),
      localUs: Float64Array.of(START_MS * 1000 + 5, START_MS * 1000 + 2e6 + 5),
      markCredit: BigInt64Array.of(100_123_456n, 101_000_000n),
      indexCredit: BigInt64Array.of(100_500_000n, 101_000_000n),
      fundingRateE18: BigInt64Array.of(-27_600_000_000_000n, 0n),
      nextFundingMs: Float64Array.of(START_MS + 1000, 0),
    });
    expect(await openFunding(store, MARKET, { fromUs: 0, toUs: 2e15 })).toEqual({
      timeUs: Float64Array.of(startUs),
      rateE18: BigInt64Array.of(27_600_000_000_000n),
    });
    await expect(openKlines(store, MARKET, { kind: "klines-1M", ...STEPS, tickSize: "0.2", fromUs: 0, toUs: 2e15 })).rejects.toThrow(
      /close is off the grid \(got "100.1/,
    );
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] as number) ^ 1;
  return bytes;
}
