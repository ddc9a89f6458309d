import { describe, expect, it } from "vitest";
import { ManualHaltStore, manualHaltFile } from "#bot/manual-halt-store.js";
import { CorruptStateError, MemoryStateStore } from "#bot/state-dir.js";
import type { Hex } from "#core/units.js";

const account = `0x${"4a".repeat(20)}` as Hex;
const markets = ["btcusdc", "ethusdc", "solusdc"];
const news = (marketId: string | undefined, atMs = 1) => ({ marketId, why: "news", atMs });
const textOf = (halts: readonly object[]) => JSON.stringify({ version: 1, account, halts });

describe("a manual halt", () => {
  it("survives halts that other processes write at the same moment: none overwrites another's", () => {
    const store = new MemoryStateStore();
    const processes = markets.map((marketId) => ({
      marketId,
      memory: new ManualHaltStore(store, account),
    }));
    for (const { memory } of processes) expect(memory.read()).toEqual([]);
    for (const { marketId, memory } of processes) memory.save(news(marketId));
    expect(new ManualHaltStore(store, account).read()).toEqual(
      markets.map((marketId) => news(marketId)),
    );
  });

  it("is lifted by a resume of everything, even if the bot has never received it: otherwise its next start would be halted", () => {
    const store = new MemoryStateStore();
    const bot = new ManualHaltStore(store, account);
    new ManualHaltStore(store, account).save(news("btcusdc"));
    bot.remove(() => true);
    expect(new ManualHaltStore(store, account).read()).toEqual([]);
  });

  it("of an earlier version lasts until its market is resumed: an upgrade does not resume it", () => {
    const store = new MemoryStateStore({
      "manual-halts.json": textOf([news("btcusdc", 2), { why: "all", atMs: 3 }]),
    });
    const memory = new ManualHaltStore(store, account);
    expect(memory.read()).toEqual([news("btcusdc", 2), { why: "all", atMs: 3 }]);
    memory.remove(({ marketId }) => marketId === "btcusdc");
    expect(memory.read()).toEqual([{ why: "all", atMs: 3 }]);
    memory.save(news(undefined, 4));
    expect(memory.read()).toEqual([{ why: "news", atMs: 4 }]);
    memory.remove(() => true);
    expect(new ManualHaltStore(store, account).read()).toEqual([]);
  });

  it("in the file of another market is refused, since no resume would find it", () => {
    const store = new MemoryStateStore({ [manualHaltFile("ethusdc")]: textOf([news("btcusdc")]) });
    expect(() => new ManualHaltStore(store, account).read()).toThrow(CorruptStateError);
  });

  // The key was only named after the whole content of the file, which was shown twice.
  it("with an unknown key is refused by an error that names the key first, however long the file", () => {
    const text = JSON.stringify({ version: 1, account, halts: [], untilMs: "9".repeat(3000) });
    const memory = new ManualHaltStore(new MemoryStateStore({ [manualHaltFile()]: text }), account);
    const read = () => memory.read();
    expect(read).toThrow(CorruptStateError);
    expect(read).toThrow(/^manual-halt\.json: state is corrupt: expected no key untilMs .{0,500}$/);
  });
});
