import { describe, expect, it } from "vitest";
import { rehearsalCommand } from "#rehearsal/rehearsal-command.js";
import { summariseFaults } from "#rehearsal/summarise-faults.js";
import { summariseRungs } from "#rehearsal/summarise-rungs.js";
import { quote, sampleDeath, sampleRehearsal, sampleRun } from "./sample-run.js";

const CALM = [1, 2, 3, 4].map((seed) => sampleRun({ seed, profitScaled: quote(10 * seed) }));

describe("the table of a rehearsal", () => {
  it("compares a loss with the same seed, and names the seeds of worst and greater median", () => {
    const runs = [
      ...CALM,
      // Losses of 15, 5, 35 and -10 against profits of 10, 20, 30 and 40.
      ...[-5, 15, -5, 50].map((profit, index) =>
        sampleRun({
          seed: index + 1,
          fault: "stream-stalled",
          strikes: 2,
          profitScaled: quote(profit),
          unquotedMs: 1000 * (index + 1),
        }),
      ),
    ];
    const [none, stalled] = summariseFaults(sampleRehearsal(runs));
    expect(none?.lossScaled).toEqual({
      median: { value: quote(-20), seed: 2 },
      largest: { value: quote(-10), seed: 1 },
    });
    expect(stalled?.lossScaled).toEqual({
      median: { value: quote(15), seed: 1 },
      largest: { value: quote(35), seed: 3 },
    });
    expect(stalled?.unquotedMs?.largest).toEqual({ value: 4000, seed: 4 });
  });

  it("leaves out a run that the fault did not strike, which would hide what the fault costs", () => {
    const runs = [
      ...CALM,
      sampleRun({ seed: 1, fault: "frame-lost", strikes: 1, profitScaled: quote(0) }),
      sampleRun({ seed: 2, fault: "frame-lost", strikes: 0, profitScaled: quote(-900) }),
      sampleRun({ seed: 3, fault: "storm-418", strikes: 0 }),
    ];
    const [, lost, storm] = summariseFaults(sampleRehearsal(runs));
    expect(lost).toMatchObject({ runs: 2, struckRuns: 1 });
    expect(lost?.lossScaled?.largest).toEqual({ value: quote(10), seed: 1 });
    expect(storm).toMatchObject({ runs: 1, struckRuns: 0, lossScaled: undefined });
  });

  it("shows how long the slowest guard took, and the death that no guard answered", () => {
    const killed = { fault: "bot-killed", strikes: 1 } as const;
    const silent = sampleDeath({ guardActedMs: undefined, ordersGoneMs: undefined });
    const runs = [
      ...CALM,
      sampleRun({ ...killed, seed: 1, deaths: [sampleDeath({}), silent] }),
      sampleRun({ ...killed, seed: 2, deaths: [sampleDeath({ guardActedMs: 4000 })] }),
    ];
    const [, row] = summariseFaults(sampleRehearsal(runs));
    expect(row).toMatchObject({ deaths: 3 });
    expect(row?.guardActed).toEqual({
      never: { value: 1, seed: 1 },
      longestMs: { value: 4000, seed: 2 },
    });
    expect(row?.ordersGone.never).toEqual({ value: 1, seed: 1 });
  });

  it("does not miss a guard at a death that left no order", () => {
    const deaths = [sampleDeath({ openOrders: 0, guardActedMs: undefined, ordersGoneMs: 0 })];
    const runs = [...CALM, sampleRun({ fault: "bot-killed", strikes: 1, deaths })];
    expect(summariseFaults(sampleRehearsal(runs))[1]?.guardActed.never).toBeUndefined();
  });

  it("shows how long a position was without its hedge", () => {
    const fault = { fault: "hedge-stopped", strikes: 1 } as const;
    const runs = [...CALM, sampleRun({ ...fault, seed: 3, unhedgedMs: 7000 })];
    expect(summariseFaults(sampleRehearsal(runs))[1]?.unhedgedMs?.largest).toEqual({
      value: 7000,
      seed: 3,
    });
  });

  it("counts the runs of a halt once, however often it came", () => {
    const halt = { name: "stale-book", marketId: "btcusdc", times: 3, heldMs: 900 };
    const fault = { fault: "stream-dropped", strikes: 1 } as const;
    const runs = [
      ...CALM,
      sampleRun({ ...fault, seed: 2, halts: [halt, { ...halt, marketId: "ethusdc" }] }),
      sampleRun({ ...fault, seed: 3, halts: [halt] }),
    ];
    expect(summariseFaults(sampleRehearsal(runs))[1]?.halts).toEqual([
      { name: "stale-book", runs: 2, seed: 2 },
    ]);
  });

  it("names the run in which a rung did not do what it promises", () => {
    const rung = {
      name: "drawdown 500",
      measure: "drawdown",
      action: "halt",
      atScaled: quote(500),
      wasReached: true,
      firedAfterMs: 200,
      worked: true,
    } as const;
    const runs = [
      sampleRun({
        rungs: [{ ...rung, wasReached: false, firedAfterMs: undefined, worked: undefined }],
      }),
      sampleRun({ seed: 4, fault: "price-trend", rungs: [rung] }),
      sampleRun({
        seed: 5,
        fault: "price-trend",
        rungs: [{ ...rung, firedAfterMs: 900, worked: false }],
      }),
    ];
    expect(summariseRungs(sampleRehearsal(runs))).toEqual([
      {
        name: "drawdown 500",
        action: "halt",
        atScaled: quote(500),
        reachedRuns: 2,
        firedRuns: 2,
        workedRuns: 1,
        slowest: { fault: "price-trend", seed: 5, afterMs: 900 },
        failed: { fault: "price-trend", seed: 5 },
      },
    ]);
  });
});

describe("the command that repeats a run", () => {
  const options = {
    bot: "my bots/it's.yaml",
    exchange: undefined,
    marketMs: 300_000,
    runsGuard: true,
  };

  it("reads back in a shell, whatever the file is called", () => {
    expect(rehearsalCommand(options, { fault: "frame-lost", seed: 7 })).toBe(
      String.raw`marketwright rehearse 'my bots/it'\''s.yaml' --fault frame-lost --seeds 1 --first-seed 7`,
    );
  });

  it("has every option that the run depends on", () => {
    const other = {
      ...options,
      bot: "b.yaml",
      exchange: "x.yaml",
      marketMs: 60_000,
      runsGuard: false,
    };
    expect(rehearsalCommand(other, { fault: "none", seed: 1 })).toBe(
      "marketwright rehearse b.yaml --exchange x.yaml --minutes 1 --no-guard --fault none --seeds 1 --first-seed 1",
    );
  });
});
