import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTape, openTapes } from "../../../src/history/columns/open-tape.js";
import { StandingBook } from "../../../src/history/columns/standing-book.js";
import { HistoryStore } from "../../../src/history/store.js";
import { fileOf, scratchFolder, take } from "../scratch.js";

const STEPS = { tickSize: "1", stepSize: "1" };
const ALL = { ...STEPS, fromUs: 0, toUs: 4e15 };
const NOON = Date.UTC(2025, 0, 12, 12);
const DAY = 86_400_000;

type Levels = readonly (readonly [price: number, amount: number])[];

/** Imports a book of its own for each day, the first whole. @returns the store */
async function stored(days: readonly (readonly [day: number, type: string, bids: Levels, asks: Levels])[]): Promise<HistoryStore> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  const text = (levels: Levels): string[][] => levels.map((level) => level.map(String));
  for (const [day, type, bids, asks] of days) {
    const message = {
      type,
      sequence: day,
      beginSequence: day,
      endSequence: day,
      timestamp: NOON + day * DAY,
      bids: text(bids),
      asks: text(asks),
    };
    await take(store, [fileOf(folder, `day${day}.ndjson`, `${JSON.stringify(message)}\n`)]);
  }
  return store;
}

/** The book that a replay of all of it ends with, as signed ticks and lots. */
async function lastBook(store: HistoryStore, fromUs = 0): Promise<readonly (readonly [number, number])[]> {
  const tape = await openTape(store, "btcusdt", { ...ALL, fromUs });
  const book = new StandingBook();
  book.play(tape, tape.messages);
  return book.rows();
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
    expect(kinds).toEqual([[1], [1], [0]]);
  });

  it("goes on as it stood where no day is missing, and is whole where the day begins with a whole one", async () => {
    expect(await lastBook(await stored([FIRST, [1, "update", [[90, 3]], []]]))).toEqual([
      [100, 5],
      [90, 3],
      [-101, 7],
    ]);
    const tape = await openTape(await stored([FIRST, [2, "snapshot", [[90, 3]], [[95, 1]]]]), "btcusdt", ALL);
    expect(tape.messages).toBe(2);
  });
});
