import { dirname } from "node:path";
import { loadBotConfig } from "#bot/config.js";
import { startBot } from "#bot/run-bot.js";
import { buildRunSummary, type RunSummary } from "#bot/run-summary.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { loadExchangeConfig } from "#cli/load-exchange-config.js";
import { ConfigError } from "#core/errors.js";
import { scaledToDecimal } from "#core/instrument.js";
import type { Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { MarketId, Ms } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { silentLog } from "#monitoring/log.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { configuredExchange } from "#simulator/configured-exchange.js";

/** A bot's file, an exchange's file, and how long the bot trades there. */
export interface MakerRunOptions {
  readonly botFile: string;
  readonly exchangeFile: string;
  /** Replaces the seed of the exchange's file. */
  readonly seed: number;
  /** Of the exchange's time. */
  readonly minutes: number;
}

/** A maker's run in one market. */
export interface MarketRun {
  readonly buys: number;
  readonly sells: number;
  readonly volumeQuote: number;
  /** The share of the seconds in which a bid and an ask of the bot rested. */
  readonly quotedFraction: number;
  readonly profitQuote: number;
  readonly endBase: number;
  /** Without its sign. */
  readonly largestBase: number;
}

/** A maker's run; its positions count at the last mark. */
export interface MakerRun {
  readonly seed: number;
  readonly summary: RunSummary;
  /** The largest fall of the profit from its peak, sampled each second. */
  readonly largestFallQuote: number;
  /** Names of the halts at the end, such as `drawdown`. */
  readonly halts: readonly string[];
  readonly markets: ReadonlyMap<MarketId, MarketRun>;
}

const START_MS: Ms = 1_760_000_000_000;
/** In which the bot starts. */
const FIRST_MS: Ms = 1_000;
/** As the loopback device, the network takes a millisecond or two. */
const QUICKEST: Random = { uniform: () => 0, uint64: () => 0n };

/**
 * Runs the real bot on the embedded exchange in virtual time. Trades settle in memory: neither the
 * chain nor the bot's liquidator takes part. The same options give the same run.
 * @throws ConfigError for a file that is not valid, or a bot that trades another exchange's markets
 */
export async function runMaker({
  botFile,
  exchangeFile,
  seed,
  minutes,
}: MakerRunOptions): Promise<MakerRun> {
  const clock = new VirtualClock(START_MS);
  const { chain: _chain, dataDir: _dataDir, ...exchangeConfig } = loadExchangeConfig(exchangeFile);
  const exchange = configuredExchange(
    { ...exchangeConfig, seed },
    { clock, random: seededRandom("exchange") },
    { baseFolder: dirname(exchangeFile) },
  );
  const config = loadBotConfig(botFile, {}, { key: "unused" });
  for (const marketId of Object.keys(config.markets))
    if (exchangeConfig.markets[marketId] === undefined)
      throw new ConfigError("is a market that the exchange does not have", {
        field: `markets.${marketId}`,
        value: botFile,
        expected: `one of ${Object.keys(exchangeConfig.markets).join(", ")}`,
      });
  exchange.start();
  const starting = startBot({
    config,
    privateKey: `0x${"5a".repeat(32)}`,
    runtime: { clock, random: seededRandom("bot") },
    store: new MemoryStateStore(),
    log: silentLog,
    withoutLiquidator: true,
    transport: new FaultyNetwork(exchange, clock, new FaultSource([], QUICKEST), "10.0.0.1"),
  });
  await clock.runFor(FIRST_MS);
  const running = await starting;
  const { account } = running.bot.context;
  const watched = new Map(Object.keys(config.markets).map((id) => [id, { quoted: 0, lots: 0 }]));
  const marketOf = (id: MarketId) => exchange.account(running.account)?.markets.get(id);
  let peakQuote = 0;
  let largestFallQuote = 0;
  const seconds = minutes * 60;
  for (let second = 0; second < seconds; second++) {
    await clock.runFor(1_000);
    const { total, decimals } = account.profit();
    const profitQuote = Number(scaledToDecimal(total, decimals));
    peakQuote = Math.max(peakQuote, profitQuote);
    largestFallQuote = Math.max(largestFallQuote, peakQuote - profitQuote);
    for (const [id, sample] of watched) {
      const { openBuyLots = 0, openSellLots = 0 } = marketOf(id) ?? {};
      if (openBuyLots > 0 && openSellLots > 0) sample.quoted++;
    }
  }

  const summary = buildRunSummary(running.bot, running.monitor, null);
  const markets = new Map<MarketId, MarketRun>();
  for (const [id, { quoted }] of watched) {
    const { instrument } = exchange.market(id);
    const trades = [...(marketOf(id)?.trades.page({ limit: Number.MAX_SAFE_INTEGER }) ?? [])];
    let [positionLots, largestLots, volumeQuote] = [0, 0, 0];
    for (const { trade, isBuyer } of trades) {
      positionLots += isBuyer ? trade.lots : -trade.lots;
      largestLots = Math.max(largestLots, Math.abs(positionLots));
      volumeQuote += trade.lots * instrument.lotBase * trade.ticks * instrument.tickQuote;
    }
    const { total, decimals } = account.profit(id);
    markets.set(id, {
      buys: trades.filter(({ isBuyer }) => isBuyer).length,
      sells: trades.filter(({ isBuyer }) => !isBuyer).length,
      volumeQuote,
      quotedFraction: quoted / seconds,
      profitQuote: Number(scaledToDecimal(total, decimals)),
      endBase: positionLots * instrument.lotBase,
      largestBase: largestLots * instrument.lotBase,
    });
  }
  const halts = running.bot.tradingGuards.halts.map(({ name }) => name);
  running.bot.abandon();
  running.close();
  exchange.stop();
  return { seed, summary, largestFallQuote, halts, markets };
}
