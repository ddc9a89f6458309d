import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { replayJournal } from "#bot/replay-journal.js";
import { recordLive } from "./live-recording.js";

it("30 seconds of live trading through a failing network replay to the same actions, byte for byte", async () => {
  const folder = mkdtempSync(join(tmpdir(), "marketwright-journal-"));
  try {
    const path = join(folder, "run.journal");
    const { struck, placed, fills } = await recordLive(path, 30_000);
    expect([...struck.keys()].sort()).toEqual([
      "5xx",
      "answer delayed",
      "answer lost",
      "connection lost",
      "frame lost",
      "stream dropped",
    ]);
    expect(placed).toBeGreaterThan(20);
    expect(fills).toBeGreaterThan(0);
    const result = await replayJournal(path);
    expect(result.divergence).toBeUndefined();
    expect(result.phase).toBe("stopped");
    expect(result.actions).toBeGreaterThan(placed);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
