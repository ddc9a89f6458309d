import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { fileOf, scratchFolder, take } from "./scratch.js";

const START = Date.UTC(2025, 0, 12);
const HOUR = 3_600_000;
/** Payments every eight hours, stamped with a delay. */
const payments = (hours: readonly number[], lateMs: number): string =>
  hours
    .map(
      (hour) =>
        `${JSON.stringify({ fundingRate: "0.0001", fundingTime: START + hour * HOUR + lateMs })}\n`,
    )
    .join("");

describe("Funding from two sources", () => {
  it("that stamp a payment some milliseconds apart is refused: a position would pay it twice", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    await take(store, [fileOf(folder, "archive.ndjson", payments([0, 8, 16], 0))]);
    await expect(take(store, [fileOf(folder, "api.ndjson", payments([8, 16], 7))])).rejects.toThrow(
      /api\.ndjson: the store already has funding of 2025-01-12 from another source at another time.*1736668800007000000 ns, and 1736668800000000000 ns of archive\.ndjson/,
    );
    expect(store.days({ market: "btcusdt", kind: "funding" })[0]?.rows).toBe(3);
  });

  it("is joined if both stamp it equally, or if one continues the other", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    await take(store, [fileOf(folder, "one.ndjson", payments([0, 8], 0))]);
    await take(store, [fileOf(folder, "other.ndjson", payments([8, 16], 0))]);
    expect(store.days({ market: "btcusdt", kind: "funding" })[0]?.rows).toBe(3);
  });
});
