import { describe, expect, it } from "vitest";
import { ActionBudget, BUDGET_FILE } from "#bot/action-budget.js";
import { DiscardingStore } from "#bot/discarding-store.js";
import { CorruptStateError, MemoryStateStore, type StateStore } from "#bot/state-dir.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { ExchangeTime } from "#exchange/exchange-time.js";
import type { VenueRules } from "#exchange/records.js";

const START_MS = 1_700_000_000_000;

function rulesWith(order: number): VenueRules {
  return {
    creditDecimals: 6,
    paperDecimals: 18,
    eip712: {
      domainSeparator: "0x",
      domainTypeHash: "0x",
      orderTypeHash: "0x",
      chainId: 1,
      domainName: "",
      domainVersion: "",
      verifyingContract: "0x",
    },
    rateLimits: [
      { name: "ORDER", intervalMs: 60_000, limit: order },
      { name: "COMMON", intervalMs: 60_000, limit: 2_400 },
    ],
    waiveGasFeeMinimumQuote: 0n,
    markets: {},
    serverTimeMs: START_MS,
  };
}

function budgetOn(store: StateStore, clock: VirtualClock, order = 100): ActionBudget {
  const rules = { ...rulesWith(order), serverTimeMs: clock.nowMs() };
  return new ActionBudget({
    rules,
    guardFraction: 0.1,
    clock,
    exchangeTime: new ExchangeTime(clock, rules.serverTimeMs),
    store,
  });
}

describe("the account's tokens", () => {
  it.each([
    ["null", /it is null.*a mapping/],
    ["[]", /expected a mapping/],
    ["17", /it is 17.*a mapping/],
    ['{"lead":"yes"}', /lead is "yes".*true or false/],
    ['{"ORDER":{"spends":5,"blockedUntilWallMs":0}}', /spends/],
    ['{"COMMON":null}', /spends/],
  ])("refuse to start from a corrupt file of the spent tokens: %s", (text, why) => {
    const open = () =>
      budgetOn(new MemoryStateStore({ [BUDGET_FILE]: text }), new VirtualClock(START_MS));
    expect(open).toThrow(CorruptStateError);
    expect(open).toThrow(why);
    expect(open, "the file is named").toThrow(BUDGET_FILE);
  });

  it("are not spent twice by a bot that was killed and started again", async () => {
    const clock = new VirtualClock(START_MS);
    const store = new MemoryStateStore();
    const first = budgetOn(store, clock);
    for (let spent = 0; spent < 40; spent++) first.spend("place");
    await clock.runFor(10_000);
    const second = budgetOn(store, clock);
    expect(second.available("ORDER")).toBeLessThanOrEqual(60);
    await clock.runFor(51_000);
    // Tokens that may have been spent between the last write and the kill count as spent at the
    // start.
    expect(second.available("ORDER")).toBeGreaterThan(60);
    await clock.runFor(10_000);
    expect(second.available("ORDER")).toBe(100);
  });

  it("are counted the same by a run that discards its state, without creating a text of them", () => {
    const clock = new VirtualClock(START_MS);
    class Watched extends DiscardingStore {
      texts = 0;
      override writeBehind(): void {
        this.texts += 1;
      }
    }
    const store = new Watched();
    const budget = budgetOn(store, clock);
    for (let spent = 0; spent < 60; spent++) budget.spend("place");
    budget.persistAhead();
    budget.persistExact();
    expect(budget.available("ORDER")).toBe(40);
    expect(store.texts).toBe(0);
    expect(budgetOn(store, clock).available("ORDER")).toBe(100);
  });

  it("are persisted exactly on a clean shutdown", () => {
    const clock = new VirtualClock(START_MS);
    const store = new MemoryStateStore();
    const first = budgetOn(store, clock);
    for (let spent = 0; spent < 5; spent++) first.spend("cancel");
    first.persistExact();
    expect(budgetOn(store, clock).available("ORDER")).toBe(95);
    expect(JSON.parse(store.read(BUDGET_FILE) ?? "").lead).toBe(true);
  });

  it("are written in a file that stays small, however many tokens the exchange allows", async () => {
    const clock = new VirtualClock(START_MS);
    const store = new MemoryStateStore();
    const budget = budgetOn(store, clock, 1_000_000);
    for (let second = 0; second < 60; second++) {
      for (let spent = 0; spent < 1000; spent++) {
        budget.charge("place");
        await clock.runFor(1);
      }
    }
    budget.persistExact();
    expect(JSON.parse(store.read(BUDGET_FILE) ?? "").ORDER.spends.length).toBeLessThan(700);
  });

  it.each(["", "\0\0\0\0"])(
    "count as unspent after a power loss that left their file empty or full of zeros",
    (left) => {
      const store = new MemoryStateStore({ [BUDGET_FILE]: left });
      expect(budgetOn(store, new VirtualClock(START_MS)).available("ORDER")).toBe(100);
    },
  );

  it("follow a limit that the exchange changes, less the spent tokens, and so does the guard's share", () => {
    const clock = new VirtualClock(START_MS);
    const budget = budgetOn(new MemoryStateStore(), clock);
    for (let spent = 0; spent < 30; spent++) budget.spend("place");
    budget.rulesRead(rulesWith(50));
    expect([budget.limit("ORDER"), budget.available("ORDER"), budget.guardReserve.ORDER]).toEqual([
      50, 20, 5,
    ]);
    budget.rulesRead(rulesWith(200));
    expect([budget.limit("ORDER"), budget.available("ORDER"), budget.guardReserve.ORDER]).toEqual([
      200, 170, 20,
    ]);
  });
});
