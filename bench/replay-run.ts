import { readVenueRules } from "#backtest/backtest-rules.js";
import { disableParallelGc } from "#backtest/disable-parallel-gc.js";
import { constantLatency } from "#backtest/latency.js";
import { ReplayRun } from "#backtest/replay-run.js";
import type { RunObserver } from "#backtest/run-observer.js";
import type { BotConfig } from "#bot/config.js";
import { botSchema } from "#bot/config-schema.js";
import type { VenueRules } from "#exchange/records.js";
import type { Tape } from "#history/tape.js";
import { builtInStrategies } from "#strategies/built-in.js";
import type { Strategy } from "#strategies/strategy.js";

/** The bot of the replay benchmarks: GLFT on one market, with a decision every 100 ms. */
const BOT = {
  exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" },
  account: { keyEnv: "KEY" },
  quotes: { timeInForce: "POST_ONLY", priceToleranceTicks: 5 },
  decide: { everyMs: 100, onTouchChange: false, onFill: false },
  risk: { maxDrawdownQuote: "1000000" },
};
const PARAMS = {
  riskAversion: 0.05,
  sizeBase: 0.01,
  kPerBps: 0.155,
  aPerSecond: 1.2,
  halfSpreadFactor: 0.5,
  skewFactor: 0.2,
};

// As the command does.
disableParallelGc();

/** An observer that does nothing: the cost of a report is not measured. */
const NULL_OBSERVER: RunObserver = {
  touch: () => {},
  fill: () => {},
  equity: () => {},
  quote: () => {},
  action: () => {},
  prediction: () => {},
  funding: () => {},
  note: () => {},
};

/** The result of one run of the bot. */
export interface ReplayBenchResult {
  readonly decisions: number;
  readonly actions: number;
  readonly fills: number;
  /**
   * Keep a reference to it. If no part of a run is alive, a garbage collection also discards the
   * compiled code, and the next runs compile it again.
   */
  readonly run: ReplayRun;
}

/** The data that a command reads from its files once, whatever it then replays. */
interface Setup {
  readonly config: BotConfig;
  readonly rules: VenueRules;
}

const SETUPS = new WeakMap<Tape, Setup>();

function setupOf(tape: Tape): Setup {
  const known = SETUPS.get(tape);
  if (known !== undefined) return known;
  const { marketId } = tape;
  const market = {
    strategy: "glft",
    params: PARAMS,
    limits: { maxPositionBase: "0.1", maxOrderBase: "0.05" },
  };
  const setup: Setup = {
    config: {
      ...botSchema.parse({ ...BOT, markets: { [marketId]: market } }),
      path: "/bench/bot.yaml",
    },
    rules: readVenueRules(
      {
        markets: {
          [marketId]: {
            tickSizeQuote: tape.tickSize,
            stepSizeBase: tape.stepSize,
            makerFeeRate: "0.0001",
            takerFeeRate: "0.0005",
            maxLeverage: 20,
            liquidationThreshold: 0.03,
            maxOpenOrders: 200,
          },
        },
        liquidationPriceOff: 0.01,
        insuranceFeeRate: 0.01,
        orderTokensPerMinute: 600,
        commonTokensPerMinute: 1200,
      },
      [marketId],
      "/",
    ),
  };
  SETUPS.set(tape, setup);
  return setup;
}

/**
 * One whole run of the benchmark's bot over a tape: both clocks, 40 ms either way, risk-averse
 * queues, decisions every 100 ms.
 */
export function replayOnce(tape: Tape, grade: "books" | "trades" = "books"): ReplayBenchResult {
  const { marketId } = tape;
  let [decisions, actions, fills] = [0, 0, 0];
  const startUs = tape.exchangeUs[0] as number;
  const run = new ReplayRun({
    ...setupOf(tape),
    strategies: new Map([[marketId, (builtInStrategies.glft as Strategy).bind(PARAMS)]]),
    markets: new Map([[marketId, { grade, tape }]]),
    fills: {
      queue: "risk-averse",
      partialFills: true,
      doubtful: "conservative",
      queueAheadBase: undefined,
      slippageTicks: 1,
      path: "ohlc",
      volumeShare: 1,
    },
    createLatency: () => constantLatency(40, 40),
    liquidation: { priceOff: 0n, insuranceFeeRate: 0n },
    startCredit: 100_000_000_000n,
    seed: "1",
    startUs,
    warmupMs: 0,
    // The account is sampled only for the report.
    sampleUs: Number.POSITIVE_INFINITY,
    observer: { ...NULL_OBSERVER, fill: () => (fills += 1), action: () => (actions += 1) },
    onBotEvent: ({ kind }) => {
      if (kind === "intent") decisions += 1;
    },
  });
  run.play((tape.exchangeUs[tape.messages - 1] as number) + 1);
  run.finish();
  const [failed] = run.strategyErrors;
  if (failed !== undefined)
    throw new Error(`the bench's strategy failed, and its market was halted: ${failed.why}`);
  return { decisions, actions, fills, run };
}
