import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";
import { scratchFolder } from "./scratch.js";

const FROM_MS = Date.UTC(2026, 0, 5);
type Levels = readonly (readonly [string, string])[];

/** A book message, in seconds after the first. */
const message = (type: "snapshot" | "update", second: number, bids: Levels, asks: Levels) => ({
  type,
  line: second + 1,
  ticker_id: "btcusdc",
  ...(type === "snapshot"
    ? { sequence: 1000 }
    : { beginSequence: 1000 + second, endSequence: 1000 + second, prevEndSequence: 999 + second }),
  timestamp: FROM_MS + second * 1000,
  bids,
  asks,
});

async function findingsOf(messages: readonly object[]): Promise<readonly string[]> {
  const folder = scratchFolder();
  const file = join(folder, "books.ndjson");
  writeFileSync(file, `${messages.map((one) => JSON.stringify(one)).join("\n")}\n`);
  const clock = { partsAt: [], baseLatencyNs: 0n };
  const { files } = await importFiles(new HistoryStore(join(folder, "store")), {
    market: "btcusdc",
    files: [file],
    clock,
    replace: false,
  });
  return files
    .flatMap(({ findings }) => findings)
    .filter((finding) => finding.includes("lacked a side"));
}

const BIDS: Levels = [
  ["100.0", "1"],
  ["99.0", "1"],
];
const ASKS: Levels = [
  ["101.0", "1"],
  ["102.0", "1"],
];

// Swapped bids and asks, and missing updates, once showed only in a run's figures, if at all.
describe("an import of a book in which quoting is impossible", () => {
  it("reports that it is crossed for most of its time, and what to check", async () => {
    expect(
      await findingsOf([
        message("snapshot", 0, ASKS, BIDS),
        message("update", 10, [], [["98.0", "1"]]),
      ]),
    ).toEqual([
      expect.stringMatching(
        /^the book was crossed or lacked a side for 100 % of its time: crossed for 100 %: check that bids and asks/,
      ),
    ]);
  });

  it("reports one that lost an update and one that lacks a side", async () => {
    const lost = [
      message("snapshot", 0, BIDS, ASKS),
      message("update", 1, [["103.0", "1"]], []),
      message("update", 10, [["98.0", "1"]], []),
    ];
    expect(await findingsOf(lost)).toEqual([expect.stringContaining("crossed for 90 %")]);
    const oneSided = [message("snapshot", 0, BIDS, []), message("update", 10, [["98.0", "1"]], [])];
    expect(await findingsOf(oneSided)).toEqual([expect.stringContaining("one-sided for 100 %")]);
  });

  it("reports nothing if it is crossed for a moment, or if its best level comes and goes", async () => {
    const sound = [
      message("snapshot", 0, BIDS, ASKS),
      message("update", 1, [["101.0", "1"]], []),
      message("update", 2, [["101.0", "0"]], []),
      message("update", 3, [["100.0", "0"]], [["101.0", "0"]]),
      message("update", 10, [], [["103.0", "1"]]),
    ];
    expect(await findingsOf(sound)).toEqual([]);
  });

  it("reports nothing for the middle of a recording whose updates show only one side, since another file may have the rest", async () => {
    expect(
      await findingsOf([
        message("update", 0, [["99.0", "1"]], []),
        message("update", 10, [["98.0", "1"]], []),
      ]),
    ).toEqual([]);
    const crossed = [
      message("update", 0, BIDS, []),
      message("update", 1, [], [["98.0", "1"]]),
      message("update", 10, [["97.0", "1"]], []),
    ];
    expect(await findingsOf(crossed)).toEqual([expect.stringContaining("crossed for 100 %")]);
  });
});
