import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REHEARSED_FAULTS } from "#rehearsal/rehearsed-fault.js";
import { hedgedFile, makerFile, rehearseHere, runOf } from "./rehearsed-bots.js";

const OF_HEDGED = REHEARSED_FAULTS.filter((fault) => /^(reference|hedge)-/.test(fault));

describe("a rehearsal", () => {
  it("strikes a market maker with every kind of fault that applies to its file", async () => {
    const rehearsal = await rehearseHere(makerFile(), [], { marketMs: 60_000 });
    const struck = rehearsal.runs.filter(({ strikes }) => strikes > 0).map(({ fault }) => fault);
    expect(struck).toEqual(REHEARSED_FAULTS.filter((fault) => !OF_HEDGED.includes(fault)));
    expect(rehearsal.notRehearsed.map(({ fault }) => fault)).toEqual(OF_HEDGED);
    expect(rehearsal.runs.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(runOf(rehearsal, "none").fills).toBeGreaterThan(0);
  });

  it("strikes the sources and the other exchange of a hedged bot", async () => {
    const rehearsal = await rehearseHere(hedgedFile(), OF_HEDGED, { marketMs: 60_000 });
    const struck = rehearsal.runs.filter(({ strikes }) => strikes > 0).map(({ fault }) => fault);
    expect(struck).toEqual(OF_HEDGED);
    expect(rehearsal.runs.filter(({ error }) => error !== undefined)).toEqual([]);
    const silent = runOf(rehearsal, "reference-silent");
    expect(silent.halts.map(({ name }) => name)).toContain("stale-reference");
    expect(silent.quotesOnStaleReferenceMs).toBe(0);
  });

  it("shows how long a bot quotes on a source that has fallen silent", async () => {
    const trusting = hedgedFile({ maxAgeMs: 3_600_000 });
    const run = runOf(await rehearseHere(trusting, ["reference-silent"]), "reference-silent");
    expect(run.quotesOnStaleReferenceMs).toBeGreaterThan(10_000);
  });

  it("counts a silence of several sources once, by which the time of open quotes is divided", async () => {
    const bot = hedgedFile({ from: ["deep", "second"] });
    const rehearsal = await rehearseHere(bot, ["reference-silent"], { marketMs: 60_000 });
    expect(runOf(rehearsal, "reference-silent").strikes).toBe(4);
  });

  it("measures a loss by the account alone, not by the credit of its hedges", async () => {
    const { equityScaled, notes } = await rehearseHere(hedgedFile(), ["bot-killed"], {
      marketMs: 20_000,
    });
    expect(equityScaled).toBe(100_000_000_000n);
    expect(notes).toContain(
      "The simulated account begins with 100000.00 quote, each hedge account with 10000000.00.",
    );
  });

  it("shows how long a position stays unhedged while the other exchange refuses orders", async () => {
    const bot = hedgedFile({}, { maxUnhedgedBase: "0.005" });
    const rehearsal = await rehearseHere(bot, ["hedge-orders-refused"], { seeds: [1, 2] });
    const unhedged = (fault: string) =>
      rehearsal.runs.reduce((sum, run) => sum + (run.fault === fault ? run.unhedgedMs : 0), 0);
    expect(unhedged("hedge-orders-refused")).toBeGreaterThan(2_000);
    expect(unhedged("none")).toBe(0);
  });

  it("gives the same bytes again, whatever the number of threads", async () => {
    const faults = ["request-lost", "price-jump", "exchange-stopped"] as const;
    const once = await rehearseHere(makerFile(), faults, { seeds: [3, 4], marketMs: 30_000 });
    const again = await rehearseHere(makerFile(), faults, {
      seeds: [3, 4],
      marketMs: 30_000,
      threads: 2,
    });
    expect(again).toEqual(once);
    expect(once.runs).toHaveLength(8);
  });

  it("leaves a seed's other runs as they are when one fault is rehearsed alone", async () => {
    const marketMs = 30_000;
    const all = await rehearseHere(makerFile(), ["answer-lost", "price-jump"], { marketMs });
    const alone = await rehearseHere(makerFile(), ["price-jump"], { marketMs });
    expect(runOf(alone, "price-jump")).toEqual(runOf(all, "price-jump"));
    expect(runOf(alone, "none")).toEqual(runOf(all, "none"));
  });

  it("runs the strategy of the user's own file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rehearsal-"));
    const path = join(folder, "wide.js");
    writeFileSync(
      path,
      `import { defineStrategy, quoteAround } from "marketwright";
      import { map } from "rxjs";
      import { z } from "zod";
      export default defineStrategy({
        params: z.object({ bps: z.number() }),
        create: ({ bps }) => (view$) =>
          view$.pipe(map((view) => quoteAround(view, view.midTicks, { halfSpreadBps: bps, sizeBase: 0.05 }))),
      });`,
    );
    const { markets } = makerFile();
    const bot = makerFile({
      markets: { btcusdc: { ...markets.btcusdc, strategy: path, params: { bps: 40 } } },
    });
    const run = runOf(await rehearseHere(bot, ["price-jump"], { marketMs: 30_000 }), "none");
    expect(run.error).toBeUndefined();
    expect(run.orders).toBeGreaterThan(0);
    expect(run.fills).toBe(0);
  });

  it("says which market of the file the exchange does not have", async () => {
    const { markets } = makerFile();
    const bot = makerFile({ markets: { ...markets, solusdc: markets.btcusdc } });
    await expect(rehearseHere(bot, [])).rejects.toThrow(/markets\.solusdc.*btcusdc/s);
  });

  it("refuses a fault that cannot happen to the bot", async () => {
    await expect(rehearseHere(makerFile(), ["hedge-stopped"])).rejects.toThrow(
      /no market has a hedge.*hedge-stopped/s,
    );
  });

  it("ends with the runs that are complete when it is interrupted", async () => {
    const ends = new AbortController();
    const rehearsal = await rehearseHere(makerFile(), ["price-jump"], {
      seeds: [1, 2, 3],
      marketMs: 20_000,
      signal: ends.signal,
      onRun: (_run, done) => {
        if (done === 2) ends.abort();
      },
    });
    expect(rehearsal.isComplete).toBe(false);
    expect(rehearsal.runs.map(({ seed, fault }) => `${seed} ${fault}`)).toEqual([
      "1 none",
      "1 price-jump",
    ]);
  });
});
