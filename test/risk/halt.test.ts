import { describe, expect, it } from "vitest";
import {
  applyDemands,
  type HaltDemand,
  type HaltState,
  halt,
  haltsOf,
  manualHalt,
  placesAllowed,
  quotesAllowed,
  RUNNING,
  resume,
} from "../../src/risk/halt.js";

const HOLD = 1_000;
const staleBook: HaltDemand = {
  scope: "market",
  marketId: "btcusdc",
  name: "stale-book",
  why: "3 s old",
  resumesByItself: true,
};
const drawdown: HaltDemand = {
  scope: "account",
  name: "drawdown",
  why: "501 lost",
  resumesByItself: false,
};

const looked = (state: HaltState, demands: readonly HaltDemand[], nowMs: number) =>
  applyDemands(state, demands, nowMs, HOLD).state;

describe("a halt", () => {
  it("takes down the quotes where it applies, and nowhere else", () => {
    const state = looked(RUNNING, [staleBook], 0);
    expect([quotesAllowed(state, "btcusdc"), quotesAllowed(state, "ethusdc")]).toEqual([
      false,
      true,
    ]);
    const all = halt(state, drawdown, 0).state;
    expect(quotesAllowed(all, "ethusdc")).toBe(false);
    expect(haltsOf(all, "btcusdc").map((reason) => reason.name)).toEqual([
      "stale-book",
      "drawdown",
    ]);
  });

  it("ends by itself once its condition has stayed away for the hold time, not at the first good moment", () => {
    let state = looked(RUNNING, [staleBook], 0);
    state = looked(state, [], 500);
    expect(quotesAllowed(state, "btcusdc")).toBe(false);
    state = looked(state, [staleBook], 1_400);
    state = looked(state, [], 1_600);
    state = looked(state, [], 2_599);
    expect(quotesAllowed(state, "btcusdc")).toBe(false);
    const step = applyDemands(state, [], 2_600, HOLD);
    expect(step.ended.map((reason) => [reason.name, reason.sinceMs])).toEqual([["stale-book", 0]]);
    expect(quotesAllowed(step.state, "btcusdc")).toBe(true);
  });

  it("tells its beginning and its end once each: no log fills with the same line", () => {
    const first = applyDemands(RUNNING, [staleBook], 0, HOLD);
    expect(first.begun).toMatchObject([{ name: "stale-book", sinceMs: 0 }]);
    const second = applyDemands(first.state, [{ ...staleBook, why: "4 s old" }], 10, HOLD);
    expect([second.begun, second.ended]).toEqual([[], []]);
    expect(second.state.reasons[0]?.why).toBe("4 s old");
    const same = applyDemands(second.state, [{ ...staleBook, why: "4 s old" }], 20, HOLD);
    expect(same.state).toBe(second.state);
  });

  it("that does not resume by itself stays until somebody resumes, whatever becomes of its condition", () => {
    const state = looked(RUNNING, [drawdown], 0);
    expect(quotesAllowed(looked(state, [], 1_000_000), "btcusdc")).toBe(false);
    const step = resume(state, undefined);
    expect(step.ended.map((reason) => reason.name)).toEqual(["drawdown"]);
    expect(quotesAllowed(step.state, "btcusdc")).toBe(true);
  });

  it("of a person ends by a person, while the automatic ones stay until they are over", () => {
    const state = halt(
      looked(RUNNING, [staleBook], 0),
      manualHalt(undefined, "halt command"),
      5,
    ).state;
    const step = resume(state, undefined);
    expect(step.ended.map((reason) => reason.name)).toEqual(["manual"]);
    expect(quotesAllowed(step.state, "btcusdc")).toBe(false);
    expect(quotesAllowed(step.state, "ethusdc")).toBe(true);
  });

  it("of the account does not end by the resuming of one market", () => {
    let state = halt(RUNNING, manualHalt(undefined, "all"), 0).state;
    state = halt(state, manualHalt("btcusdc", "one"), 0).state;
    state = halt(state, manualHalt("ethusdc", "another"), 0).state;
    state = resume(state, "btcusdc").state;
    expect(state.reasons.map((reason) => reason.why)).toEqual(["all", "another"]);
    expect(resume(state, "btcusdc").state).toBe(state);
  });

  it("comes back at once when it was resumed while its condition holds", () => {
    const mismatch: HaltDemand = {
      scope: "account",
      name: "domain-mismatch",
      why: "chainId",
      resumesByItself: false,
    };
    const resumed = resume(looked(RUNNING, [mismatch], 0), undefined).state;
    expect(quotesAllowed(looked(resumed, [mismatch], 1), "btcusdc")).toBe(false);
  });

  it("asked for twice is one, and is not softened by a second asking", () => {
    const once = halt(RUNNING, manualHalt("btcusdc", "first"), 0);
    const twice = halt(once.state, manualHalt("btcusdc", "second"), 9);
    expect(twice.begun).toEqual([]);
    expect(twice.state.reasons).toMatchObject([{ why: "second", sinceMs: 0 }]);
    const softer = looked(
      looked(RUNNING, [drawdown], 0),
      [{ ...drawdown, resumesByItself: true }],
      1,
    );
    expect(quotesAllowed(looked(softer, [], 1_000_000), "btcusdc")).toBe(false);
  });

  it("lets a position be taken down on command, unless what we know is not to be trusted", () => {
    expect(placesAllowed(RUNNING, "btcusdc")).toBe("any");
    expect(placesAllowed(halt(RUNNING, drawdown, 0).state, "btcusdc")).toBe("reduce-only");
    expect(placesAllowed(looked(RUNNING, [drawdown, staleBook], 0), "btcusdc")).toBe("none");
    expect(placesAllowed(looked(RUNNING, [drawdown, staleBook], 0), "ethusdc")).toBe("reduce-only");
  });
});
