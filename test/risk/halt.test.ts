import { describe, expect, it } from "vitest";
import {
  addHalt,
  allowedPlaces,
  areQuotesAllowed,
  createManualHalt,
  type HaltRequest,
  type HaltState,
  haltsFor,
  NO_HALTS,
  resumeHalts,
  updateHalts,
} from "#risk/halt.js";

const HOLD = 1_000;
const staleBook: HaltRequest = {
  scope: "market",
  marketId: "btcusdc",
  name: "stale-book",
  why: "3 s old",
  resumesByItself: true,
};
const drawdown: HaltRequest = {
  scope: "account",
  name: "drawdown",
  why: "501 lost",
  resumesByItself: false,
};

const looked = (state: HaltState, demands: readonly HaltRequest[], nowMs: number) =>
  updateHalts(state, demands, nowMs, HOLD).state;

describe("a halt", () => {
  it("cancels the quotes where it applies, and nowhere else", () => {
    const state = looked(NO_HALTS, [staleBook], 0);
    expect([areQuotesAllowed(state, "btcusdc"), areQuotesAllowed(state, "ethusdc")]).toEqual([
      false,
      true,
    ]);
    const all = addHalt(state, drawdown, 0).state;
    expect(areQuotesAllowed(all, "ethusdc")).toBe(false);
    expect(haltsFor(all, "btcusdc").map((reason) => reason.name)).toEqual([
      "stale-book",
      "drawdown",
    ]);
  });

  it("ends automatically once its condition has been over for the hold time, not at the first good moment", () => {
    let state = looked(NO_HALTS, [staleBook], 0);
    state = looked(state, [], 500);
    expect(areQuotesAllowed(state, "btcusdc")).toBe(false);
    state = looked(state, [staleBook], 1_400);
    state = looked(state, [], 1_600);
    state = looked(state, [], 2_599);
    expect(areQuotesAllowed(state, "btcusdc")).toBe(false);
    const step = updateHalts(state, [], 2_600, HOLD);
    expect(step.ended.map((reason) => [reason.name, reason.sinceMs])).toEqual([["stale-book", 0]]);
    expect(areQuotesAllowed(step.state, "btcusdc")).toBe(true);
  });

  it("reports its beginning and its end once each: no log fills with the same line", () => {
    const first = updateHalts(NO_HALTS, [staleBook], 0, HOLD);
    expect(first.begun).toMatchObject([{ name: "stale-book", sinceMs: 0 }]);
    const second = updateHalts(first.state, [{ ...staleBook, why: "4 s old" }], 10, HOLD);
    expect([second.begun, second.ended]).toEqual([[], []]);
    expect(second.state.reasons[0]?.why).toBe("4 s old");
    const same = updateHalts(second.state, [{ ...staleBook, why: "4 s old" }], 20, HOLD);
    expect(same.state).toBe(second.state);
  });

  it("that does not end automatically lasts until a person resumes, whatever its condition does", () => {
    const state = looked(NO_HALTS, [drawdown], 0);
    expect(areQuotesAllowed(looked(state, [], 1_000_000), "btcusdc")).toBe(false);
    const step = resumeHalts(state, undefined);
    expect(step.ended.map((reason) => reason.name)).toEqual(["drawdown"]);
    expect(areQuotesAllowed(step.state, "btcusdc")).toBe(true);
  });

  it("of a person ends by a person, while the automatic ones last until their condition is over", () => {
    const state = addHalt(
      looked(NO_HALTS, [staleBook], 0),
      createManualHalt(undefined, "halt command"),
      5,
    ).state;
    const step = resumeHalts(state, undefined);
    expect(step.ended.map((reason) => reason.name)).toEqual(["manual"]);
    expect(areQuotesAllowed(step.state, "btcusdc")).toBe(false);
    expect(areQuotesAllowed(step.state, "ethusdc")).toBe(true);
  });

  it("of the account does not end when one market resumes", () => {
    let state = addHalt(NO_HALTS, createManualHalt(undefined, "all"), 0).state;
    state = addHalt(state, createManualHalt("btcusdc", "one"), 0).state;
    state = addHalt(state, createManualHalt("ethusdc", "another"), 0).state;
    state = resumeHalts(state, "btcusdc").state;
    expect(state.reasons.map((reason) => reason.why)).toEqual(["all", "another"]);
    expect(resumeHalts(state, "btcusdc").state).toBe(state);
  });

  it("returns at once if it was resumed while its condition holds", () => {
    const mismatch: HaltRequest = {
      scope: "account",
      name: "domain-mismatch",
      why: "chainId",
      resumesByItself: false,
    };
    const resumed = resumeHalts(looked(NO_HALTS, [mismatch], 0), undefined).state;
    expect(areQuotesAllowed(looked(resumed, [mismatch], 1), "btcusdc")).toBe(false);
  });

  it("requested twice is one, and a second request does not weaken it", () => {
    const once = addHalt(NO_HALTS, createManualHalt("btcusdc", "first"), 0);
    const twice = addHalt(once.state, createManualHalt("btcusdc", "second"), 9);
    expect(twice.begun).toEqual([]);
    expect(twice.state.reasons).toMatchObject([{ why: "second", sinceMs: 0 }]);
    const softer = looked(
      looked(NO_HALTS, [drawdown], 0),
      [{ ...drawdown, resumesByItself: true }],
      1,
    );
    expect(areQuotesAllowed(looked(softer, [], 1_000_000), "btcusdc")).toBe(false);
  });

  it("lets a command reduce a position, unless our data is not trusted", () => {
    expect(allowedPlaces(NO_HALTS, "btcusdc")).toBe("any");
    expect(allowedPlaces(addHalt(NO_HALTS, drawdown, 0).state, "btcusdc")).toBe("reduce-only");
    expect(allowedPlaces(looked(NO_HALTS, [drawdown, staleBook], 0), "btcusdc")).toBe("none");
    expect(allowedPlaces(looked(NO_HALTS, [drawdown, staleBook], 0), "ethusdc")).toBe(
      "reduce-only",
    );
  });
});
