import { describe, expect, it } from "vitest";
import { TransferLedger } from "#account/transfer-ledger.js";

const START_MS = 1_000_000;
const deposit = (id: string, timeMs: number, amount = 100n) => ({ id, timeMs, amount });

describe("deposits and withdrawals across a restart", () => {
  it("are summed from the last run's count, each once, withdrawals with their sign", () => {
    const transfers = new TransferLedger({ sinceMs: START_MS, ids: ["1"] });
    transfers.noteEarlier(deposit("1", START_MS + 5));
    transfers.noteEarlier(deposit("2", START_MS - 1));
    transfers.noteEarlier(deposit("3", START_MS));
    transfers.noteEarlier(deposit("3", START_MS));
    transfers.noteEarlier(deposit("4", START_MS + 9_000_000, -30n));
    expect(transfers.earlier).toBe(70n);
    expect(transfers.queryFromMs).toBe(START_MS);
  });

  it("before the very first run are in its first net value, and are not queried", () => {
    const transfers = new TransferLedger(undefined);
    transfers.begin(START_MS);
    transfers.noteEarlier(deposit("1", START_MS - 1));
    expect(transfers.earlier).toBe(0n);
    expect(transfers.queryFromMs).toBeUndefined();
    expect(transfers.counted(START_MS + 1_000), "nor does the next run count them").toEqual({
      sinceMs: START_MS,
      ids: [],
    });
  });

  it("reported before the very first net value are stored for the next run, and not queried", () => {
    const transfers = new TransferLedger(undefined);
    transfers.noteEarlier(deposit("1", START_MS + 5));
    transfers.begin(START_MS);
    expect(transfers.earlier).toBe(0n);
    expect(transfers.counted(START_MS + 1_000)).toEqual({ sinceMs: START_MS, ids: ["1"] });
  });

  it("from before a run are all reported a minute after its start", () => {
    const transfers = new TransferLedger({ sinceMs: 0, ids: [] });
    expect(transfers.areAllReported(Number.MAX_SAFE_INTEGER), "before it has begun").toBe(false);
    transfers.begin(START_MS);
    expect(transfers.areAllReported(START_MS + 59_999)).toBe(false);
    expect(transfers.areAllReported(START_MS + 60_000)).toBe(true);
  });

  it("are stored by id as long as one may still be reported late", () => {
    const transfers = new TransferLedger(undefined);
    transfers.begin(START_MS);
    transfers.note(deposit("1", START_MS + 1_000));
    transfers.note(deposit("2", START_MS + 50_000));
    expect(transfers.counted(START_MS + 60_000)).toEqual({ sinceMs: START_MS, ids: ["1", "2"] });
    expect(transfers.counted(START_MS + 100_000)).toEqual({
      sinceMs: START_MS + 40_000,
      ids: ["2"],
    });
  });

  it("are stored as long by later runs, although only their ids are stored", () => {
    const first = new TransferLedger(undefined);
    first.begin(START_MS);
    first.note(deposit("1", START_MS + 100_000));
    const second = new TransferLedger(first.counted(START_MS + 101_000));
    second.noteEarlier(deposit("1", START_MS + 100_000));
    const memory = second.counted(START_MS + 110_000);
    expect(memory).toEqual({ sinceMs: START_MS + 50_000, ids: ["1"] });
    expect(
      new TransferLedger(memory).counted(START_MS + 120_000).ids,
      "also where a run's first list lacks it",
    ).toEqual(["1"]);
    expect(second.counted(START_MS + 161_000)).toEqual({ sinceMs: START_MS + 101_000, ids: [] });
  });
});
