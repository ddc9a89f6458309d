import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { RunError } from "#core/errors.js";
import { Duck } from "#history/duck.js";
import { HistoryError } from "#history/history-errors.js";
import { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";
import { StoreLock } from "#history/store-lock.js";
import { fileOf, scratchFolder } from "./scratch.js";

const TRADES =
  "id,price,amount,quoteAmount,time,isBuyerMaker,status\n1,5.25,2,10.5,1723161600000,true,SETTLED\n2,5.5,1,5.5,1723161600900,false,SETTLED\n";

async function imported() {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  const clock = { partsAt: [], baseLatencyNs: 0n };
  const files = [fileOf(folder, "trades.csv", TRADES)];
  const [file] = (await importFiles(store, { market: "btcusdt", files, clock, replace: false }))
    .files;
  const [manifest] = file?.days ?? [];
  if (manifest === undefined) throw new Error("nothing was imported");
  return { store, manifest };
}

describe("an impossible store folder", () => {
  it("is refused with its path and the remedy by recordings, downloads and imports", async () => {
    const inTheWay = fileOf(scratchFolder(), "history", "a file");
    const store = join(inTheWay, "below");
    const refusal = expect.objectContaining({
      field: expect.stringContaining(store),
      message: expect.stringContaining("cannot be created"),
    });
    expect(() => StoreLock.take(store)).toThrow(refusal);
    expect(() => StoreLock.take(store)).toThrow(RunError);
    await expect(Duck.open(join(store, "spill"))).rejects.toThrow(refusal);
  });
});

describe("an unreadable entry of a store", () => {
  it("is reported as a named file, not as an error of the system", async () => {
    const { store, manifest } = await imported();
    const path = store.dataPath(manifest, manifest.day);
    rmSync(path);
    mkdirSync(path);
    await expect(store.verify(manifest)).rejects.toThrow(HistoryError);
    await expect(store.verify(manifest)).rejects.toMatchObject({
      file: path,
      message: expect.stringContaining("cannot be read"),
    });
  });

  it.skipIf(process.getuid?.() === 0)(
    "is reported as a named folder (skipped for root, who may read every one)",
    async () => {
      const { store, manifest } = await imported();
      const folder = dirname(store.dataPath(manifest, manifest.day));
      chmodSync(folder, 0);
      try {
        expect(() => store.days(manifest)).toThrow(expect.objectContaining({ file: folder }));
      } finally {
        chmodSync(folder, 0o700);
      }
    },
  );
});
