import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTape, openTapes } from "../../../src/history/columns/open-tape.js";
import { TapeKind } from "../../../src/history/columns/tape.js";
import { HistoryStore } from "../../../src/history/store.js";
import { endingBook } from "../../support/ending-book.js";
import { fileOf, scratchFolder, take } from "../scratch.js";

const STEPS = { tickSize: "1", stepSize: "1" };
const ALL = { ...STEPS, fromUs: 0, toUs: 4e15 };
const NOON = Date.UTC(2025, 0, 12, 12);
const DAY = 86_400_000;
/** Of a day. */
const SECOND = 1 / 86_400;

type Levels = readonly (readonly [price: number, amount: number])[];

/** Imports a book of its own for each message, the first whole. @param day after the first one's noon, fractions allowed. @returns the store */
async function stored(days: readonly (readonly [day: number, type: string, bids: Levels, asks: Levels])[]): Promise<HistoryStore> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  const text = (levels: Levels): string[][] => levels.map((level) => level.map(String));
  for (const [index, [day, type, bids, asks]] of days.entries()) {
    const message = {
      type,
      sequence: index,
      beginSequence: index,
      endSequence: index,
      timestamp: Math.round(NOON + day * DAY),
      bids: text(bids),
      asks: text(asks),
    };
    await take(store, [fileOf(folder, `message${index}.ndjson`, `${JSON.stringify(message)}\n`)]);
  }
  return store;
}

/** The book that a replay of all of it ends with, as signed ticks and lots. */
async function lastBook(store: HistoryStore, fromUs = 0): Promise<readonly (readonly [number, number])[]> {
  const tape = await openTape(store, "btcusdt", { ...ALL, fromUs });
  return endingBook(tape);
}

const FIRST = [0, "snapshot", [[100, 5]], [[101, 7]]] as const;

describe("a book that goes on after days that are missing", () => {
  it("has nothing of before, which an order of ours would meet: only what was told since", async () => {
    const store = await stored([FIRST, [2, "update", [[90, 3]], [[95, 1]]]]);
    expect(await lastBook(store)).toEqual([
      [90, 3],
      [-95, 1],
    ]);
    expect(await lastBook(store, (NOON + DAY) * 1000)).toEqual([
      [90, 3],
      [-95, 1],
    ]);
  });

  it("is empty for whoever hears of the day at all, tape after tape", async () => {
    const store = await stored([FIRST, [2, "update", [[90, 3]], []]]);
    const kinds: number[][] = [];
    for await (const tape of await openTapes(store, "btcusdt", ALL)) kinds.push([...tape.kind]);
    expect(kinds).toEqual([[TapeKind.bookSnapshot], [TapeKind.bookLost], [TapeKind.bookUpdate]]);
  });

  it("goes on as it stood where files follow on each other, over midnight too, and is whole where the day begins with a whole one", async () => {
    const follows = [
      [0.5 - SECOND, "snapshot", [[100, 5]], [[101, 7]]],
      [0.5 + SECOND, "update", [[90, 3]], []],
      [0.5 + 50 * SECOND, "update", [[80, 1]], []],
    ] as const;
    expect(await lastBook(await stored(follows))).toEqual([
      [100, 5],
      [90, 3],
      [80, 1],
      [-101, 7],
    ]);
    const tape = await openTape(await stored([FIRST, [2, "snapshot", [[90, 3]], [[95, 1]]]]), "btcusdt", ALL);
    expect(tape.messages).toBe(2);
  });

  it("is empty too after hours that no file has, on the same day as on the next: what stood then is nobody's offer", async () => {
    for (const day of [0.25, 1]) {
      const store = await stored([FIRST, [day, "update", [[90, 3]], []]]);
      expect(await lastBook(store)).toEqual([[90, 3]]);
      const { gaps } = await openTapes(store, "btcusdt", { ...ALL, fromUs: NOON * 1000, toUs: (NOON + day * DAY + 1000) * 1000 });
      // Not only as long as nothing was told, but since no snapshot came.
      expect(gaps).toEqual([{ kind: "book", span: [NOON + 1, NOON + day * DAY + 1000] }]);
    }
  });
});
