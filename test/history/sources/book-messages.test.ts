import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReplayBook } from "#backtest/replay-book.js";
import { HistoryStore } from "#history/history-store.js";
import { checkMapping } from "#history/mapping.js";
import { openTape } from "../open-tape.js";
import { fileOf, scratchFolder, take } from "../scratch.js";

const START_US = 1_723_161_600_000_000;
const GRID = {
  tickSize: "0.5",
  stepSize: "0.1",
  fromUs: START_US,
  toUs: START_US + 86_400_000_000,
};

/** A change of one price, in ticks and lots; zero lots delete the level. */
type Change = readonly [side: "bid" | "ask", ticks: number, lots: number];

/** One message of an exchange. */
interface Message {
  readonly exchangeUs: number;
  readonly localUs: number;
  readonly isSnapshot: boolean;
  readonly changes: readonly Change[];
}

const HEADER = "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\n";

function tardis(messages: readonly Message[]): string {
  const rows = messages.flatMap(({ exchangeUs, localUs, isSnapshot, changes }) =>
    changes.map(
      ([side, ticks, lots]) =>
        `x,X,${exchangeUs},${localUs},${isSnapshot},${side},${ticks / 2},${lots / 10}\n`,
    ),
  );
  return HEADER + rows.join("");
}

type Levels = Readonly<Record<string, number>>;

/** The book after each message, from a map of prices. */
function plainly(messages: readonly Message[]): Levels[] {
  const book = new Map<string, number>();
  return messages.map(({ isSnapshot, changes }) => {
    if (isSnapshot) book.clear();
    for (const [side, ticks, lots] of changes) {
      if (lots === 0) book.delete(`${side} ${ticks}`);
      else book.set(`${side} ${ticks}`, lots);
    }
    return Object.fromEntries(book);
  });
}

/** The books of a replay of the store. */
async function replayed(
  store: HistoryStore,
): Promise<{ readonly books: Levels[]; readonly localUs: number[] }> {
  const tape = await openTape(store, "btcusdt", GRID);
  const book = new ReplayBook();
  const books: Levels[] = [];
  for (let message = 0; message < tape.messages; message++) {
    book.applyMessage(tape, message);
    const levels: Record<string, number> = {};
    for (const [name, side] of [
      ["bid", book.bids],
      ["ask", book.asks],
    ] as const)
      side.walk((ticks, lots) => {
        levels[`${name} ${ticks}`] = lots;
        return true;
      });
    books.push(levels);
  }
  return { books, localUs: [...tape.localUs] };
}

async function imported(text: string): Promise<HistoryStore> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  await take(store, [fileOf(folder, "book.csv", text)]);
  return store;
}

const change: fc.Arbitrary<Change> = fc.tuple(
  fc.constantFrom("bid", "ask"),
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 0, max: 40 }),
);
const messages: fc.Arbitrary<readonly Message[]> = fc
  .array(
    fc.record({
      afterUs: fc.constantFrom(0, 1, 250, 3_000_000),
      latencyUs: fc.integer({ min: 1, max: 900 }),
      isSnapshot: fc.boolean(),
      changes: fc.uniqueArray(change, {
        minLength: 1,
        maxLength: 7,
        selector: ([side, ticks]) => `${side} ${ticks}`,
      }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((drafts) => {
    let exchangeUs = START_US;
    return drafts.map(({ afterUs, latencyUs, isSnapshot, changes }, at) => {
      exchangeUs += afterUs;
      // Messages come one after the other: no two share both stamps.
      return { exchangeUs, localUs: exchangeUs + latencyUs * 20 + at, isSnapshot, changes };
    });
  });

describe("a book file with one row per level", () => {
  // A snapshot split into rows leaves only its worst level in the book: our bid at the best price
  // would have no queue ahead.
  it("is replayed message by message, and a snapshot as a whole", async () => {
    const told: readonly Message[] = [
      {
        exchangeUs: START_US,
        localUs: START_US + 50,
        isSnapshot: true,
        changes: [
          ["bid", 200, 50],
          ["bid", 198, 100],
          ["bid", 196, 200],
          ["ask", 202, 40],
          ["ask", 204, 90],
        ],
      },
      {
        exchangeUs: START_US + 100,
        localUs: START_US + 150,
        isSnapshot: false,
        changes: [
          ["bid", 200, 0],
          ["ask", 202, 35],
        ],
      },
      {
        exchangeUs: START_US + 100,
        localUs: START_US + 160,
        isSnapshot: false,
        changes: [["bid", 194, 7]],
      },
      // No row reaches as far down as 194, but the level there is gone all the same.
      {
        exchangeUs: START_US + 200,
        localUs: START_US + 250,
        isSnapshot: true,
        changes: [
          ["bid", 198, 1],
          ["ask", 203, 2],
        ],
      },
    ];
    const { books, localUs } = await replayed(await imported(tardis(told)));
    expect(books).toEqual([
      { "bid 200": 50, "bid 198": 100, "bid 196": 200, "ask 202": 40, "ask 204": 90 },
      { "bid 198": 100, "bid 196": 200, "ask 202": 35, "ask 204": 90 },
      { "bid 198": 100, "bid 196": 200, "bid 194": 7, "ask 202": 35, "ask 204": 90 },
      { "bid 198": 1, "ask 203": 2 },
    ]);
    expect(localUs).toEqual(told.map((message) => message.localUs));
  });

  it("gives the same books as a map of prices, whatever its messages are", async () => {
    await fc.assert(
      fc.asyncProperty(messages, async (told) => {
        const { books, localUs } = await replayed(await imported(tardis(told)));
        expect(books).toEqual(plainly(told));
        expect(localUs).toEqual(told.map((message) => message.localUs));
      }),
      { numRuns: 12 },
    );
  });

  it("keeps the messages of several markets in one file apart", async () => {
    const row = (symbol: string, us: number, price: number): string =>
      `x,${symbol},${us},${us + 9},true,bid,${price},1\n`;
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const text = `${HEADER}${row("A", START_US, 10)}${row("B", START_US, 20)}${row("A", START_US, 9)}${row("A", START_US, 8)}`;
    await take(store, [fileOf(folder, "book.csv", text)], { symbol: "A" });
    // Rows of another market lie between its rows: the rows after them are a separate message.
    expect((await replayed(store)).books).toEqual([
      { "bid 20": 10 },
      { "bid 18": 10, "bid 16": 10 },
    ]);
  });

  it("is split into messages by its stamps if a mapping names the columns", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const rows = [
      `${START_US},${START_US + 5},1,bid,100,5`,
      `${START_US},${START_US + 5},1,bid,99,10`,
      `${START_US},${START_US + 5},1,ask,101,7`,
      `${START_US + 9},${START_US + 12},0,bid,100,0`,
      `${START_US + 9},${START_US + 12},0,bid,98,3`,
    ];
    const mapping = checkMapping({
      kind: "book",
      timeUnit: "us",
      columns: {
        time: "t",
        recvTime: "r",
        isSnapshot: "whole",
        side: "side",
        price: "p",
        amount: "a",
      },
    });
    await take(store, [fileOf(folder, "levels.csv", `t,r,whole,side,p,a\n${rows.join("\n")}\n`)], {
      mapping,
    });
    expect((await replayed(store)).books).toEqual([
      { "bid 200": 50, "bid 198": 100, "ask 202": 70 },
      { "bid 198": 100, "bid 196": 30, "ask 202": 70 },
    ]);
  });

  // A book read in the middle of a message is crossed or lacks its best price: our quotes would
  // meet an offer that nobody made.
  it("has the rows of one local stamp in one message, and reports their different exchange stamps", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const row = (us: number, localUs: number, isSnapshot: boolean, rest: string): string =>
      `x,X,${us},${localUs},${isSnapshot},${rest}\n`;
    const [later, heard] = [START_US + 1_000_000, START_US + 1_005_000];
    const text = [
      row(START_US, START_US + 50, true, "bid,100,5"),
      row(START_US + 7, START_US + 50, true, "ask,101,7"),
      row(later, heard, false, "bid,101,5"),
      row(later + 1000, heard, false, "ask,101,0"),
      row(later + 900, heard, false, "ask,102,3"),
      row(later + 1000, heard + 1, false, "bid,100,0"),
    ];
    const { files } = await take(store, [fileOf(folder, "book.csv", HEADER + text.join(""))]);
    expect(files[0]?.findings).toEqual([
      expect.stringContaining("several exchange times but one local time"),
    ]);
    const { books, localUs } = await replayed(store);
    expect(books).toEqual([
      { "bid 200": 50, "ask 202": 70 },
      { "bid 200": 50, "bid 202": 50, "ask 204": 30 },
      { "bid 202": 50, "ask 204": 30 },
    ]);
    expect(localUs).toEqual([START_US + 50, heard, heard + 1]);
    const tape = await openTape(store, "btcusdt", GRID);
    expect([...tape.exchangeUs]).toEqual([START_US + 7, later + 1000, later + 1000]);
  });

  const mapped = async (
    rows: readonly (readonly [
      ms: number,
      local: string,
      side: string,
      price: number,
      amount: number,
    ])[],
    timeUnit = "ms",
  ) => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const columns = { time: "t", recvTime: "r", side: "side", price: "p", amount: "a" };
    const mapping = checkMapping({ kind: "book", recvTimeUnit: timeUnit, columns });
    await take(
      store,
      [
        fileOf(
          folder,
          "levels.csv",
          `t,r,side,p,a\n${rows.map((row) => `${row.join()}\n`).join("")}`,
        ),
      ],
      { mapping },
    );
    return (await replayed(store)).books;
  };
  const MS = START_US / 1000;

  it("does so too if a mapping names a local stamp", async () => {
    const rows = [
      [MS, `${MS + 5}`, "bid", 100, 5],
      [MS + 1, `${MS + 5}`, "ask", 101, 5],
      [MS + 1, `${MS + 6}`, "ask", 102, 5],
    ] as const;
    expect(await mapped(rows)).toEqual([
      { "bid 200": 50, "ask 202": 50 },
      { "bid 200": 50, "ask 202": 50, "ask 204": 50 },
    ]);
  });

  // After a stall all waiting messages are received at once. Once, 1.9 s of a book became one
  // message with the stamp of its last row, and nothing was filled in between.
  it("keeps updates apart that the exchange sent at different times, although they were received together", async () => {
    const heard = START_US + 2_000_000;
    const stalled = (stepUs: number) =>
      Array.from({ length: 20 }, (_, n) => [heard - 1_950_000 + n * stepUs, 200 - n] as const);
    for (const stepUs of [100_000, 20_000]) {
      const folder = scratchFolder();
      const store = new HistoryStore(join(folder, "history"));
      const rows = stalled(stepUs).map(
        ([us, ticks]) => `x,X,${us},${heard},false,bid,${ticks / 2},1\n`,
      );
      const { files } = await take(store, [fileOf(folder, "book.csv", HEADER + rows.join(""))]);
      expect(files[0]?.findings).toEqual([]);
      const tape = await openTape(store, "btcusdt", GRID);
      expect([...tape.exchangeUs]).toEqual(stalled(stepUs).map(([us]) => us));
      expect([...tape.localUs].every((us) => us === heard)).toBe(true);
      const told = stalled(stepUs).map(
        ([us, ticks]) => [us / 1000, `${heard / 1000 + 0.5}`, "bid", ticks / 2, 1] as const,
      );
      expect(await mapped(told)).toHaveLength(20);
    }
  });

  it("has rows that differ by milliseconds in one message, even if another local stamp covers separate messages", async () => {
    const heard = `${MS + 5000}`;
    const rows = [
      [MS, `${MS + 60}`, "bid", 100, 5],
      [MS + 50, `${MS + 60}`, "ask", 101, 5],
      [MS + 1000, heard, "ask", 102, 5],
      [MS + 1000, heard, "ask", 103, 5],
      [MS + 1051, heard, "ask", 104, 5],
    ] as const;
    expect((await mapped(rows)).map((book) => Object.keys(book).length)).toEqual([2, 4, 5]);
  });

  it("is split by both stamps if the local one is in whole seconds, in which several messages come", async () => {
    const second = Math.ceil(MS / 1000) + 1;
    const rows = [
      [MS, `${second}`, "bid", 100, 5],
      [MS + 1, `${second}`, "ask", 101, 5],
    ] as const;
    expect(await mapped(rows, "s")).toEqual([{ "bid 200": 50 }, { "bid 200": 50, "ask 202": 50 }]);
  });

  it("is split by the exchange's stamp in rows without a local one", async () => {
    const rows = [
      [MS, "", "bid", 100, 5],
      [MS + 1, "", "ask", 101, 5],
      [MS + 2, `${MS + 5}`, "ask", 102, 5],
    ] as const;
    expect(await mapped(rows)).toEqual([
      { "bid 200": 50 },
      { "bid 200": 50, "ask 202": 50 },
      { "bid 200": 50, "ask 202": 50, "ask 204": 50 },
    ]);
  });
});
