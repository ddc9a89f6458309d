import { describe, expect, it } from "vitest";
import { CorruptStateError, MemoryStateStore } from "#bot/state-dir.js";
import { FILLS_FILE, RECORD_BEGINS_FILE, TradeLog } from "#bot/trade-log.js";
import { MARKET, venueTrade } from "../../account/exchange-story.js";

/** `event id` of each line. */
function lines(store: MemoryStateStore): string[] {
  const text = (store.read(FILLS_FILE) ?? "").trimEnd();
  return text === ""
    ? []
    : text.split("\n").map((line) => `${JSON.parse(line).event} ${JSON.parse(line).id}`);
}

/** Record of an earlier run: a fill of each of these trades. */
function leftBy(ids: readonly number[]): {
  readonly store: MemoryStateStore;
  readonly log: TradeLog;
} {
  const store = new MemoryStateStore();
  const before = new TradeLog(store);
  for (const id of ids) before.note({ kind: "fill", trade: venueTrade(id, "BUY", 1) });
  return { store, log: new TradeLog(store) };
}

describe("the record of trades at a start", () => {
  it("adds trades that were matched and settled while no bot ran, once", () => {
    const { store, log } = leftBy([100]);
    const trade = venueTrade(101, "BUY", 4, { status: "SETTLED" });
    expect([log.recordEarlierTrade(trade), log.recordEarlierTrade(trade)]).toEqual([true, false]);
    expect(lines(store)).toEqual(["fill 100", "fill 101", "settled 101"]);
    expect(new TradeLog(store).recordEarlierTrade(trade)).toBe(false);
    expect(lines(store)).toHaveLength(3);
  });

  // It was a manual trade, from before there was a bot: reported as a missed fill, it would be
  // expected in the position.
  it("does not add trades from before its beginning", () => {
    const { store, log } = leftBy([100]);
    expect(log.recordEarlierTrade(venueTrade(99, "BUY", 4, { status: "SETTLED" }))).toBe(false);
    expect(lines(store)).toEqual(["fill 100"]);
  });

  it("adds all trades since it began in a market, also those before its first written fill", () => {
    const store = new MemoryStateStore();
    new TradeLog(store).begin([MARKET]);
    // A market that the file does not name for a while: the stream reports the owner's manual
    // trades there all the same.
    new TradeLog(store).note({ kind: "fill", trade: venueTrade(50, "BUY", 1) });
    const back = new TradeLog(store);
    expect([
      back.recordEarlierTrade(venueTrade(40, "SELL", 1)),
      back.recordEarlierTrade(venueTrade(50, "BUY", 1)),
    ]).toEqual([true, false]);
    expect(lines(store)).toEqual(["fill 50", "fill 40"]);
    expect(new TradeLog(store).recordEarlierTrade(venueTrade(40, "SELL", 1))).toBe(false);
  });

  it("does not write trades again that lie before the part that is read", () => {
    const ids = Array.from({ length: 8_000 }, (_, at) => 1_000 + at);
    const { store, log } = leftBy(ids);
    expect(Buffer.byteLength(store.read(FILLS_FILE) ?? "")).toBeGreaterThan(1.2 * 2 ** 20);
    expect(log.recordEarlierTrade(venueTrade(1_001, "BUY", 1))).toBe(false);
    expect(log.recordEarlierTrade(venueTrade(8_998, "BUY", 1))).toBe(false);
    expect(log.recordEarlierTrade(venueTrade(9_000, "BUY", 1))).toBe(true);
    expect(lines(store)).toHaveLength(8_001);
  });

  it("adds nothing for a market that is not in it, and no fill for a failed trade", () => {
    const { store, log } = leftBy([100]);
    expect(log.recordEarlierTrade(venueTrade(101, "BUY", 4, { marketId: `${MARKET}-other` }))).toBe(
      false,
    );
    expect(log.recordEarlierTrade(venueTrade(102, "BUY", 4, { status: "FAILED" }))).toBe(false);
    expect(lines(store)).toEqual(["fill 100", "trade-failed 102"]);
  });

  // The first quote of a bot was filled after it was killed. The next run found the position, but
  // no record explained it.
  it("adds the first fill of a market too, if an earlier run has begun there", () => {
    const store = new MemoryStateStore();
    const first = new TradeLog(store);
    first.recordEarlierTrade(venueTrade(7, "SELL", 1));
    first.begin([MARKET]);
    const next = new TradeLog(store);
    expect([7, 8].map((id) => next.recordEarlierTrade(venueTrade(id, "BUY", 1)))).toEqual([
      false,
      true,
    ]);
    next.begin([MARKET]);
    expect(lines(store)).toEqual(["fill 8"]);
    expect(new TradeLog(store).recordEarlierTrade(venueTrade(8, "BUY", 1))).toBe(false);
  });

  it("does not write a market's trades again if another market has pushed them out of the part that is read", () => {
    const store = new MemoryStateStore();
    const quiet = `${MARKET}-quiet`;
    const first = new TradeLog(store);
    first.begin([MARKET, quiet]);
    first.note({ kind: "fill", trade: venueTrade(1, "BUY", 1, { marketId: quiet }) });
    for (let id = 1_000; id < 9_000; id += 1)
      first.note({ kind: "fill", trade: venueTrade(id, "BUY", 1) });
    const log = new TradeLog(store);
    expect(
      [1, 9_001].map((id) => log.recordEarlierTrade(venueTrade(id, "BUY", 1, { marketId: quiet }))),
    ).toEqual([false, true]);
  });

  it("refuses a corrupt file of its beginnings", () => {
    const store = new MemoryStateStore();
    store.write(RECORD_BEGINS_FILE, '{"btcusdc":"yesterday"}');
    expect(() => new TradeLog(store)).toThrow(CorruptStateError);
  });
});
