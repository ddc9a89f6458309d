import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { threadId } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadBacktestConfig } from "#backtest/backtest-config.js";
import type { JobRunner } from "#backtest/job-runner.js";
import { runBacktest } from "#backtest/run-backtest.js";
import { ThreadPool } from "#backtest/thread-pool.js";
import { FormatError } from "#core/errors.js";
import { builtInStrategies } from "#strategies/built-in.js";
import { builtCommand } from "../../support/built-command.js";
import { BOT, SHORT_SECONDS, SWEEP, SweepStage, VERSION } from "./sweep-stage.js";

/** Reports its call, and never answers. */
const ENDLESS = `import { writeFileSync } from "node:fs";
import { defineStrategy } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";

export default defineStrategy({
  params: z.object({}),
  create: () => (view$) => view$.pipe(map(() => {
    writeFileSync(MARK, "");
    for (;;);
  })),
});
`;

/** Ends its process at each view. */
const LEAVING = `import { defineStrategy } from "marketwright";
import { NEVER } from "rxjs";
import { z } from "zod";

export default defineStrategy({
  params: z.object({}),
  create: () => (view$) => {
    view$.subscribe(() => process.exit(0));
    return NEVER;
  },
});
`;

/** Works correctly, and leaves a timer that fails as soon as MARK exists. */
const LINGERING = `import { existsSync } from "node:fs";
import { defineStrategy } from "marketwright";
import { NEVER } from "rxjs";
import { z } from "zod";

export default defineStrategy({
  params: z.object({}),
  create: () => {
    setInterval(() => {
      if (existsSync(MARK)) throw new Error("left there by another sweep's strategy");
    }, 1);
    return () => NEVER;
  },
});
`;

/** Makes MARK, and does nothing else. */
const MARKING = `import { writeFileSync } from "node:fs";
import { defineStrategy } from "marketwright";
import { NEVER } from "rxjs";
import { z } from "zod";

export default defineStrategy({
  params: z.object({}),
  create: () => {
    writeFileSync(MARK, "");
    return () => NEVER;
  },
});
`;

/** Does nothing, and writes a line to MARK whenever another thread than the test's loads it. */
const LOADED = `import { appendFileSync } from "node:fs";
import { threadId } from "node:worker_threads";
import { defineStrategy } from "marketwright";
import { NEVER } from "rxjs";
import { z } from "zod";

if (threadId !== ${threadId}) appendFileSync(MARK, "NAME\\n");
export default defineStrategy({ params: z.object({}), create: () => () => NEVER });
`;

describe("a sweep on threads", () => {
  const stage = new SweepStage();
  let entry: URL;
  beforeAll(async () => {
    entry = new URL("../dist/backtest/sweep/jobs/job-thread.js", pathToFileURL(builtCommand()));
    await stage.open();
  });
  afterAll(() => rmSync(stage.folder, { recursive: true, force: true }));

  const stageOf = (name: string, strategy?: string): void => {
    if (strategy !== undefined) writeFileSync(join(stage.folder, `${name}.ts`), strategy);
    const market =
      strategy === undefined
        ? BOT.markets.btcusdc
        : { strategy: `./${name}.ts`, limits: BOT.markets.btcusdc.limits };
    stage.write(`bot-${name}.yaml`, { ...BOT, markets: { btcusdc: market } });
    stage.write(`bt-${name}.yaml`, { ...stage.backtest(SHORT_SECONDS), bot: `bot-${name}.yaml` });
    stage.write(`${name}.yaml`, {
      ...SWEEP,
      backtest: `bt-${name}.yaml`,
      parameters: { "fills.orderLatencyMs": { values: [5] } },
    });
  };
  // An interrupt must return at once: a thread that does not respond is ended.
  it("ends at once when it is interrupted, though a strategy never returns", async () => {
    const mark = join(stage.folder, "entered");
    stageOf("endless", ENDLESS.replace("MARK", JSON.stringify(mark)));
    const pool = new ThreadPool({ workers: 1, version: VERSION, entry });
    const abort = new AbortController();
    const swept = stage.run(stage.out(), pool, { file: "endless.yaml", signal: abort.signal });
    await expect.poll(() => existsSync(mark), { timeout: 300_000 }).toBe(true);
    abort.abort();
    expect(await swept).toBeUndefined();
    // Nothing is left that would keep the process alive.
    await pool.close();
  });

  // The error must be that of a backtest of this point, so that it can be looked up.
  it("fails as a backtest of that point does: with an error of its type, which says as much, and which job it was", async () => {
    const creditQuote = "1000.0000000001";
    const file = stage.write("fine.yaml", {
      ...stage.backtest(SHORT_SECONDS),
      account: { creditQuote },
    });
    const strategies = new Map([
      [
        "btcusdc",
        builtInStrategies.ladder.bind({ levels: 1, sizeBase: 0.01, halfSpreadBps: 0.02 }),
      ],
    ]);
    const alone = await runBacktest(loadBacktestConfig(file, {}), {
      strategies,
      version: VERSION,
      directory: stage.out(),
      replace: false,
    }).catch((error: Error) => error);
    expect(alone).toBeInstanceOf(FormatError);
    stage.write("sweep-fine.yaml", {
      ...SWEEP,
      parameters: { "account.creditQuote": { values: [creditQuote] } },
    });
    const pool = new ThreadPool({ workers: 1, version: VERSION, entry });
    const swept = await stage
      .run(stage.out(), pool, { file: "sweep-fine.yaml" })
      .catch((error: Error) => error);
    await pool.close();
    expect(swept).toBeInstanceOf(FormatError);
    expect(swept).toMatchObject({
      message: `whole-0: ${(alone as Error).message}`,
      field: "account.creditQuote",
      value: creditQuote,
    });
  });

  /** As a worker of a queue runs jobs: one by one, of any sweep. */
  const workerOf = (): JobRunner => {
    const pool = new ThreadPool({ workers: 1, version: VERSION, entry });
    return {
      run: async ({ jobs, open }, onResult) => {
        const history = await open();
        for (const job of jobs) onResult(job, await pool.playOne(history, job));
      },
      close: () => pool.close(),
    };
  };
  const sweptOn = (worker: JobRunner, name: string) =>
    stage.run(stage.out(), worker, { file: `${name}.yaml` });

  // A worker serves one sweep after another: the error of a strategy ended the next sweep, which
  // did not have it.
  it("on a worker keeps a failed strategy from affecting the next sweep", async () => {
    stageOf("leaving", LEAVING);
    stageOf("next");
    const worker = workerOf();
    await expect(sweptOn(worker, "leaving")).rejects.toThrow(/process\.exit\(0\) in a strategy/);
    expect((await sweptOn(worker, "next"))?.result.points).toHaveLength(1);
    await worker.close();
  });

  it("on a worker keeps leftovers of a strategy, such as a timer that fails later, from another sweep", async () => {
    const mark = JSON.stringify(join(stage.folder, "marked"));
    stageOf("lingering", LINGERING.replace("MARK", mark));
    stageOf("marking", MARKING.replace("MARK", mark));
    const worker = workerOf();
    expect((await sweptOn(worker, "lingering"))?.result.points).toHaveLength(1);
    expect((await sweptOn(worker, "marking"))?.result.points).toHaveLength(1);
    await worker.close();
  });

  // A thread takes a second to start, and most jobs less: a machine shared by two sweeps would
  // spend its cores on starts.
  it("on a worker keeps its threads while sweeps of different strategies are served in turn, and ends unused ones", async () => {
    const loads = join(stage.folder, "loads");
    for (const name of ["red", "green", "blue"])
      stageOf(name, LOADED.replace("MARK", JSON.stringify(loads)).replace("NAME", name));
    const worker = workerOf();
    const loadedBy = async (...names: string[]): Promise<string[]> => {
      writeFileSync(loads, "");
      for (const name of names) await sweptOn(worker, name);
      return readFileSync(loads, "utf8").split("\n").slice(0, -1);
    };
    expect(await loadedBy("red", "green", "red", "green")).toEqual(["red", "green"]);
    expect(await loadedBy("red", "green", "red", "green")).toEqual([]);
    // It runs one job at a time, and so keeps two threads: the last used ones.
    expect(await loadedBy("blue", "green")).toEqual(["blue"]);
    expect(await loadedBy("red")).toEqual(["red"]);
    // With its thread its history is freed.
    const parameters = { "fills.orderLatencyMs": { min: 1, max: 9, step: 1 } };
    stage.write("many.yaml", { ...SWEEP, backtest: "bt-green.yaml", parameters });
    expect(await loadedBy("many", "red")).toEqual(["red"]);
    await worker.close();
  });
});
