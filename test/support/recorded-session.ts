import type { ParityInputs } from "#backtest/fit-model.js";
import { openSession, toParityInputs } from "#backtest/open-session.js";
import { type PaperModels, PaperVenue } from "#backtest/paper-venue.js";
import type { Session } from "#backtest/session-file.js";
import { SessionRecording } from "#backtest/session-recording.js";
import type { BotConfig } from "#bot/config.js";
import { botSchema } from "#bot/config-schema.js";
import { startBot } from "#bot/run-bot.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { Instrument } from "#core/instrument.js";
import type { Clock, Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex, MarketId, Ms } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { createLog } from "#monitoring/log.js";
import type { ReferenceUpdate } from "#reference/reference-update.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import type { CaptureFiles } from "#simulator/capture-files.js";
import { type ExchangeConfig, parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { orderFlowFactory } from "#simulator/flow-config.js";
import type { OrderFlow } from "#simulator/flow-market.js";
import { ReplayFlow } from "#simulator/replay-flow.js";
import { placeManualOrder } from "./manual-order.js";

export const MARKET: MarketId = "btcusdc";
const PRIVATE_KEY: Hex = `0x${"17".repeat(32)}`;
/** Every delay at its least, a millisecond or two. */
const QUICKEST: Random = { uniform: () => 0, uint64: () => 0n };

/** A session to be recorded. */
export interface RecordedSessionOptions {
  readonly config: BotConfig;
  readonly exchange: ExchangeConfig;
  /** The order flow of the other traders in each market. */
  readonly flowFor: (marketId: MarketId) => OrderFlow | null;
  readonly startMs: Ms;
  readonly durationMs: Ms;
  /** Where it is recorded; it is made. */
  readonly folder: string;
  /** Fills its orders on paper, and sends none. */
  readonly paper?: PaperModels;
  /** Ends it as a killed process does. */
  readonly kill?: boolean;
  /**
   * Another run of the same account quotes before it for so long, and is killed: its orders stay
   * open. Recorded is only the session after it.
   */
  readonly earlier?: { readonly forMs: Ms; readonly config?: BotConfig };
  /** A person places it on the account after the earlier run. */
  readonly manualOrder?: Parameters<typeof placeManualOrder>[1];
  /** An operator halts it after so long, and resumes it after so much more. */
  readonly halt?: { readonly afterMs: Ms; readonly forMs: Ms };
  /**
   * How long everything is on its way: between one millisecond and twelve. Default: always the
   * least.
   */
  readonly delays?: Random;
  /** Nothing gets through to the exchange or back, so long after its start and for so long. */
  readonly outage?: { readonly afterMs: Ms; readonly forMs: Ms };
  /** Puts reference prices into the bot, from its start on. */
  readonly sendReferences?: (clock: Clock, send: (update: ReferenceUpdate) => void) => void;
  /** Sets the clock of the bot's machine, and not the exchange's, so long after its start. */
  readonly setClock?: { readonly afterMs: Ms; readonly byMs: Ms };
}

/** Networks on which no source of reference prices is ever connected: the session sends them. */
function unconnected({ references = {} }: BotConfig) {
  const silent = { open: () => ({ send: () => {}, close: () => {} }) };
  return Object.fromEntries(Object.keys(references).map((name) => [name, silent]));
}

/** A recorded session, and what its folder holds. */
export interface RecordedSession {
  readonly folder: string;
  readonly log: readonly string[];
  readonly session: Session | undefined;
}

/** When the sessions below begin, milliseconds since 1970. */
const SESSION_START: Ms = 1_723_161_000_000;

/**
 * A maker at the touch of a synthetic market.
 * @param folder that is made, and holds the session
 * @param halfSpreadBps how far from its middle
 */
export function makerSession(
  folder: string,
  forMs: Ms,
  preset: "lively" | "fitted" = "lively",
  halfSpreadBps = 0.3,
): RecordedSessionOptions {
  const exchange = parseExchangeConfig({
    port: 0,
    markets: {
      [MARKET]: {
        tickSize: "0.1",
        stepSize: "0.001",
        flow: { kind: "synthetic", preset, startPriceQuote: 60_000 },
      },
    },
    rateLimits: { common: 0, order: 0 },
  });
  const written = botSchema.parse({
    exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" },
    account: { keyEnv: "KEY" },
    quotes: { timeInForce: "POST_ONLY", priceToleranceTicks: 5 },
    decide: { everyMs: 250, minGapMs: 50 },
    markets: {
      [MARKET]: {
        strategy: "ladder",
        params: { levels: 2, halfSpreadBps, levelSpacingBps: 0.5, sizeBase: 0.01 },
        limits: { maxPositionBase: "1", maxOrderBase: "0.1" },
      },
    },
    risk: { maxDrawdownQuote: "100000" },
  });
  const config = { ...written, path: "/bot.yaml" } as unknown as BotConfig;
  return {
    config,
    exchange,
    startMs: SESSION_START,
    durationMs: forMs,
    folder,
    flowFor: flowsOf(exchange),
  };
}

function flowsOf(exchange: ExchangeConfig): RecordedSessionOptions["flowFor"] {
  const flowOf = orderFlowFactory(exchange, { baseFolder: ".", onReplayEnd: () => {} });
  return (marketId) => flowOf(marketId, null);
}

/**
 * Extends any session by a second market, on a grid of its own.
 * @param halfSpreadBps how far from its middle
 */
export function withMarket(
  wish: RecordedSessionOptions,
  marketId: MarketId,
  halfSpreadBps: number,
): RecordedSessionOptions {
  const { markets } = wish.config;
  const made = markets[MARKET] as BotConfig["markets"][string];
  const params = { ...made.params, halfSpreadBps, sizeBase: 0.2 };
  const limits = { ...made.limits, maxPositionBase: "50", maxOrderBase: "10" };
  const second = parseExchangeConfig({
    port: 0,
    markets: {
      [marketId]: {
        tickSize: "0.01",
        stepSize: "0.001",
        flow: { kind: "synthetic", startPriceQuote: 2_500 },
      },
    },
  });
  const exchange = { ...wish.exchange, markets: { ...second.markets, ...wish.exchange.markets } };
  const config = {
    ...wish.config,
    markets: { [marketId]: { ...made, params, limits }, ...markets },
  };
  return { ...wish, config, exchange, flowFor: flowsOf(exchange) };
}

/**
 * The same maker inside the spread of a market whose touch moves again and again, over a line that
 * takes now one millisecond and now twelve.
 */
export function jitterySession(folder: string, forMs: Ms): RecordedSessionOptions {
  return { ...makerSession(folder, forMs, "fitted", 0.05), delays: seededRandom("a line") };
}

/**
 * Of any session one over that line, with quotes so near the middle and so large that many of them
 * take when they arrive, and some find too little.
 */
export function withTakingQuotes(wish: RecordedSessionOptions): RecordedSessionOptions {
  const { quotes, markets } = wish.config;
  const market = markets[MARKET] as BotConfig["markets"][string];
  const params = { ...market.params, halfSpreadBps: 0.1, sizeBase: 0.1 };
  const config = {
    ...wish.config,
    quotes: { ...quotes, timeInForce: "GTT" as const },
    markets: { [MARKET]: { ...market, params } },
  };
  return { ...wish, config, delays: seededRandom("a line") };
}

/** The same maker where a recorded capture drives the market. */
export async function captureSession(
  folder: string,
  forMs: Ms,
  files: CaptureFiles,
): Promise<RecordedSessionOptions> {
  const flow = new ReplayFlow({ files, speed: 1 }, () => {});
  await flow.preload(
    new Instrument({
      marketId: MARKET,
      tickSize: "0.1",
      stepSize: "0.001",
      creditDecimals: 6,
      paperDecimals: 18,
    }),
  );
  return { ...makerSession(folder, forMs), flowFor: () => flow };
}

function clockThatIsSet(
  clock: Clock,
  { afterMs, byMs }: NonNullable<RecordedSessionOptions["setClock"]>,
): Clock {
  const setAtMs = clock.monotonicMs() + afterMs;
  return {
    nowMs: () => clock.nowMs() + (clock.monotonicMs() < setAtMs ? 0 : byMs),
    monotonicMs: () => clock.monotonicMs(),
    setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire),
  };
}

/**
 * Runs a bot on the embedded exchange in virtual time, over a network in memory, and records it.
 */
export async function recordSession({
  config,
  exchange: wanted,
  flowFor,
  startMs,
  durationMs,
  folder,
  paper,
  kill = false,
  earlier,
  manualOrder,
  halt,
  outage,
  delays = QUICKEST,
  setClock,
  sendReferences,
}: RecordedSessionOptions): Promise<RecordedSession> {
  const clock = new VirtualClock(startMs);
  const random = seededRandom("session");
  const exchange = new EmbeddedExchange(wanted, { clock, random }, { createFlow: flowFor });
  const runtime = {
    clock: setClock === undefined ? clock : clockThatIsSet(clock, setClock),
    random,
  };
  exchange.start();
  const log: string[] = [];
  SessionRecording.claim(folder);
  let recording: SessionRecording | undefined;
  let isAtDisk = false;
  const settled = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    while (!isSettled) {
      // No virtual time passes for the disk: the same options give the same session.
      if (isAtDisk) await new Promise((resolve) => setImmediate(resolve));
      else await clock.runFor(1);
    }
    return promise;
  };
  const network = new FaultyNetwork(exchange, clock, new FaultSource([], delays), "10.0.0.1");
  const common = {
    privateKey: PRIVATE_KEY,
    runtime,
    store: new MemoryStateStore(),
    log: createLog({ write: (line) => log.push(line.trim()) }, { level: "warn", clock }),
    transport: network,
    references: { transports: unconnected(config) },
  };
  if (earlier !== undefined) {
    const killed = await settled(startBot({ ...common, config: earlier.config ?? config }));
    await clock.runFor(earlier.forMs);
    killed.close();
  }
  if (manualOrder !== undefined) {
    const signer = ecdsaScheme.signer(PRIVATE_KEY);
    placeManualOrder({ exchange, signer, clock, random }, manualOrder);
  }
  const running = await settled(
    startBot({
      ...common,
      config,
      ...(paper === undefined
        ? {}
        : {
            dryRun: true,
            paper: (live, { rules }, bot) =>
              new PaperVenue({ live, config, rules, models: paper, clock, ...bot }),
          }),
      record: async (beginning) => {
        const onFailed = (error: unknown): void => {
          throw error;
        };
        isAtDisk = true;
        recording = await SessionRecording.begin(
          {
            folder,
            config,
            mode: paper === undefined ? "live" : "paper",
            ...(paper === undefined ? {} : { paper }),
            version: "1.0.0",
            runtime,
            onFailed,
          },
          beginning,
        );
        isAtDisk = false;
        return recording;
      },
    }),
  );
  sendReferences?.(clock, (update) => running.bot.accept({ kind: "reference", update }));
  if (outage !== undefined) {
    clock.setTimer(outage.afterMs, () => {
      network.down = true;
      network.dropStreams("the line is cut");
    });
    clock.setTimer(outage.afterMs + outage.forMs, () => {
      network.down = false;
    });
  }
  if (halt !== undefined) {
    await clock.runFor(halt.afterMs);
    running.command({ command: "halt", reason: "news at eight" });
    await clock.runFor(halt.forMs);
    running.command({ command: "resume" });
  }
  await clock.runFor(durationMs - (halt === undefined ? 0 : halt.afterMs + halt.forMs));
  if (!kill) {
    running.command({ command: "stop", reason: "the session is over" });
    await settled(running.stopped);
  }
  running.close();
  exchange.stop();
  const session = kill ? undefined : await recording?.close();
  return { folder, log, session };
}

/** The inputs of a recorded session by which its orders are judged. */
export async function parityInputs({ folder, session }: RecordedSession): Promise<ParityInputs> {
  if (session === undefined) throw new Error("the session was killed");
  const [market] = await openSession(folder, session);
  if (market === undefined) throw new Error("the session has lost its market");
  return toParityInputs(market, session);
}
