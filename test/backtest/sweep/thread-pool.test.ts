import { rmSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadBacktestConfig } from "../../../src/backtest/config/backtest-config.js";
import { runBacktest } from "../../../src/backtest/run/run-backtest.js";
import { ThreadPool } from "../../../src/backtest/sweep/thread-pool.js";
import { FormatError } from "../../../src/core/errors.js";
import { builtInStrategies } from "../../../src/strategies/built-in.js";
import { builtCommand } from "../../support/built-command.js";
import { SHORT_SECONDS, SWEEP, SweepStage, VERSION } from "./sweep-stage.js";

describe("a sweep on threads", () => {
  const stage = new SweepStage();
  let entry: URL;
  beforeAll(async () => {
    entry = new URL("../dist/backtest/sweep/job-thread.js", pathToFileURL(builtCommand()));
    await stage.open();
  });
  afterAll(() => rmSync(stage.folder, { recursive: true, force: true }));

  // Whoever reads it looks up what is wrong where a backtest of that point would have told it.
  it("fails as a backtest of that point does: with an error of its type, which says as much, and which job it was", async () => {
    const creditQuote = "1000.0000000001";
    const file = stage.write("fine.yaml", { ...stage.backtest(SHORT_SECONDS), account: { creditQuote } });
    const strategies = new Map([["btcusdc", builtInStrategies.ladder.bind({ levels: 1, sizeBase: 0.01, halfSpreadBps: 0.02 })]]);
    const alone = await runBacktest(loadBacktestConfig(file, {}), {
      strategies,
      version: VERSION,
      directory: stage.out(),
      replace: false,
    }).catch((error: Error) => error);
    expect(alone).toBeInstanceOf(FormatError);
    stage.write("sweep-fine.yaml", { ...SWEEP, parameters: { "account.creditQuote": { values: [creditQuote] } } });
    const pool = new ThreadPool({ workers: 1, version: VERSION, entry });
    const swept = await stage.run(stage.out(), pool, { file: "sweep-fine.yaml" }).catch((error: Error) => error);
    await pool.close();
    expect(swept).toBeInstanceOf(FormatError);
    expect(swept).toMatchObject({ message: `whole-0: ${(alone as Error).message}`, field: "account.creditQuote", value: creditQuote });
  });
});
