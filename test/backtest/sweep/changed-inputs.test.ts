import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Job, JobPlayer, type JobResult } from "#backtest/job-player.js";
import type { JobBatch, JobRunner } from "#backtest/job-runner.js";
import type { SweepOutcome } from "#backtest/run-sweep.js";
import { playedHistory } from "#backtest/shared-history.js";
import { ConfigError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { manifestText, readManifest } from "#history/day-manifest.js";
import { openLog } from "#monitoring/log.js";
import { generateHistory } from "../../support/generated-history.js";
import {
  FROM_MS,
  OneByOne,
  OWN_STRATEGY,
  SHORT_SECONDS,
  SWEEP,
  SweepStage,
  VERSION,
} from "./sweep-stage.js";

const latencies = (ms: number): string =>
  `requestUs,exchangeUs,responseUs\n0,${ms * 1000},${ms * 2000}\n`;

/** Runs the jobs of any number of sweeps with one player, as a worker's thread does. */
class Lasting implements JobRunner {
  readonly #player = new JobPlayer(
    openLog({ level: "silent", clock: createLiveRuntime().clock }),
    VERSION,
  );

  async run(
    { jobs, open }: JobBatch,
    onResult: (job: Job, result: JobResult) => void,
  ): Promise<void> {
    const history = playedHistory(await open());
    for (const job of jobs) onResult(job, await this.#player.play(job, history));
  }

  async close(): Promise<void> {}
}

describe("a sweep whose files are changed", () => {
  const stage = new SweepStage();
  const path = (name: string): string => join(stage.folder, name);
  beforeAll(async () => {
    await stage.open();
  });
  afterAll(() => rmSync(stage.folder, { recursive: true, force: true }));

  // A worker runs for days, and strategies change meanwhile: the second sweep would have had the
  // figures of the first, under its own name.
  it("runs the strategy as it is by then, also where only its imports have changed", async () => {
    const lasting = new Lasting();
    stage.writeOwn(0.01);
    const first = (await stage.run(stage.out(), lasting, { file: "own.yaml" })) as SweepOutcome;
    stage.writeDistance(0.1);
    const second = (await stage.run(stage.out(), lasting, { file: "own.yaml" })) as SweepOutcome;
    const alone = (await stage.run(stage.out(), new OneByOne(), {
      file: "own.yaml",
    })) as SweepOutcome;
    expect(first.result.fingerprint).not.toBe(second.result.fingerprint);
    expect(second.result.points[0]?.runs).not.toEqual(first.result.points[0]?.runs);
    expect(readFileSync(second.json, "utf8")).toBe(readFileSync(alone.json, "utf8"));
  });

  it("ends with the name of a strategy that changed since its beginning, and keeps finished jobs", async () => {
    stage.writeOwn(0.01);
    writeFileSync(path("later.ts"), OWN_STRATEGY.replace("./distance.js", "./far.js"));
    stage.writeDistance(0.05, "far.ts");
    const parameters = { "markets.btcusdc.strategy": { values: ["./own.ts", "./later.ts"] } };
    stage.write("two.yaml", { ...SWEEP, backtest: "bt-own.yaml", parameters });
    const runner = new OneByOne({ after: () => stage.writeDistance(0.1, "far.ts") });
    const told = await stage
      .run(stage.out(), runner, { file: "two.yaml" })
      .catch((error: Error) => error);
    expect(told).toBeInstanceOf(ConfigError);
    expect(told).toHaveProperty(
      "message",
      expect.stringMatching(/^\S*later\.ts: differs from the sweep's/),
    );
    expect(runner.ran).toEqual(["whole-0", "whole-1"]);
  });

  it("ends with the name of a file of round trips that changed, and does not continue with a swept one", async () => {
    for (const name of ["fast.csv", "slow.csv"]) writeFileSync(path(name), latencies(5));
    stage.write("trips.yaml", {
      ...SWEEP,
      parameters: { "fills.latencyFile": { values: ["fast.csv", "slow.csv"] } },
    });
    const out = stage.out();
    const runner = new OneByOne({ after: () => writeFileSync(path("slow.csv"), latencies(50)) });
    await expect(stage.run(out, runner, { file: "trips.yaml" })).rejects.toThrow(
      /slow\.csv: differs from the sweep's/,
    );
    await expect(stage.run(out, new OneByOne(), { file: "trips.yaml" })).rejects.toThrow(
      /--out: holds the results of another sweep/,
    );
  });

  // Each window is opened in its turn: two of them would be of two histories, in one table.
  it("ends with the day that changed since its beginning", async () => {
    const other = join(stage.folder, "other");
    await generateHistory(other, {
      market: "btcusdc",
      fromMs: FROM_MS,
      seconds: 60,
      seed: "another",
    });
    stage.write("walk.yaml", {
      ...SWEEP,
      backtest: "bt-whole.yaml",
      walkForward: { trainMs: 20_000, testMs: 20_000 },
    });
    const out = stage.out();
    const change = (ran: number): void => {
      if (ran === 6) cpSync(join(other, "history"), path("history"), { recursive: true });
    };
    const runner = new OneByOne({ after: change });
    const told = await stage.run(out, runner, { file: "walk.yaml" }).catch((error: Error) => error);
    expect(told).toBeInstanceOf(ConfigError);
    expect(told).toHaveProperty(
      "message",
      expect.stringMatching(/2026-01-05\.parquet: has changed since the sweep began/),
    );
    expect(runner.ran).toEqual([0, 1, 2, 3, 4, 5].map((at) => `train0-${at}`));
    // It does not continue there either.
    await expect(stage.run(out, new OneByOne(), { file: "walk.yaml" })).rejects.toThrow(
      /--out: holds the results of another sweep/,
    );
  });

  // The day's rows are the same, but a second of its book is not known: a re-import after an update
  // can give this.
  it("does not continue where the same rows of a day have a gap by now", async () => {
    const own = new SweepStage();
    await own.open(SHORT_SECONDS);
    const out = own.out();
    const abort = new AbortController();
    await own.run(out, new OneByOne({ after: () => abort.abort() }), { signal: abort.signal });
    const path = join(own.folder, "history", "btcusdc", "book", "2026-01-05.json");
    const day = readManifest(path, "btcusdc", "book", "2026-01-05");
    const [[from, to]] = day.covered as [[number, number]];
    const lost: [number, number] = [from + 2000, from + 3000];
    const covered: [number, number][] = [
      [from, lost[0]],
      [lost[1], to],
    ];
    writeFileSync(path, manifestText({ ...day, covered, lost: [lost] }));
    await expect(own.run(out, new OneByOne())).rejects.toThrow(
      /--out: holds the results of another sweep/,
    );
    rmSync(own.folder, { recursive: true, force: true });
  });
});
