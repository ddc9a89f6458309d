import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { openTapes } from "#history/open-tapes.js";
import { TapeKind } from "#history/tape.js";
import { finalBook } from "../../support/final-book.js";
import { openTape } from "../open-tape.js";
import { fileOf, scratchFolder, take } from "../scratch.js";

const STEPS = { tickSize: "1", stepSize: "1" };
const ALL = { ...STEPS, fromUs: 0, toUs: 4e15 };
const NOON = Date.UTC(2025, 0, 12, 12);
const DAY = 86_400_000;
/** A second as a fraction of a day. */
const SECOND = 1 / 86_400;

type Levels = readonly (readonly [price: number, amount: number])[];

/** @param day after the first one's noon, fractions allowed. */
type Told = readonly [day: number, type: string, bids: Levels, asks: Levels];

/**
 * Imports a separate book for each message, the first whole, without sequences that would link
 * them.
 * @returns the store
 */
async function stored(messages: readonly Told[]): Promise<HistoryStore> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  for (const [index, line] of messages.map((told) => lineOf(told)).entries())
    await take(store, [fileOf(folder, `message${index}.ndjson`, line)]);
  return store;
}

/** Imports all messages as one capture. @returns the store */
async function captured(messages: readonly Told[]): Promise<HistoryStore> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  await take(store, [fileOf(folder, "capture.ndjson", messages.map(lineOf).join(""))]);
  return store;
}

/** @param index of the message, which serves as its sequence; without it there is none */
function lineOf([day, type, bids, asks]: Told, index?: number): string {
  const text = (levels: Levels): string[][] => levels.map((level) => level.map(String));
  const timestamp = Math.round(NOON + day * DAY);
  const message = {
    type,
    sequence: index,
    beginSequence: index,
    endSequence: index,
    timestamp,
    bids: text(bids),
    asks: text(asks),
  };
  return `${JSON.stringify(message)}\n`;
}

/** The book at the end of a replay of everything, as signed ticks and lots. */
async function lastBook(
  store: HistoryStore,
  fromUs = 0,
): Promise<readonly (readonly [number, number])[]> {
  const tape = await openTape(store, "btcusdt", { ...ALL, fromUs });
  return finalBook(tape);
}

const FIRST = [0, "snapshot", [[100, 5]], [[101, 7]]] as const;

describe("a book that continues after missing days", () => {
  it("has no old levels that an order of ours could meet, only those reported since", async () => {
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

  it("is empty from the first message of the day, tape by tape", async () => {
    const store = await stored([FIRST, [2, "update", [[90, 3]], []]]);
    const kinds: number[][] = [];
    for await (const tape of await openTapes(store, "btcusdt", ALL)) kinds.push([...tape.kind]);
    expect(kinds).toEqual([[TapeKind.bookSnapshot], [TapeKind.bookLost], [TapeKind.bookUpdate]]);
  });

  it("continues unchanged between consecutive files, over midnight too, and is whole if the day begins with a whole one", async () => {
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
    const tape = await openTape(
      await stored([FIRST, [2, "snapshot", [[90, 3]], [[95, 1]]]]),
      "btcusdt",
      ALL,
    );
    expect(tape.messages).toBe(2);
  });

  it("is empty too after hours without a file, on the same day or the next: its old levels may be gone", async () => {
    for (const day of [0.25, 1]) {
      const store = await stored([FIRST, [day, "update", [[90, 3]], []]]);
      expect(await lastBook(store)).toEqual([[90, 3]]);
      const { gaps } = await openTapes(store, "btcusdt", {
        ...ALL,
        fromUs: NOON * 1000,
        toUs: (NOON + day * DAY + 1000) * 1000,
      });
      // The gap lasts until the next snapshot, not only until the next message.
      expect(gaps).toEqual([{ kind: "book", span: [NOON + 1, NOON + day * DAY + 1000] }]);
    }
  });
});

describe("a span that begins on a later day of a capture with only one snapshot", () => {
  const [whole, first, second] = [
    [0.5 - SECOND, "snapshot", [[100, 5]], [[101, 7]]],
    [0.5 + SECOND, "update", [[90, 3]], []],
    [0.5 + 50 * SECOND, "update", [[100, 4]], []],
  ] as const;
  const fromMs = NOON + (0.5 + 10 * SECOND) * DAY;
  const wish = { ...ALL, fromUs: fromMs * 1000, toUs: (fromMs + 20_000) * 1000 };

  it("begins with the book at its beginning: without it a bot quotes nothing, and a walk forward's windows after midnight are empty", async () => {
    const store = await captured([whole, first, second]);
    const tape = await openTape(store, "btcusdt", { ...ALL, fromUs: wish.fromUs });
    expect(tape.kind[0]).toBe(TapeKind.bookSnapshot);
    expect(tape.exchangeUs[0]).toBe(wish.fromUs);
    expect(finalBook(tape)).toEqual([
      [100, 4],
      [90, 3],
      [-101, 7],
    ]);
    const { days, gaps } = await openTapes(store, "btcusdt", wish);
    expect(days.map(({ input }) => input.day)).toEqual(["2025-01-12", "2025-01-13"]);
    expect(gaps).toEqual([]);
  });

  it("reads no further back than to the last whole book", async () => {
    const store = await captured([
      whole,
      first,
      [0.5 + 2 * SECOND, "snapshot", [[70, 1]], [[75, 2]]],
      second,
    ]);
    const { days } = await openTapes(store, "btcusdt", wish);
    expect(days.map(({ input }) => input.day)).toEqual(["2025-01-13"]);
  });

  it("reports the time of an unknown book as a gap, if there was no snapshot before, or no message for a minute", async () => {
    const { gaps } = await openTapes(await captured([first, second]), "btcusdt", wish);
    expect(gaps).toEqual([{ kind: "book", span: [fromMs, fromMs + 20_000] }]);
    const silent = await openTapes(
      await stored([[0.4, "snapshot", [[100, 5]], [[101, 7]]], first, second]),
      "btcusdt",
      wish,
    );
    expect(silent.days.map(({ input }) => input.day)).toEqual(["2025-01-13"]);
    expect(silent.gaps).toEqual([{ kind: "book", span: [fromMs, fromMs + 20_000] }]);
  });
});
