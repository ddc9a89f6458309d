import { fileURLToPath } from "node:url";
import { type BotConfig, loadBotConfig } from "#bot/config.js";
import { startBot } from "#bot/run-bot.js";
import { buildRunSummary, type RunSummary } from "#bot/run-summary.js";
import type { RunningBot } from "#bot/running-bot.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { loadExchangeConfig } from "#cli/load-exchange-config.js";
import type { Runtime } from "#core/runtime.js";
import type { Hex, MarketId, Ms } from "#core/units.js";
import type { VenueOrder, VenueTrade } from "#exchange/records.js";
import type { Transport } from "#exchange/transport.js";
import { createLog } from "#monitoring/log.js";
import type { CaptureFiles } from "#simulator/capture-files.js";
import type { ExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { type ReplayEnd, ReplayFlow } from "#simulator/replay-flow.js";
import { ListeningTransport } from "./listening-transport.js";
import { everyTrade, profitFromRecords, type RecordedProfit } from "./profit-from-records.js";
import { ReplayWitness, type SumCheck, sameBook } from "./replay-witness.js";

const MARKET: MarketId = "btcusdc";
const PRIVATE_KEY: Hex = `0x${"17".repeat(32)}`;
/** Longer than the settlement of the last trade and the next reading of the mark. */
const SETTLE_MS: Ms = 5_000;

/** A replaying exchange with the files of the project's own configuration. */
export interface ReplayingExchange {
  readonly config: ExchangeConfig;
  readonly exchange: EmbeddedExchange;
  readonly replay: ReplayFlow;
  readonly ends: ReplayEnd[];
}

/** `config/replay-exchange.yaml` with another capture, speed, port or funding interval. */
export function replayingExchange(
  runtime: Runtime,
  files: CaptureFiles,
  options: { readonly speed: number; readonly port?: number; readonly fundingIntervalMs?: Ms },
): ReplayingExchange {
  const loaded = loadExchangeConfig(projectFile("config/replay-exchange.yaml"));
  const market = loaded.markets[MARKET];
  const intervalMs = options.fundingIntervalMs;
  if (market === undefined) throw new Error(`the example exchange has lost its market ${MARKET}`);
  const config: ExchangeConfig = {
    ...loaded,
    port: options.port ?? loaded.port,
    markets: {
      [MARKET]: {
        ...market,
        funding:
          intervalMs === undefined
            ? market.funding
            : { ...market.funding, mode: "fixed", intervalMs },
      },
    },
  };
  const ends: ReplayEnd[] = [];
  const replay = new ReplayFlow({ files, speed: options.speed }, (end) => ends.push(end));
  return {
    config,
    exchange: new EmbeddedExchange(config, runtime, { createFlow: () => replay }),
    replay,
    ends,
  };
}

/** `config/replay.yaml`, with the addresses of the exchange in their place. */
export function replayBotConfig(exchange?: {
  readonly rest: string;
  readonly stream: string;
}): BotConfig {
  const config = loadBotConfig(projectFile("config/replay.yaml"), {}, { key: "unused" });
  return exchange === undefined
    ? config
    : { ...config, exchange: { ...config.exchange, ...exchange } };
}

/** The result of a replay. */
export interface ReplayResult {
  readonly end: ReplayEnd | undefined;
  readonly witness: ReplayWitness;
  /**
   * Bot's open orders and the exchange's when the capture had ended, by hash with open lots,
   * sorted.
   */
  readonly openOrders: { readonly ours: readonly string[]; readonly theirs: readonly string[] };
  readonly lastBookAgrees: boolean;
  readonly unsettledTrades: number;
  /** After the last settlement, at one mark. */
  readonly sum: SumCheck;
  readonly trades: readonly VenueTrade[];
  /** Every order of the run that is over, as the exchange lists them. */
  readonly orders: readonly VenueOrder[];
  readonly parts: ReturnType<RunningBot["bot"]["context"]["account"]["profit"]>;
  readonly recorded: RecordedProfit;
  readonly summary: RunSummary;
  readonly openAfterStop: number;
  /** Warnings and errors that were logged. */
  readonly log: readonly string[];
}

/** The passing of time for a run: advanced in memory, waited for on a network. */
export interface Passage {
  /** The time between two checks that the bot quotes: a second of capture time. */
  readonly sampleEveryMs: Ms;
  readonly runtime: Runtime;
  readonly transport: Transport;
  /** Lets so much time pass. */
  pass(ms: Ms): Promise<void>;
  /** Lets time pass until the promise has settled. */
  until<T>(promise: Promise<T>): Promise<T>;
}

/**
 * Runs the bot on a replay that has been started: through the whole capture, to a halt, to the end.
 */
export async function runReplay(
  replaying: ReplayingExchange,
  config: BotConfig,
  { runtime, transport, pass, until, sampleEveryMs }: Passage,
): Promise<ReplayResult> {
  const { exchange, replay, ends } = replaying;
  const witness = new ReplayWitness(exchange, replay, MARKET);
  const log: string[] = [];
  const running = await until(
    startBot({
      config,
      privateKey: PRIVATE_KEY,
      runtime,
      store: new MemoryStateStore(),
      log: createLog(
        { write: (line) => log.push(line.trim()) },
        { level: "warn", clock: runtime.clock },
      ),
      transport: new ListeningTransport(transport, witness),
    }),
  );
  const { bot, client, account } = running;
  witness.watch(bot, account);
  while (ends.length === 0) {
    await pass(sampleEveryMs);
    witness.sample();
  }
  await pass(SETTLE_MS);
  const openOrders = {
    ours: bot.context.account.orders
      .mayStillFill(MARKET)
      .map(({ hash, mayFillLots }) => `${hash.toLowerCase()} ${mayFillLots}`)
      .sort(),
    theirs: (await until(client.openOrders(MARKET)))
      .map(({ hash, availableLots }) => `${hash.toLowerCase()} ${availableLots}`)
      .sort(),
  };
  // A position that stays: quotes come down, and what was matched settles.
  running.command({ command: "halt", marketId: MARKET, reason: "the capture is over" });
  await pass(SETTLE_MS);
  const trader = bot.context.traders.get(MARKET);
  if (trader === undefined || trader.midHalfTicks === undefined || trader.state.mark === undefined)
    throw new Error("the bot has lost its market");
  if (!witness.inStep())
    throw new Error("the bot does not know of every trade, funding and mark of the exchange");
  const sum = witness.sum();
  const parts = bot.context.account.profit();
  const trades = await until(everyTrade(client, MARKET));
  const incomes = await until(client.incomes(MARKET));
  const fundings = incomes.filter(({ type }) => type === "FUNDING_FEE").map(({ amount }) => amount);
  const { instrument, midHalfTicks, state } = trader;
  const recorded = profitFromRecords(
    instrument,
    trades,
    fundings,
    witness.mids,
    midHalfTicks,
    state.mark ?? 0n,
  );
  const lastBookAgrees =
    trader.book.isSynchronised && sameBook(trader.book.entries(), exchange.book(MARKET));
  const { unsettledTrades } = exchange;
  running.command({ command: "stop", reason: "the replay is over" });
  await until(running.stopped);
  // An order that has matched whole is listed until it is settled.
  const openAfterStop = (await until(client.openOrders(MARKET))).filter(
    ({ availableLots }) => availableLots > 0,
  ).length;
  const orders = await until(client.historyOrders(MARKET));
  const summary = buildRunSummary(
    bot,
    running.monitor,
    running.monitor.firstQuoteAtMs === undefined ? null : running.monitor.firstQuoteAtMs / 1000,
  );
  running.close();
  exchange.stop();
  return {
    end: ends[0],
    witness,
    openOrders,
    lastBookAgrees,
    unsettledTrades,
    sum,
    trades,
    orders,
    parts,
    recorded,
    summary,
    openAfterStop,
    log,
  };
}

function projectFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
