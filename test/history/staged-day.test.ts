import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { StagedRecords } from "#history/staged-records.js";
import { fileOf, scratchFolder } from "./scratch.js";

const staged = (path: string, ...records: object[]): StagedRecords => {
  const day = new StagedRecords(path);
  for (const record of records) day.add(record);
  day.close();
  return new StagedRecords(path);
};

it("continues after its last complete record, even one as long as a deep book", () => {
  const path = join(scratchFolder(), "book.ndjson");
  for (const length of [10, 65_535, 65_536, 300_000]) {
    const last = { length, levels: "x".repeat(length) };
    const day = staged(path, { first: true }, last);
    expect([day.first, day.last]).toEqual([{ first: true }, last]);
    // A process that died during an even longer record left only a part of it.
    appendFileSync(path, `{"levels":"${"y".repeat(2 * length)}`);
    expect(staged(path).last).toEqual(last);
  }
  expect(readFileSync(path, "utf8").endsWith('x"}\n')).toBe(true);
});

it("is empty for a file without a complete record, and refuses a foreign file", () => {
  const folder = scratchFolder();
  const torn = fileOf(folder, "torn.ndjson", `{"levels":"${"y".repeat(200_000)}`);
  expect(staged(torn).last).toBeUndefined();
  expect(readFileSync(torn, "utf8")).toBe("");
  expect(() => new StagedRecords(fileOf(folder, "foreign.ndjson", "no record\n"))).toThrow(
    "ends with a line that is not a record",
  );
});
