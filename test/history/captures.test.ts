import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "../../src/history/store.js";
import { query, scratchFolder, take } from "./scratch.js";

const DATA = process.env.MARKETWRIGHT_DATA ?? join(import.meta.dirname, "../../../shared/data");
const isHere = existsSync(join(DATA, "MANIFEST.json"));

describe.skipIf(!isHere)(`the recorded data (${isHere ? DATA : `skipped: not at ${DATA}, nor where MARKETWRIGHT_DATA says`})`, () => {
  it("has its clock corrected by what hftbacktest publishes for 2024-08-08, and every level of its book", async () => {
    const store = new HistoryStore(join(scratchFolder(), "history"));
    const files = ["trades", "books"].map((kind) => join(DATA, kind, "btcusdt-perp_20240808.ndjson.gz"));
    const { files: imported, clock } = await take(store, files);
    expect(clock).toEqual([{ fromSeq: 0n, addedNs: 1_272_156_851n, smallestNs: -1_272_156_851n }]);
    expect(imported.map(({ kind, rows, findings }) => [kind, rows, findings])).toEqual([
      ["trades", 21_313, []],
      ["book", 445_521, []],
    ]);
    const [{ least } = { least: null }] = await query(
      store,
      `SELECT min(recvNs - timeNs) AS least FROM read_parquet('${store.root}/btcusdt/book/*.parquet')`,
    );
    expect(least).toBe(0n);
  });
});
