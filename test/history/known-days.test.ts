import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "#core/units.js";
import { type DayManifest, manifestText } from "#history/day-manifest.js";
import { HistoryStore } from "#history/history-store.js";
import { listHistory, type SeriesListing } from "#history/list-history.js";
import { openTapes } from "#history/open-tapes.js";
import type { Span } from "#history/spans.js";
import { finalBook } from "../support/final-book.js";
import { openTape } from "./open-tape.js";
import { fileOf, scratchFolder, take } from "./scratch.js";

/** Noon of the first day; the second begins twelve hours later. */
const NOON = Date.UTC(2025, 0, 12, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MIDNIGHT = 12 * 60 * MINUTE;
const WISH = { tickSize: "1", stepSize: "1" };

const at = (from: number, to: number): Span => [NOON + from, NOON + to];

/** A store, and files that are imported one command after the other. */
class Stand {
  readonly #folder = scratchFolder();
  readonly store = new HistoryStore(join(this.#folder, "history"));

  /** @returns the findings of each import about its days */
  async take(...files: readonly string[]): Promise<string[]> {
    const said: string[] = [];
    for (const content of files) {
      const path = fileOf(
        this.#folder,
        `${said.length}-${content.length}.${content.startsWith("{") ? "ndjson" : "csv"}`,
        content,
      );
      const { files: done } = await take(this.store, [path]);
      said.push(done.flatMap(({ days }) => days.flatMap(({ findings }) => findings)).join("; "));
    }
    return said;
  }

  async listing(): Promise<SeriesListing> {
    return (await listHistory(this.store, { verify: false }))[0] as SeriesListing;
  }

  async gaps(): Promise<readonly Span[]> {
    return (await this.listing()).gaps;
  }

  /** The gaps of a replay of a span, and the book at its end. */
  async replayed([fromMs, toMs]: Span): Promise<{
    readonly gaps: readonly Span[];
    readonly book: ReturnType<typeof finalBook>;
  }> {
    const wish = { ...WISH, fromUs: fromMs * 1000, toUs: toMs * 1000 };
    const { gaps } = await openTapes(this.store, "btcusdt", wish);
    return {
      gaps: gaps.map(({ span }) => span),
      book: finalBook(await openTape(this.store, "btcusdt", wish)),
    };
  }

  /** Writes a day's manifest as an earlier version did. */
  forget(
    kind: string,
    day: string,
    change: (manifest: DayManifest) => DayManifest = (manifest) => manifest,
  ): void {
    const path = this.store.manifestPath({ market: "btcusdt", kind }, day);
    const {
      check: _,
      holes: _holes,
      ids: _ids,
      chain: _chain,
      ...rest
    } = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, manifestText(change(rest as DayManifest)));
  }
}

type Levels = readonly (readonly [price: number, amount: number])[];
const textOf = (levels: Levels): string[][] => levels.map((level) => level.map(String));
const snapshot = (
  ms: number,
  sequence: number,
  bids: Levels = [[100, 5]],
  asks: Levels = [[101, 7]],
): string =>
  `${JSON.stringify({ type: "snapshot", sequence, timestamp: NOON + ms, bids: textOf(bids), asks: textOf(asks) })}\n`;
/**
 * @param previous the end of the previous update: sequences of Binance's futures are not
 * consecutive.
 */
const update = (ms: number, end: number, previous: number, bids: Levels = [[99, end]]): string =>
  `${JSON.stringify({ type: "update", beginSequence: end - 1, endSequence: end, prevEndSequence: previous, timestamp: NOON + ms, bids: textOf(bids), asks: [] })}\n`;

describe("a book from several files", () => {
  const morning = snapshot(0, 10) + update(1000, 14, 10) + update(2000, 19, 14);
  const whole = snapshot(9000, 40, [[95, 6]], [[96, 1]]) + update(9500, 44, 40, [[95, 8]]);

  // Each file was once checked alone: the levels of the first one stayed in the second, although
  // messages between both were lost.
  it("is unknown from the end of one file to the next snapshot if the next file does not continue it, in either order of import", async () => {
    const later = update(3000, 33, 30, [[97, 2]]) + whole;
    for (const files of [
      [morning, later],
      [later, morning],
    ]) {
      const stand = new Stand();
      const said = await stand.take(...files);
      expect(said[1]).toMatch(
        /updates are missing before 2025-01-12T12:00:03Z, since the file does not continue the one before: the book is unknown from 2025-01-12T12:00:02.001Z to 2025-01-12T12:00:09Z/,
      );
      expect(await stand.gaps()).toEqual([at(2001, 9000)]);
      expect(await stand.replayed(at(0, 9501))).toEqual({
        gaps: [at(2001, 9000)],
        book: [
          [95, 8],
          [-96, 1],
        ],
      });
      expect((await stand.replayed(at(0, 8000))).book).toEqual([[97, 2]]);
    }
  });

  it("continues if the next file continues the one before, whatever its exchange counts", async () => {
    const stand = new Stand();
    expect(await stand.take(morning, update(3000, 25, 19) + update(4000, 31, 25))).toEqual([
      "",
      "",
    ]);
    expect(await stand.replayed(at(0, 4001))).toEqual({
      gaps: [],
      book: [
        [100, 5],
        [99, 31],
        [-101, 7],
      ],
    });
  });

  // The bot once cancelled its quotes for the hours between two files, although the files prove
  // that nothing happened in between.
  it("is known between two files if the second continues the first: within a day, over midnight and over a whole day", async () => {
    const on = (ms: number): string => update(ms, 25, 19) + update(ms + 1000, 31, 25);
    const mended = snapshot(0, 10) + update(2000, 19, 10) + snapshot(2000, 19);
    for (const [first, laterMs] of [
      [morning, HOUR],
      [morning, MIDNIGHT + HOUR],
      [morning, MIDNIGHT + DAY_MS + HOUR],
      [mended, HOUR],
      [snapshot(2000, 19), HOUR],
    ] as const) {
      const stand = new Stand();
      expect((await stand.take(first, on(laterMs)))[1]).toBe("");
      expect(await stand.gaps()).toEqual([]);
      const { gaps, book } = await stand.replayed(at(2000, laterMs + 1001));
      expect(gaps).toEqual([]);
      expect(book).toContainEqual([99, 31]);
      expect(book).toContainEqual([-101, 7]);
    }
  });

  it("is known if a file continues after the snapshot that restores the previous file's book, but not before that snapshot", async () => {
    const stand = new Stand();
    await stand.take(
      snapshot(0, 10) + update(1000, 14, 10) + snapshot(2000, 19),
      update(HOUR, 25, 19),
    );
    expect(await stand.gaps()).toEqual([at(1001, 2000)]);
    expect((await stand.replayed(at(0, HOUR + 1))).gaps).toEqual([at(1001, 2000)]);
  });

  it("is unknown in a file that continues one whose book was lost up to its end, until a snapshot comes", async () => {
    for (const laterMs of [3000, MIDNIGHT + 3000]) {
      const stand = new Stand();
      const said = await stand.take(
        snapshot(0, 10) + update(1000, 14, 10) + update(2000, 30, 25),
        update(laterMs, 33, 30) + update(laterMs + 500, 36, 33),
        update(laterMs + 1000, 40, 36) +
          snapshot(laterMs + 2000, 40, [[95, 6]], [[96, 1]]) +
          update(laterMs + 3000, 44, 40),
      );
      expect(said[1]).toMatch(
        /the book before it was lost, and no snapshot followed: the book is unknown from 2025-01-12T12:00:02.001Z to/,
      );
      const lost = [at(1001, laterMs + 2000)];
      expect(await stand.gaps()).toEqual(lost);
      expect((await stand.replayed(at(0, laterMs + 3001))).gaps).toEqual(lost);
    }
  });

  it("reports a book that one file lost over midnight once", async () => {
    const stand = new Stand();
    const [said] = await stand.take(
      snapshot(0, 10) +
        update(1000, 14, 10) +
        update(MIDNIGHT - 1000, 30, 25) +
        update(MIDNIGHT + 1000, 33, 30) +
        snapshot(MIDNIGHT + 2000, 33),
    );
    expect(said).not.toContain("no snapshot followed");
    expect(await stand.gaps()).toEqual([at(1001, MIDNIGHT + 2000)]);
  });

  it("is lost if the chain breaks between two days that both reach midnight", async () => {
    const many = (startMs: number, first: number): string =>
      Array.from({ length: 700 }, (_, n) =>
        update(startMs + n * 5000, first + n, first + n - 1),
      ).join("");
    const evening = snapshot(MIDNIGHT - 3_500_000, 1) + many(MIDNIGHT - 3_499_000, 2);
    const whole = new Stand();
    expect(await whole.take(evening, many(MIDNIGHT + 2000, 702))).toEqual(["", ""]);
    expect(await whole.gaps()).toEqual([]);
    const broken = new Stand();
    const said = await broken.take(evening, many(MIDNIGHT + 2000, 703));
    expect(said[1]).toContain(
      "updates are missing before 2025-01-13T00:00:02Z, since the file does not continue the one before",
    );
    expect((await broken.listing()).covered).toEqual([at(MIDNIGHT - 3_500_000, MIDNIGHT - 3999)]);
  });

  it("is known again as soon as the file between two others comes", async () => {
    const stand = new Stand();
    await stand.take(morning, update(3000, 33, 30) + update(3500, 36, 33));
    expect((await stand.replayed(at(0, 3501))).book).toEqual([[99, 36]]);
    expect(await stand.take(update(2500, 30, 19))).toEqual([""]);
    expect((await stand.replayed(at(0, 3501))).book).toEqual([
      [100, 5],
      [99, 36],
      [-101, 7],
    ]);
  });

  it("is unknown over midnight if the next day does not continue the day before, even if it begins with a snapshot", async () => {
    const evening = snapshot(MIDNIGHT - 2000, 10) + update(MIDNIGHT - 1000, 14, 10);
    const stand = new Stand();
    await stand.take(
      evening,
      update(MIDNIGHT + 1000, 33, 30) + snapshot(MIDNIGHT + 5000, 40, [[95, 6]], [[96, 1]]),
    );
    const lost = at(MIDNIGHT - 999, MIDNIGHT + 5000);
    expect(await stand.gaps()).toEqual([lost]);
    expect((await stand.replayed(at(MIDNIGHT - 2000, MIDNIGHT + 5001))).gaps).toEqual([lost]);
    expect((await stand.replayed(at(MIDNIGHT - 2000, MIDNIGHT + 4000))).book).toEqual([[99, 33]]);
    const other = new Stand();
    await other.take(
      evening,
      snapshot(MIDNIGHT + 200, 30, [[95, 6]], [[96, 1]]) + update(MIDNIGHT + 300, 34, 30),
    );
    expect(await other.gaps()).toEqual([at(MIDNIGHT - 999, MIDNIGHT + 200)]);
    expect((await other.replayed(at(MIDNIGHT - 2000, MIDNIGHT + 1000))).gaps).toContainEqual(
      at(MIDNIGHT - 999, MIDNIGHT + 200),
    );
  });

  it("continues over midnight if the next day continues the day before", async () => {
    const stand = new Stand();
    const evening = snapshot(MIDNIGHT - 2000, 10) + update(MIDNIGHT - 1000, 14, 10);
    expect(await stand.take(evening, update(MIDNIGHT + 1000, 19, 14))).toEqual(["", ""]);
    expect((await stand.replayed(at(MIDNIGHT - 2000, MIDNIGHT + 1001))).book).toEqual([
      [100, 5],
      [99, 19],
      [-101, 7],
    ]);
  });

  it("says of imports of an earlier version only that gaps were not checked", async () => {
    const stand = new Stand();
    await stand.take(morning);
    expect((await stand.listing()).notes).toEqual([]);
    stand.forget("book", "2025-01-12");
    expect((await stand.listing()).notes).toEqual([
      "btcusdt book: 1 of 1 days were imported by an earlier version, which did not find all missing data: import them again with --replace",
    ]);
    expect(await stand.take(update(3000, 33, 30))).toEqual([""]);
  });
});

describe("trades whose ids count them", () => {
  const trades = (
    from: number,
    to: number,
    startMs = 0,
    stepMs = 1000,
    idOf: (n: number) => number = (n) => n,
  ): string => {
    const rows = Array.from(
      { length: to - from },
      (_, n) => `${idOf(from + n)},100,1,${NOON + startMs + n * stepMs},false\n`,
    );
    return `id,price,amount,time,isBuyerMaker\n${rows.join("")}`;
  };

  it("are missing where an id is left out: within a file, between files and between days", async () => {
    const within = new Stand();
    expect(await within.take(trades(1, 40, 0, 1000, (n) => (n < 20 ? n : n + 500)))).toEqual([
      "500 trades are missing in 1 place, as their ids tell",
    ]);
    expect(await within.gaps()).toEqual([at(18_001, 19_000)]);
    expect((await within.replayed(at(0, 38_001))).gaps).toEqual([at(18_001, 19_000)]);

    const between = new Stand();
    expect(await between.take(trades(1, 21), trades(81, 101, 25_000))).toEqual([
      "",
      "60 trades are missing in 1 place, as their ids tell",
    ]);
    expect(await between.gaps()).toEqual([at(19_001, 25_000)]);
    expect(await between.take(trades(21, 81, 19_050, 90))).toEqual([""]);

    const days = new Stand();
    const said = await days.take(
      trades(1, 21, MIDNIGHT - 30_000),
      trades(81, 101, MIDNIGHT + 5000),
    );
    expect(said[1]).toBe(
      "60 trades are missing before its first one, according to its ids and those of 2025-01-12",
    );
    expect((await days.replayed(at(MIDNIGHT - 30_000, MIDNIGHT + 24_001))).gaps).toEqual([
      at(MIDNIGHT - 10_999, MIDNIGHT + 5000),
    ]);
  });

  it("leave no unknown time between two files with consecutive ids: within a day, between days and over a day without files", async () => {
    for (const laterMs of [2 * HOUR, MIDNIGHT + HOUR, MIDNIGHT + DAY_MS + HOUR]) {
      const stand = new Stand();
      expect(await stand.take(trades(1, 21), trades(21, 41, laterMs))).toEqual(["", ""]);
      expect(await stand.gaps()).toEqual([]);
      expect((await stand.replayed(at(0, laterMs + 19_001))).gaps).toEqual([]);
      const listed = await stand.listing();
      expect(listed.covered).toEqual([at(0, laterMs + 19_001)]);
      const broken = new Stand();
      await broken.take(trades(1, 21), trades(23, 43, laterMs));
      expect(await broken.gaps()).toEqual([at(19_001, laterMs)]);
      expect((await broken.replayed(at(0, laterMs + 19_001))).gaps).toEqual([at(19_001, laterMs)]);
    }
  });

  it("are missing over a midnight that the files of both days reach, as those of an archive do", async () => {
    const stand = new Stand();
    const quiet = (n: number): number => n;
    const many = (from: number, startMs: number): string =>
      trades(from, from + 700, startMs, 5000, quiet);
    await stand.take(many(1, MIDNIGHT - 3_500_000), many(2001, MIDNIGHT + 3000));
    expect(await stand.gaps()).toEqual([at(MIDNIGHT - 4999, MIDNIGHT + 3000)]);
    const whole = new Stand();
    await whole.take(many(1, MIDNIGHT - 3_500_000), many(701, MIDNIGHT + 3000));
    expect(await whole.gaps()).toEqual([]);
  });

  it("are not missing if they are merely rare, or if their ids count something else", async () => {
    const rare = new Stand();
    await rare.take(trades(1, 30, 0, 20 * MINUTE));
    expect(await rare.gaps()).toEqual([]);
    for (const idOf of [
      (n: number) => 3 * n,
      (n: number) => n * n * 1_000_003,
      (n: number) => n + Math.floor(n / 5),
    ]) {
      const stand = new Stand();
      expect(await stand.take(trades(1, 200, 0, 1000, idOf))).toEqual([""]);
      expect(await stand.gaps()).toEqual([]);
    }
    const other = new Stand();
    expect(
      (
        await other.take(
          trades(1, 21, MIDNIGHT - 30_000),
          trades(900_000, 900_021, MIDNIGHT + 5000),
        )
      )[1],
    ).toBe("");
  });
});

describe("missing candles", () => {
  const candles = (minutes: readonly number[], stepMs = MINUTE, fromMs = NOON): string =>
    minutes
      .map(
        (n) =>
          `${JSON.stringify({ time: fromMs + n * stepMs, open: "1", high: "2", low: "1", close: "2", volume: "3" })}\n`,
      )
      .join("");
  const range = (from: number, to: number): number[] =>
    Array.from({ length: to - from }, (_, n) => from + n);
  /** Uniform from 0 to 1, and the same in each run. */
  const chance = (n: number): number =>
    createHash("sha256").update(`minute ${n}`).digest().readUInt32BE() / 2 ** 32;

  it("are a gap within the day until they are imported", async () => {
    const stand = new Stand();
    await stand.take(candles([...range(0, 60), ...range(120, 200)]));
    expect(await stand.gaps()).toEqual([at(60 * MINUTE, 120 * MINUTE)]);
    await stand.take(candles(range(60, 90)));
    expect(await stand.gaps()).toEqual([at(90 * MINUTE, 120 * MINUTE)]);
    await stand.take(candles(range(90, 120)));
    expect(await stand.gaps()).toEqual([]);
    expect((await stand.listing()).days[0]?.findings).toEqual([]);
  });

  it("are a gap at midnight too, and over days of a longer file", async () => {
    const stand = new Stand();
    await stand.take(candles([...range(0, 700), ...range(740, 800)]));
    expect(await stand.gaps()).toEqual([at(700 * MINUTE, 740 * MINUTE)]);
  });

  it("are no gap if a source omits minutes without trades, except stretches far longer than most", async () => {
    const stand = new Stand();
    const sparse = range(0, 400).filter((n) => n % 7 !== 3 && (n < 200 || n >= 300));
    await stand.take(candles(sparse));
    expect(await stand.gaps()).toEqual([at(199 * MINUTE, 300 * MINUTE)]);
    expect((await stand.listing()).days[0]?.findings[0]).toMatch(
      /^\d+ of 400 candles are missing, 42 of them taken for times without a trade/,
    );
  });

  // Four outages of an hour were once "taken for times without a trade": quotes stayed open and
  // were filled at old prices.
  it.each([
    [
      "four hours in a day of five minutes",
      5,
      [40, 100, 160, 220].map((from) => [from, 12] as const),
    ],
    ["four quarters of an hour in it", 5, [40, 100, 160, 220].map((from) => [from, 3] as const)],
    [
      "outages of several lengths",
      5,
      [20, 60, 100, 140, 180, 230].map((from, n) => [from, 5 + n * 5] as const),
    ],
    ["twenty outages of five minutes", 1, range(0, 20).map((n) => [30 + n * 70, 5] as const)],
  ] as const)(
    "are gaps if chance does not explain so many at once, however often: %s",
    async (_, minutes, outages) => {
      const stand = new Stand();
      const from = NOON - MIDNIGHT;
      const isOut = (n: number): boolean =>
        outages.some(([first, length]) => n >= first && n < first + length);
      const kept = range(0, 1440 / minutes).filter((n) => !isOut(n));
      const [said] = await stand.take(candles(kept, minutes * MINUTE, from));
      const stepMs = minutes * MINUTE;
      expect(await stand.gaps()).toEqual(
        outages.map(([first, length]) => [from + first * stepMs, from + (first + length) * stepMs]),
      );
      expect(said).not.toMatch(/without a trade/);
    },
  );

  it("are no gaps if each minute is omitted by chance alone, rarely or mostly", async () => {
    for (const share of [0.02, 0.3, 0.8]) {
      const stand = new Stand();
      const [said] = await stand.take(
        candles(
          range(0, 1440).filter((n) => n === 0 || n === 1439 || chance(n) >= share),
          MINUTE,
          NOON - MIDNIGHT,
        ),
      );
      expect(await stand.gaps(), `${share} of them`).toEqual([]);
      expect(said).toMatch(
        /(\d+) of 1440 candles are missing, \1 of them taken for times without a trade/,
      );
    }
  });

  it("between two files are no gap if both sources omit quiet minutes, but are one if they are many or no others are missing", async () => {
    const sparse = (from: number, to: number): number[] =>
      range(from, to).filter((n) => n % 7 !== 3 && n % 11 !== 5);
    for (const [ends, begins] of [
      [719, 722],
      [300, 303],
    ] as const) {
      const stand = new Stand();
      await stand.take(candles(sparse(0, ends)), candles(sparse(begins, begins + 400)));
      expect(await stand.gaps(), `from ${ends}`).toEqual([]);
      const far = new Stand();
      await far.take(candles(sparse(0, ends)), candles(sparse(begins + 60, begins + 460)));
      expect(await far.gaps()).toEqual([at(ends * MINUTE, (begins + 60) * MINUTE)]);
      const full = new Stand();
      await full.take(candles(range(0, ends)), candles(range(begins, begins + 400)));
      expect(await full.gaps()).toEqual([at(ends * MINUTE, begins * MINUTE)]);
    }
  });

  it("are a gap if they last longer than a day", async () => {
    const stand = new Stand();
    const weeks = [0, 1, 3].map((n) => n * 7);
    await stand.take(candles(weeks, DAY_MS));
    expect(await stand.gaps()).toEqual([at(14 * DAY_MS, 21 * DAY_MS)]);
  });

  it("of a month, imported by an earlier version, are listed without a gap", async () => {
    const stand = new Stand();
    await stand.take(candles([0, 1, 2], DAY_MS));
    const { store } = stand;
    const day = store.day({ market: "btcusdt", kind: "klines-1D" }, "2025-01-12") as DayManifest;
    const folder = store.folder({ market: "btcusdt", kind: "klines-1MO" });
    await store.open({ market: "btcusdt", kind: "klines-1MO" }).then((lock) => lock.release());
    for (const month of ["2024-12-01", "2025-01-01", "2025-02-01"]) {
      writeFileSync(
        join(folder, `${month}.parquet`),
        readFileSync(store.dataPath({ market: "btcusdt", kind: "klines-1D" }, "2025-01-12")),
      );
      const from = Date.parse(month);
      writeFileSync(
        join(folder, `${month}.json`),
        manifestText({ ...day, kind: "klines-1MO", day: month, covered: [[from, from + 1]] }),
      );
    }
    const listed = (await listHistory(store, { kind: "klines-1MO", verify: false }))[0];
    expect(listed).toMatchObject({ gaps: [], covered: [[Date.UTC(2024, 11), Date.UTC(2025, 2)]] });
  });
});
