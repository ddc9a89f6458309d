import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { currentProcessName } from "#core/process-life.js";
import { HistoryStore } from "#history/history-store.js";
import { RecordingPart, recordingFolder } from "#history/recording-part.js";
import { stagedWork } from "#history/staged-work.js";
import { othersOfThisId } from "./other-processes.js";
import { fileOf, scratchFolder, take } from "./scratch.js";

/** An id that no process has. */
const DEAD = 999_999_999;
const SERIES = { market: "btcusdt", kind: "trades" };

describe("Staged work in a store", () => {
  it("is empty if no process works and none was killed", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    expect(stagedWork(store)).toEqual([]);
    await take(store, [
      fileOf(folder, "t.csv", "id,price,amount,time,isBuyerMaker\n1,5,1,1723161600000,true\n"),
    ]);
    expect(stagedWork(store)).toEqual([]);
  });

  it("includes a killed recording until the next one, with advice on how to store it", () => {
    const store = new HistoryStore(join(scratchFolder(), "history"));
    const parent = recordingFolder(store.root, "btcusdt");
    const part = RecordingPart.begin(parent, 1, {
      market: "btcusdt",
      source: "x",
      grid: { tickSize: "0.1", stepSize: "0.001" },
    });
    part.add("trades", { id: 1 });
    part.close();
    writeFileSync(join(parent, "lock"), String(DEAD));
    const [killed, ...others] = stagedWork(store);
    expect(others).toEqual([]);
    expect(killed).toMatchObject({
      what: "recording",
      market: "btcusdt",
      path: parent,
      process: undefined,
    });
    expect(killed?.bytes).toBeGreaterThan(0);
    expect(killed?.advice).toContain(`data record --store ${store.root} --market btcusdt`);
    writeFileSync(join(parent, "lock"), currentProcessName());
    expect(stagedWork(store)[0]?.process).toBe(process.pid);
  });

  it("includes the remains of killed imports and downloads, and a half-written day", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const csv = fileOf(
      folder,
      "t.csv",
      "id,price,amount,time,isBuyerMaker\n1,5,1,1723161600000,true\n",
    );
    await take(store, [csv]);
    const left = join(store.root, ".staging", `import-${DEAD}`);
    mkdirSync(left);
    writeFileSync(join(left, "0.parquet"), "half");
    writeFileSync(
      join(store.staging({ market: "btcusdt", kind: "klines-1M" }), "1723161600000.ndjson"),
      "{}\n",
    );
    writeFileSync(store.nextPath(SERIES, "2024-08-10"), "half a day");
    expect(
      stagedWork(store).map(({ what, market, bytes, process: pid }) => [what, market, bytes, pid]),
    ).toEqual([
      ["download", "btcusdt", 3, undefined],
      ["import", undefined, 4, undefined],
      ["day", "btcusdt", 10, undefined],
    ]);
    // The next import deletes both, whatever it imports.
    await take(store, [csv]);
    expect(existsSync(left)).toBe(false);
    // Also if this process has the id of the killed one, as in a container.
    for (const { name } of othersOfThisId()) {
      const killed = join(store.root, ".staging", `import-${name}`);
      mkdirSync(killed);
      await take(store, [csv]);
      expect(existsSync(killed)).toBe(false);
    }
    expect(stagedWork(store).map(({ what }) => what)).toEqual(["download"]);
  });
});
