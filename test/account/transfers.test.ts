import { describe, expect, it } from "vitest";
import { Transfers } from "../../src/account/transfers.js";

const START_MS = 1_000_000;
const deposit = (id: string, timeMs: number, amount = 100n) => ({ id, timeMs, amount });

describe("deposits and withdrawals across a restart", () => {
  it("are summed from what the last run had counted, each once, withdrawals with their sign", () => {
    const transfers = new Transfers({ sinceMs: START_MS, ids: ["1"] });
    transfers.noteEarlier(deposit("1", START_MS + 5));
    transfers.noteEarlier(deposit("2", START_MS - 1));
    transfers.noteEarlier(deposit("3", START_MS));
    transfers.noteEarlier(deposit("3", START_MS));
    transfers.noteEarlier(deposit("4", START_MS + 9_000_000, -30n));
    expect(transfers.earlier).toBe(70n);
    expect(transfers.askFromMs).toBe(START_MS);
  });

  it("before the first run of all are in the net value that it begins with, and are not asked for", () => {
    const transfers = new Transfers(undefined);
    transfers.begin(START_MS);
    transfers.noteEarlier(deposit("1", START_MS - 1));
    expect(transfers.earlier).toBe(0n);
    expect(transfers.askFromMs).toBeUndefined();
    expect(transfers.counted(START_MS + 1_000), "nor does the next run count them").toEqual({ sinceMs: START_MS, ids: [] });
  });

  it("are remembered by name as long as one may still be told late", () => {
    const transfers = new Transfers(undefined);
    transfers.begin(START_MS);
    transfers.note(deposit("1", START_MS + 1_000));
    transfers.note(deposit("2", START_MS + 50_000));
    expect(transfers.counted(START_MS + 60_000)).toEqual({ sinceMs: START_MS, ids: ["1", "2"] });
    expect(transfers.counted(START_MS + 100_000)).toEqual({ sinceMs: START_MS + 40_000, ids: ["2"] });
  });
});
