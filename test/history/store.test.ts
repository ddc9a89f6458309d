import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { listHistory } from "#history/list-history.js";
import { fileOf, scratchFolder, take } from "./scratch.js";

const MIDNIGHT = 1723161600000;

const trade = (id: number, time: number): string =>
  `${JSON.stringify({ id, price: "5", amount: "1", quoteAmount: "1", time, isBuyerMaker: id % 2 === 0, status: "SETTLED" })}\n`;

describe("a store of history", () => {
  async function stored(): Promise<{
    readonly store: HistoryStore;
    readonly path: string;
    readonly manifestPath: string;
    readonly folder: string;
  }> {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    await take(store, [fileOf(folder, "t.ndjson", trade(1, MIDNIGHT) + trade(2, MIDNIGHT + 1))]);
    const series = { market: "btcusdt", kind: "trades" };
    return {
      store,
      folder,
      path: store.dataPath(series, "2024-08-09"),
      manifestPath: store.manifestPath(series, "2024-08-09"),
    };
  }

  it("names a file whose bytes changed, a truncated one, one without a manifest, and a foreign one", async () => {
    const { store, path, manifestPath } = await stored();
    const whole = readFileSync(path);
    const problems = async (): Promise<string> =>
      (await listHistory(store, { verify: true })).flatMap((series) => series.problems).join("\n");
    expect(await problems()).toBe("");
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(20) ^ 1, 20);
    writeFileSync(path, changed);
    expect(await problems()).toContain(`${path}: is broken: its checksum differs`);
    writeFileSync(path, whole.subarray(0, 100));
    expect(await problems()).toContain("its size has changed");
    writeFileSync(path, whole);
    const manifest = readFileSync(manifestPath);
    writeFileSync(manifestPath, "{}");
    expect(await problems()).toContain(`${manifestPath}: is not a manifest`);
    writeFileSync(manifestPath, manifest);
    writeFileSync(join(store.root, "btcusdt", "trades", "notes.txt"), "x");
    expect(await problems()).toContain("notes.txt: does not belong in the store");
  });

  it("completes the work of a killed writer if its manifest was written, and undoes anything less", async () => {
    const { store, folder, path } = await stored();
    const series = { market: "btcusdt", kind: "trades" };
    // Killed between the manifest and the rename.
    renameSync(path, store.nextPath(series, "2024-08-09"));
    expect(() => store.days(series)).toThrow(/is missing, although its manifest exists/);
    (await store.open(series)).release();
    expect(store.days(series)[0]?.rows).toBe(2);
    // Killed while it wrote the next version.
    writeFileSync(store.nextPath(series, "2024-08-09"), readFileSync(path).subarray(0, 50));
    await take(store, [fileOf(folder, "more.ndjson", trade(3, MIDNIGHT + 2))]);
    expect(store.days(series)[0]?.rows).toBe(3);
    expect(existsSync(store.nextPath(series, "2024-08-09"))).toBe(false);
  });

  it("has one writer per series, and ignores the lock of a dead process", async () => {
    const { store } = await stored();
    const series = { market: "btcusdt", kind: "trades" };
    const lock = await store.open(series);
    await expect(store.open(series)).rejects.toThrow(/is being written by another process/);
    lock.release();
    writeFileSync(join(store.staging(series), "lock"), "999999999");
    (await store.open(series)).release();
  });
});
