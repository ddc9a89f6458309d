import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import type { ImportOptions } from "#history/import-files.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, scratchFolder, take } from "../scratch.js";

const START_MS = Date.UTC(2025, 0, 12, 12);
const COLUMNS = { time: "t", isSnapshot: "whole", side: "side", price: "p", amount: "a" };
const OWN = { ...COLUMNS, beginSequence: "first", endSequence: "last" };
const HEAD = "symbol,t,whole,first,last,before,side,p,a\n";

/** One level of a message. */
const row = (
  ms: number,
  [begin, end, previous]: readonly [number, number, number?],
  level: string,
  symbol = "A",
  whole = 0,
): string => `${symbol},${START_MS + ms},${whole},${begin},${end},${previous ?? ""},${level}\n`;

async function imported(
  text: string,
  columns: Readonly<Record<string, string>>,
  options: Partial<ImportOptions> = {},
) {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  const mapping = checkMapping({ kind: "book", columns });
  const { files } = await take(store, [fileOf(folder, "depth.csv", HEAD + text)], {
    mapping,
    ...options,
  });
  const [day] = store.days({ market: "btcusdt", kind: "book" });
  return { covered: day?.covered, lost: day?.lost, findings: files[0]?.findings };
}

const at = (from: number, to: number): readonly [number, number] => [
  START_MS + from,
  START_MS + to,
];
const BEGIN = row(0, [10, 10], "bid,100,5", "A", 1) + row(0, [10, 10], "ask,101,7", "A", 1);

// A mapping named the sequences of a book, but gaps in them were once not checked: deleted levels
// stayed available to takers.
describe("the sequences of a mapped book", () => {
  it("tell where messages are missing, and the book is not known from there to the next snapshot", async () => {
    const text =
      BEGIN +
      row(1000, [11, 12], "bid,98,3") +
      row(4000, [15, 15], "bid,97,2") +
      row(4000, [15, 15], "ask,103,2") +
      row(9000, [20, 20], "bid,95,6", "A", 1) +
      row(9500, [21, 21], "bid,95,8");
    expect(await imported(text, OWN)).toEqual({
      covered: [at(0, 1001), at(9000, 9501)],
      lost: [at(1001, 9000)],
      findings: [
        expect.stringMatching(
          /^2 updates do not continue the one before .* the book is unknown for 7\.999 s/,
        ),
        expect.stringMatching(/name that column prevEndSequence/),
      ],
    });
  });

  it("may tell the one before in a column of their own, where they are not counted one after the other", async () => {
    const told =
      BEGIN +
      row(100, [9, 14, 8], "bid,99,1") +
      row(1000, [17, 19, 14], "bid,98,3") +
      row(1000, [17, 19, 14], "ask,104,1") +
      row(2000, [23, 23, 19], "bid,97,2");
    const columns = { ...OWN, prevEndSequence: "before" };
    expect(await imported(told, columns)).toEqual({
      covered: [at(0, 2001)],
      lost: undefined,
      findings: [],
    });
    const { beginSequence: _, ...alone } = columns;
    expect(await imported(told, alone)).toEqual({
      covered: [at(0, 2001)],
      lost: undefined,
      findings: [],
    });
    const missed = `${told}${row(3000, [30, 31, 29], "bid,96,1")}${row(5000, [40, 40], "bid,95,6", "A", 1)}`;
    expect(await imported(missed, columns)).toEqual({
      covered: [at(0, 2001), at(5000, 5001)],
      lost: [at(2001, 5000)],
      findings: [expect.stringMatching(/^1 updates do not continue/)],
    });
  });

  it("are those of the market that is asked for, whose messages rows of another may part", async () => {
    const text =
      BEGIN +
      row(1000, [11, 12], "bid,98,3") +
      row(1000, [901, 905], "bid,9,1", "B") +
      row(1000, [11, 12], "ask,105,2") +
      row(2000, [13, 13], "bid,97,2") +
      row(2000, [990, 995], "bid,8,1", "B");
    expect(await imported(text, OWN, { symbol: "A" })).toEqual({
      covered: [at(0, 2001)],
      lost: undefined,
      findings: [],
    });
    expect((await imported(text, OWN, { symbol: "B" })).lost).toEqual([at(1001, 2001)]);
    await expect(imported(text, OWN)).rejects.toThrow(/has several markets/);
  });

  it("say nothing where only one of them is named, which need not be counted one after the other", async () => {
    const text = BEGIN + row(1000, [11, 12], "bid,98,3") + row(4000, [15, 15], "bid,97,2");
    expect(await imported(text, { ...COLUMNS, endSequence: "last" })).toEqual({
      covered: [at(0, 4001)],
      lost: undefined,
      findings: [],
    });
  });
});
