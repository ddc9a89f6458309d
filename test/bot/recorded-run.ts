import type { BotConfig } from "#bot/config.js";
import { botSchema } from "#bot/config-schema.js";
import type { DayRecorder } from "#bot/day-recorder.js";
import type { JournalSink, JournalTurn } from "#bot/journal.js";
import type { FileLine } from "#bot/journal-lines.js";
import type { ReferenceAccess } from "#bot/prepare-sources.js";
import { startBot } from "#bot/run-bot.js";
import type { RunningBot } from "#bot/running-bot.js";
import { MemoryStateStore, type StateStore } from "#bot/state-dir.js";
import type { Clock } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Hex } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { Transport } from "#exchange/transport.js";
import type { HedgeVenue } from "#hedge/hedge-venue.js";
import type { Log } from "#monitoring/log.js";
import { type FaultKind, FaultSource, type FaultWindow } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";

/** Monday 2026-06-01, 00:00:10 UTC. */
export const START_MS = 1_780_272_010_000;

export const PRIVATE_KEY: Hex =
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/** Two lively markets, each with its own strategy. */
export const EXCHANGE = {
  seed: 7,
  settlement: { delayMs: 1500, failureRate: 0.05 },
  // Room for a minute of faults without a pause.
  rateLimits: { order: 12_000, common: 24_000 },
  markets: {
    btcusdc: {
      tickSize: "0.1",
      stepSize: "0.001",
      flow: { kind: "synthetic", startPriceQuote: 60000 },
    },
    ethusdc: {
      tickSize: "0.01",
      stepSize: "0.01",
      priceQuote: { min: "0.01", max: "1000000" },
      amountBase: { min: "0.01", max: "10000" },
      marketAmountBase: { min: "0.01", max: "1000" },
      flow: { kind: "synthetic", startPriceQuote: 3000 },
    },
  },
} as const;

export function botConfigOf(overrides: Record<string, unknown> = {}): BotConfig {
  const file = botSchema.parse({
    exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" },
    account: { keyEnv: "KEY" },
    quotes: { timeInForce: "POST_ONLY", priceToleranceTicks: 2 },
    markets: {
      btcusdc: {
        strategy: "avellaneda-stoikov",
        params: { riskAversion: 0.05, horizonMs: 60000, sizeBase: 0.02 },
        limits: { maxPositionBase: "0.5", maxOrderBase: "0.1" },
      },
      ethusdc: {
        strategy: "ladder",
        params: { levels: 2, halfSpreadBps: 1, levelSpacingBps: 1, sizeBase: 0.2 },
        limits: { maxPositionBase: "5", maxOrderBase: "1" },
      },
    },
    risk: { maxDrawdownQuote: "5000" },
    ...overrides,
  });
  return { ...file, path: "/bots/bot.yaml" };
}

export const SILENT: Log = {
  writesDebug: false,
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  fatal: () => {},
  child: () => SILENT,
};

/** A period of the run, in milliseconds from its start, in which a fault occurs. */
export type Trouble = readonly [
  kind: FaultKind,
  fromMs: number,
  untilMs: number,
  probability: number,
];

export interface VirtualRun {
  readonly clock: VirtualClock;
  readonly exchange: EmbeddedExchange;
  readonly running: RunningBot;
  readonly struck: ReadonlyMap<FaultKind, number>;
  /** Continues until the bot has stopped. */
  stop(): Promise<void>;
}

export interface VirtualRunOptions {
  readonly config?: BotConfig;
  readonly exchangeConfig?: Parameters<typeof parseExchangeConfig>[0];
  /** When the run begins; {@link START_MS} if absent. */
  readonly startMs?: number;
  readonly trouble?: readonly Trouble[];
  readonly journal?: JournalSink;
  readonly dryRun?: boolean;
  readonly dayRecorderOf?: (clock: Clock) => DayRecorder;
  readonly store?: StateStore;
  /** The clock of the bot's machine, if it differs from the exchange's. */
  readonly machineOf?: (world: Clock) => Clock;
  /** How the sources of reference prices reach their networks, in the time of the run. */
  readonly referencesOf?: (clock: VirtualClock) => ReferenceAccess;
  /** The venues where positions are laid off, in the time of the run. */
  readonly hedgeVenuesOf?: (clock: VirtualClock) => ReadonlyMap<string, HedgeVenue>;
  /** A decorator of the network below the bot. */
  readonly through?: (network: Transport) => Transport;
}

/** A bot as it runs live, on the embedded exchange in memory and in virtual time. */
export async function startVirtualRun(options: VirtualRunOptions = {}): Promise<VirtualRun> {
  const startMs = options.startMs ?? START_MS;
  const clock = new VirtualClock(startMs);
  const exchange = configuredExchange(parseExchangeConfig(options.exchangeConfig ?? EXCHANGE), {
    clock,
    random: seededRandom("exchange"),
  });
  exchange.start();
  const windows: FaultWindow[] = (options.trouble ?? []).map(
    ([kind, fromMs, untilMs, probability]) => ({
      kind,
      fromMs: startMs + fromMs,
      untilMs: startMs + untilMs,
      probability,
    }),
  );
  const faults = new FaultSource(windows, seededRandom("faults"));
  const network = new FaultyNetwork(exchange, clock, faults, "10.0.0.1");
  const starting = startBot({
    config: options.config ?? botConfigOf(),
    privateKey: PRIVATE_KEY,
    runtime: { clock: options.machineOf?.(clock) ?? clock, random: seededRandom("bot") },
    store: options.store ?? new MemoryStateStore(),
    log: SILENT,
    transport: options.through?.(network) ?? network,
    ...(options.referencesOf === undefined ? {} : { references: options.referencesOf(clock) }),
    ...(options.hedgeVenuesOf === undefined
      ? {}
      : { openHedgeVenues: () => Promise.resolve(options.hedgeVenuesOf?.(clock) ?? new Map()) }),
    ...(options.dayRecorderOf === undefined
      ? {}
      : { dayRecorder: options.dayRecorderOf(options.machineOf?.(clock) ?? clock) }),
    ...(options.dryRun === undefined ? {} : { dryRun: options.dryRun }),
    ...(options.journal === undefined ? {} : { journal: options.journal }),
  });
  let running: RunningBot | undefined;
  let failed: unknown;
  starting.then(
    (started) => {
      running = started;
    },
    (error: unknown) => {
      failed = error;
    },
  );
  while (running === undefined && failed === undefined) await clock.runFor(50);
  if (running === undefined) throw failed;
  const started = running;
  return {
    clock,
    exchange,
    running: started,
    struck: faults.struck,
    async stop() {
      started.command({ command: "stop", reason: "the test is over" });
      let stopped = false;
      started.stopped.then(
        () => {
          stopped = true;
        },
        () => {
          stopped = true;
        },
      );
      while (!stopped) await clock.runFor(500);
      await started.stopped;
      started.close();
      exchange.stop();
    },
  };
}

/** A journal in memory. */
export class MemoryJournal implements JournalSink {
  readonly lines: string[] = [];

  write(line: string): void {
    this.lines.push(line);
  }
}

/** The turns that a journal in memory holds. */
export function turnsOf({ lines }: MemoryJournal): JournalTurn[] {
  return lines.slice(1).map((line) => JSON.parse(line) as JournalTurn);
}

/** Lines as a file would yield them. */
export function asFile(lines: readonly string[]): FileLine[] {
  return lines.map((text, index) => ({ number: index + 1, text, whole: true }));
}
