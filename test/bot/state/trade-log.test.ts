import { describe, expect, it } from "vitest";
import { MemoryStateStore } from "../../../src/bot/state/state-dir.js";
import { FILLS_FILE, TradeLog } from "../../../src/bot/state/trade-log.js";
import { MARKET, venueTrade } from "../../account/exchange-story.js";

/** `event id` of each line. */
function lines(store: MemoryStateStore): string[] {
  const text = (store.read(FILLS_FILE) ?? "").trimEnd();
  return text === "" ? [] : text.split("\n").map((line) => `${JSON.parse(line).event} ${JSON.parse(line).id}`);
}

/** What an earlier run has left: a fill of each of these trades. */
function leftBy(ids: readonly number[]): { readonly store: MemoryStateStore; readonly log: TradeLog } {
  const store = new MemoryStateStore();
  const before = new TradeLog(store);
  for (const id of ids) before.note({ kind: "fill", trade: venueTrade(id, "BUY", 1) });
  return { store, log: new TradeLog(store) };
}

describe("the record of trades at a start", () => {
  it("gains what was matched and settled while no bot ran, once", () => {
    const { store, log } = leftBy([100]);
    const trade = venueTrade(101, "BUY", 4, { status: "SETTLED" });
    expect([log.noteEarlier(trade), log.noteEarlier(trade)]).toEqual([true, false]);
    expect(lines(store)).toEqual(["fill 100", "fill 101", "settled 101"]);
    expect(new TradeLog(store).noteEarlier(trade)).toBe(false);
    expect(lines(store)).toHaveLength(3);
  });

  // It was somebody's by hand, before there was a bot: told as a fill that was missed, it would be looked for in the position.
  it("has nothing of what is older than all that it has", () => {
    const { store, log } = leftBy([100]);
    expect(log.noteEarlier(venueTrade(99, "BUY", 4, { status: "SETTLED" }))).toBe(false);
    expect(lines(store)).toEqual(["fill 100"]);
  });

  it("does not write a second time what lies before the part of it that is read", () => {
    const ids = Array.from({ length: 8_000 }, (_, at) => 1_000 + at);
    const { store, log } = leftBy(ids);
    expect(Buffer.byteLength(store.read(FILLS_FILE) ?? "")).toBeGreaterThan(1.2 * 2 ** 20);
    expect(log.noteEarlier(venueTrade(1_001, "BUY", 1))).toBe(false);
    expect(log.noteEarlier(venueTrade(8_998, "BUY", 1))).toBe(false);
    expect(log.noteEarlier(venueTrade(9_000, "BUY", 1))).toBe(true);
    expect(lines(store)).toHaveLength(8_001);
  });

  it("tells of a market that it has nothing of nothing, and of a trade that failed no fill", () => {
    const { store, log } = leftBy([100]);
    expect(log.noteEarlier(venueTrade(101, "BUY", 4, { marketId: `${MARKET}-other` }))).toBe(false);
    expect(log.noteEarlier(venueTrade(102, "BUY", 4, { status: "FAILED" }))).toBe(false);
    expect(lines(store)).toEqual(["fill 100", "trade-failed 102"]);
  });
});
