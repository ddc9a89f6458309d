import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { captureTape } from "../support/capture-tape.js";
import { openTape } from "./open-tape.js";
import { query, scratchFolder, take } from "./scratch.js";

const DATA = process.env.MARKETWRIGHT_DATA ?? join(import.meta.dirname, "../../../shared/data");
const isHere = existsSync(join(DATA, "MANIFEST.json"));

describe.skipIf(!isHere)(
  `the recorded data (${isHere ? DATA : `skipped: not at ${DATA}, nor where MARKETWRIGHT_DATA says`})`,
  () => {
    it("has its clock corrected by what hftbacktest publishes for 2024-08-08, every level of its book, and the same columns as its files", async () => {
      const store = new HistoryStore(join(scratchFolder(), "history"));
      const files = ["trades", "books"].map((kind) =>
        join(DATA, kind, "btcusdt-perp_20240808.ndjson.gz"),
      );
      const { files: imported, clock } = await take(store, files);
      expect(clock).toEqual([
        { fromSeq: 0n, addedNs: 1_272_156_851n, smallestNs: -1_272_156_851n },
      ]);
      expect(imported.map(({ kind, rows, findings }) => [kind, rows, findings])).toEqual([
        ["trades", 21_313, []],
        ["book", 445_521, []],
      ]);
      const [{ least } = { least: null }] = await query(
        store,
        `SELECT min(recvNs - timeNs) AS least FROM read_parquet('${store.root}/btcusdt/book/*.parquet')`,
      );
      expect(least).toBe(0n);
      const wish = {
        tickSize: "0.1",
        stepSize: "0.001",
        fromUs: 1_723_161_000_000_000,
        toUs: 1_723_162_000_000_000,
      };
      const tape = await openTape(store, "btcusdt", { ...wish, blockRows: 100_000 });
      const { byLocal, ...built } = captureTape("btcusdt-perp_20240808");
      expect(tape).toMatchObject({ messages: built.messages, rows: built.rows });
      for (const [name, column] of Object.entries({ ...built, byLocal })) {
        const read: unknown = tape[name as keyof typeof tape];
        // Compared as bytes: comparing half a million numbers one by one takes longer than the rest
        // of the test.
        if (ArrayBuffer.isView(column))
          expect(bytesOf(column).equals(bytesOf(read as ArrayBufferView)), name).toBe(true);
      }
    });
  },
);

function bytesOf(view: ArrayBufferView): Buffer {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}
