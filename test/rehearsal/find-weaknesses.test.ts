import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadBotConfig } from "#bot/config.js";
import { findWeaknesses } from "#rehearsal/find-weaknesses.js";
import type { Rehearsal, RehearsedRun, RehearsedRung } from "#rehearsal/rehearsal-result.js";
import { quote, sampleDeath, sampleRehearsal, sampleRun } from "./sample-run.js";

const path = fileURLToPath(new URL("./setups/sound.yaml", import.meta.url));
const SOUND = loadBotConfig(path, {}, { key: "unused" });

function found(
  runs: readonly Partial<RehearsedRun>[],
  rehearsal: Partial<Rehearsal> = {},
  timeInForce: "POST_ONLY" | "GTC" | "GTT" = "POST_ONLY",
): string[] {
  const config = { ...SOUND, quotes: { ...SOUND.quotes, timeInForce } };
  const all = sampleRehearsal([sampleRun({}), ...runs.map(sampleRun)], rehearsal);
  return findWeaknesses(config, all).map(({ id, fault, seed }) => `${id} ${fault} ${seed}`);
}

function rung(
  measure: "drawdown" | "daily-loss",
  at: number,
  action: RehearsedRung["action"],
  firedAfterMs: number | undefined,
): RehearsedRung {
  const wasReached = firedAfterMs !== undefined;
  const name = `${measure} ${at}`;
  return {
    name,
    measure,
    action,
    atScaled: quote(at),
    wasReached,
    firedAfterMs,
    worked: undefined,
  };
}

const trend = (differences: Partial<RehearsedRun>): Partial<RehearsedRun> => ({
  fault: "price-trend",
  strikes: 1,
  ...differences,
});

describe("the weaknesses of a bot", () => {
  it("has no finding for a run in which nothing went wrong", () => {
    expect(found([])).toEqual([]);
  });

  it("takes a loss limit of more than a quarter of the account as none, once a loss has shown it", () => {
    const limit = (at: number) => [rung("drawdown", at, "halt", undefined)];
    const lost = { worstDrawdownScaled: quote(1500) };
    expect(found([trend({ ...lost, rungs: limit(30_000) })])).toEqual([
      "no-loss-limit price-trend 1",
    ]);
    expect(found([trend({ ...lost, rungs: limit(20_000) })])).toEqual([]);
    expect(found([trend({ rungs: limit(30_000) })])).toEqual([]);
    expect(found([trend({ ...lost, strikes: 0, rungs: limit(30_000) })])).toEqual([]);
  });

  it("is not content with a rung that only warns or widens", () => {
    const rungs = [rung("drawdown", 200, "widen", 10), rung("drawdown", 30_000, "halt", undefined)];
    expect(found([trend({ worstDrawdownScaled: quote(1500), rungs })])).toEqual([
      "no-loss-limit price-trend 1",
    ]);
  });

  it.each([
    [
      "a limit below a severer rung",
      [rung("drawdown", 100, "flatten", 5), rung("drawdown", 500, "halt", undefined)],
      true,
    ],
    [
      "a daily loss beyond the drawdown",
      [rung("drawdown", 500, "halt", 5), rung("daily-loss", 600, "halt", undefined)],
      true,
    ],
    [
      "a drawdown of several days beyond a daily loss",
      [rung("daily-loss", 300, "halt", 5), rung("drawdown", 500, "halt", undefined)],
      false,
    ],
    [
      "a severer action that was not reached",
      [rung("drawdown", 100, "widen", 5), rung("drawdown", 500, "halt", undefined)],
      false,
    ],
    [
      "rungs of which none has acted",
      [rung("drawdown", 100, "flatten", undefined), rung("drawdown", 500, "halt", undefined)],
      false,
    ],
  ])("judges %s by what had acted before", (_what, rungs, isFound) => {
    expect(found([trend({ rungs })])).toEqual(isFound ? ["rung-never-acts price-trend 1"] : []);
  });

  it("blames orders that outlive a death on the absent guard, and GTC orders on their life too", () => {
    const death = { guardActedMs: undefined, ordersGoneMs: undefined };
    const killed = (differences: Parameters<typeof sampleDeath>[0]): Partial<RehearsedRun> => ({
      fault: "bot-killed",
      strikes: 1,
      deaths: [sampleDeath(differences)],
    });
    const unguarded = { runsGuard: false };
    expect(found([killed(death)], unguarded)).toEqual(["guard-absent bot-killed 1"]);
    expect(found([killed({ ...death, openGtcOrders: 2 })], unguarded, "GTC")).toEqual([
      "orders-never-expire bot-killed 1",
      "guard-absent bot-killed 1",
    ]);
    // They end by themselves, but not soon.
    expect(found([killed({ ...death, downMs: 9_000 })], unguarded, "GTT")).toEqual([]);
    expect(found([killed({ ...death, downMs: 42_900 })], unguarded, "GTT")).toEqual([
      "guard-absent bot-killed 1",
    ]);
    // The guard was still waiting when the bot came back.
    expect(found([killed(death)])).toEqual([]);
    expect(found([killed({ ...death, openOrders: 0 })], unguarded)).toEqual([]);
  });

  it("shows the death whose fills cost most", () => {
    const death = (lossWhileDeadScaled: bigint, filledWhileDeadLots: number) => ({
      deaths: [
        sampleDeath({
          guardActedMs: undefined,
          ordersGoneMs: undefined,
          lossWhileDeadScaled,
          filledWhileDeadLots,
        }),
      ],
    });
    const killed = { fault: "bot-killed", strikes: 1 } as const;
    const runs = [
      { ...killed, ...death(quote(90), 0) },
      sampleRun({ seed: 2 }),
      { ...killed, seed: 2, ...death(quote(20), 40) },
    ];
    expect(found(runs, { runsGuard: false })).toEqual(["guard-absent bot-killed 2"]);
  });

  it("counts the time on a silent reference by its silences", () => {
    const silent = (quotesOnStaleReferenceMs: number): Partial<RehearsedRun> => ({
      fault: "reference-silent",
      strikes: 4,
      quotesOnStaleReferenceMs,
    });
    expect(found([silent(21_000)])).toEqual(["stale-reference-trusted reference-silent 1"]);
    expect(found([silent(20_000)])).toEqual([]);
  });

  it("compares fees with the distance of fills from the mid, whatever the position earned", () => {
    const fees = { seed: 2, feesScaled: quote(20), profitScaled: quote(500) };
    expect(found([fees])).toEqual(["spread-below-fees none 2"]);
    expect(found([{ ...fees, edgeScaled: quote(30) }])).toEqual([]);
  });

  it("finds a bot that spends most of its ORDER tokens in a calm market", () => {
    expect(found([{ seed: 2, tokens: { common: 0, order: 3200 } }])).toEqual([
      "no-tolerance none 2",
    ]);
    expect(found([{ seed: 2, tokens: { common: 0, order: 2900 } }])).toEqual([]);
    const busy = { seed: 2, tokens: { common: 0, order: 500 } };
    expect(found([busy, { seed: 3, refusals429: 2 }])).toEqual(["no-tolerance none 3"]);
    const unlimited = { orderTokensPerMinute: undefined };
    expect(found([{ seed: 2, tokens: { common: 0, order: 3200 } }], unlimited)).toEqual([]);
  });

  it("finds a position of more than thirty orders in a trend that cost money", () => {
    const held = (orders: number, profit: number): Partial<RehearsedRun> =>
      trend({ largestPositionLots: { btcusdc: 20 * orders }, profitScaled: quote(profit) });
    expect(found([held(31, -400)])).toEqual(["inventory-ignored price-trend 1"]);
    expect(found([held(30, -400)])).toEqual([]);
    expect(found([held(31, 400)])).toEqual([]);
  });

  it("is not content with a bot that cannot lose since it does not quote", () => {
    expect(found([{ seed: 2, orders: 0, unquotedMs: 300_000 }])).toEqual(["never-quotes none 2"]);
    expect(found([{ seed: 2, unquotedMs: 160_000 }])).toEqual(["never-quotes none 2"]);
    expect(found([{ seed: 2, markets: 2, unquotedMs: 160_000 }])).toEqual([]);
  });

  it("names the run in which a strategy threw an error, which halts its market for good", () => {
    const halts = [{ name: "strategy-error", marketId: "btcusdc", times: 1, heldMs: 290_000 }];
    expect(found([{ seed: 2, orders: 0, unquotedMs: 290_000, halts }])).toEqual([
      "bot-failed none 2",
    ]);
  });

  it("names the run that ended with an error, and the one that left orders", () => {
    const runs: Partial<RehearsedRun>[] = [
      { fault: "frame-lost", error: "no" },
      { fault: "storm-418", ordersLeftOpen: 2 },
    ];
    expect(found(runs)).toEqual(["bot-failed frame-lost 1", "orders-left storm-418 1"]);
  });
});
