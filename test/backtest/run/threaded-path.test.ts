import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { type BacktestConfig, loadBacktestConfig } from "#backtest/backtest-config.js";
import { type RunBacktestOptions, runBacktest, THREAD_FROM_BARS } from "#backtest/run-backtest.js";
import { ConfigError, RunError } from "#core/errors.js";
import { builtInStrategies } from "#strategies/built-in.js";
import { builtCommand } from "../../support/built-command.js";
import { generateCandles } from "../../support/generated-candles.js";

/**
 * Two seeded markets: on one the low before the high earns less, on the other the high before the
 * low.
 */
const WORSE_LOW_FIRST = "c";
const WORSE_HIGH_FIRST = "a";
const BARS = 96;
const TO_MS = Date.UTC(2026, 0, 6);
const PARAMS = { halfSpreadBps: 2, sizeBase: 0.01, levels: 2, levelSpacingBps: 2 };

describe("both paths through candles at once", () => {
  let folder: string;
  let pathThread: URL;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "both-paths-"));
    pathThread = new URL("../dist/backtest/run/path-thread.js", pathToFileURL(builtCommand()));
    for (const market of [WORSE_LOW_FIRST, WORSE_HIGH_FIRST])
      await generateCandles(folder, {
        market,
        fromMs: Date.UTC(2026, 0, 5),
        bars: BARS,
        seed: market,
      });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** For however few bars. */
  const onTwo = (program = pathThread): Partial<RunBacktestOptions> => ({
    pathThread: program,
    threadFromBars: 1,
  });

  function configOf(market: string, { strategy = "ladder", other = market } = {}): BacktestConfig {
    const each = <Value>(value: Value): Record<string, Value> => ({
      [market]: value,
      [other]: value,
    });
    const bot = {
      exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" },
      account: { keyEnv: "MARKETWRIGHT_NO_KEY" },
      quotes: { timeInForce: "POST_ONLY" },
      decide: { everyMs: 60_000 },
      markets: each({
        strategy,
        params: PARAMS,
        limits: { maxPositionBase: 0.2, maxOrderBase: 0.05 },
      }),
      risk: { maxDrawdownQuote: 5000 },
    };
    const backtest = {
      history: {
        store: "history",
        markets: { [market]: market, [other]: other },
        from: "2026-01-05",
        to: "2026-01-06",
      },
      bot: "bot.yaml",
      rules: {
        markets: each({
          tickSizeQuote: 0.1,
          stepSizeBase: 0.001,
          makerFeeRate: 0.0001,
          takerFeeRate: 0.0005,
        }),
      },
    };
    writeFileSync(join(folder, "bot.yaml"), stringify(bot));
    writeFileSync(join(folder, "bt.yaml"), stringify(backtest));
    return loadBacktestConfig(join(folder, "bt.yaml"), {});
  }

  /**
   * Runs it into a new folder.
   * @returns the folder's parent, in which nothing else may be left
   */
  async function reported(
    config: BacktestConfig,
    name: string,
    run: Partial<RunBacktestOptions> = {},
  ) {
    const parent = join(folder, name);
    mkdirSync(parent);
    const directory = join(parent, "report");
    const strategies = new Map(
      Object.keys(config.history.markets).map((market) => [
        market,
        builtInStrategies.ladder.bind(PARAMS),
      ]),
    );
    const result = runBacktest(config, {
      strategies,
      version: "0.0.0",
      directory,
      replace: false,
      ...run,
    });
    const outcome = await result.then(
      ({ report }) => report,
      (error: Error) => error,
    );
    return {
      outcome,
      left: readdirSync(parent),
      bytes: (file: string) => readFileSync(join(directory, file)),
    };
  }

  // A trader reads one report, whichever thread made it.
  it.each([
    ["the high before the low", WORSE_LOW_FIRST],
    ["the low before the high", WORSE_HIGH_FIRST],
  ])(
    "give the same bytes as one after the other where %s is the better one",
    async (better, market) => {
      const config = configOf(market);
      const [alone, beside] = [
        await reported(config, `${market}-alone`),
        await reported(config, `${market}-beside`, onTwo()),
      ];
      expect(alone.outcome).toMatchObject({
        ended: "end-of-history",
        alternatives: [{ name: expect.stringContaining(better) }],
      });
      for (const file of ["fills.csv", "report.json", "report.html"])
        expect(beside.bytes(file).equals(alone.bytes(file))).toBe(true);
      expect(beside.left).toEqual(["report"]);
    },
  );

  // A thread for a few days of history costs more than it saves. A missing program shows if a
  // thread was requested.
  it("starts a thread from a number of bars on, of all markets together, and not for fewer", async () => {
    const program = new URL("./nothing-there.js", pathThread);
    const played = async (
      name: string,
      run: Partial<RunBacktestOptions>,
      other = WORSE_LOW_FIRST,
    ) =>
      (await reported(configOf(WORSE_LOW_FIRST, { other }), name, { pathThread: program, ...run }))
        .outcome;
    expect(await played("fewer", { threadFromBars: BARS + 1 })).toMatchObject({
      ended: "end-of-history",
    });
    expect(await played("as-many", { threadFromBars: BARS })).toBeInstanceOf(RunError);
    expect(
      await played("two-markets", { threadFromBars: BARS + 1 }, WORSE_HIGH_FIRST),
    ).toBeInstanceOf(RunError);
    expect(BARS).toBeLessThan(THREAD_FROM_BARS);
    expect(await played("as-it-comes", {})).toMatchObject({ ended: "end-of-history" });
  });

  it("stops both when it is interrupted, reports only the first, and leaves nothing of the other", async () => {
    const interrupted = async (name: string, mayEndFirst: boolean) => {
      let isFirstOver = false;
      const onProgress = (atUs: number): boolean => {
        const goesOn = mayEndFirst && !isFirstOver;
        isFirstOver ||= atUs >= TO_MS * 1000;
        return goesOn;
      };
      const { outcome, left } = await reported(configOf(WORSE_LOW_FIRST), name, {
        ...onTwo(),
        onProgress,
      });
      expect(left).toEqual(["report"]);
      return outcome;
    };
    for (const outcome of [
      await interrupted("in-the-first", false),
      await interrupted("in-the-second", true),
    ]) {
      expect(outcome).toMatchObject({
        ended: "stopped",
        alternatives: [],
        reason: expect.stringMatching(/has only .*high before the low/),
      });
    }
  });

  it("throws what a path threw, of its type, and leaves nothing of either", async () => {
    const unknown = configOf(WORSE_LOW_FIRST, { strategy: "no-such-strategy" });
    const there = await reported(unknown, "there", onTwo());
    expect(there.outcome).toBeInstanceOf(ConfigError);
    expect(there.outcome).toHaveProperty(
      "message",
      expect.stringMatching(/^markets\..*\.strategy: .*no-such-strategy/),
    );
    const onNotice = (): never => {
      throw new RunError("broke here");
    };
    const here = await reported(configOf(WORSE_LOW_FIRST), "here", {
      ...onTwo(),
      onBotEvent: onNotice,
    });
    expect(here.outcome).toBeInstanceOf(RunError);
    expect(here.outcome).toHaveProperty("message", "broke here");
    const program = new URL("./nothing-there.js", pathThread);
    const dead = await reported(configOf(WORSE_LOW_FIRST), "dead", onTwo(program));
    expect(dead.outcome).toBeInstanceOf(RunError);
    expect(dead.outcome).toHaveProperty(
      "message",
      expect.stringContaining("the thread of a path failed"),
    );
    for (const { left } of [there, here, dead]) expect(left).toEqual([]);
  });

  it("throws a strategy's unhandled error of the thread, with the strategy's name, and leaves nothing of either", async () => {
    const STRAYS = `import { defineStrategy } from "marketwright";
import { ignoreElements } from "rxjs";
import { z } from "zod";

export default defineStrategy({
  params: z.looseObject({}),
  create: () => {
    void Promise.reject(new Error("the feed is down"));
    return ignoreElements();
  },
});
`;
    writeFileSync(join(folder, "strays.ts"), STRAYS);
    const { outcome, left } = await reported(
      configOf(WORSE_LOW_FIRST, { strategy: "./strays.ts" }),
      "strays",
      onTwo(),
    );
    expect(outcome).toBeInstanceOf(RunError);
    expect(outcome).toMatchObject({
      field: `markets.${WORSE_LOW_FIRST}.strategy`,
      value: join(folder, "strays.ts"),
      message: expect.stringContaining(
        "rejected a promise that it does not await: the feed is down (strays.ts:8:",
      ),
    });
    expect(left).toEqual([]);
  });
});
