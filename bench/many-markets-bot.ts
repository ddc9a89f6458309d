import { botSchema } from "#bot/config-schema.js";
import { startBot } from "#bot/run-bot.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { initCrypto } from "#core/signing.js";
import { createLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";

/** The work of a bot since the last query. */
export interface BotLoad {
  /** Processor time of its process, user and system. */
  readonly cpuMs: number;
  /** For each order, milliseconds from the received stream message to the written signed order. */
  readonly tickToOrderMs: readonly number[];
}

/**
 * Metrics that keep each time from a tick to an order: the histogram's buckets are too wide for a
 * percentile.
 */
class TimedMetrics extends Metrics {
  tickToOrderMs: number[] = [];

  override tickToOrder(seconds: number): void {
    super.tickToOrder(seconds);
    this.tickToOrderMs.push(seconds * 1000);
  }
}

/**
 * A bot as `marketwright run` starts it, on every market of the exchange; only its state is in
 * memory.
 */
async function run(port: number, markets: number): Promise<void> {
  await initCrypto();
  const runtime = createLiveRuntime();
  const metrics = new TimedMetrics();
  const market = {
    strategy: "ladder",
    params: { levels: 2, halfSpreadBps: 1, levelSpacingBps: 1, sizeBase: 0.01 },
    limits: { maxPositionBase: 1, maxOrderBase: 0.1, maxOpenOrders: 20 },
  };
  const file = {
    exchange: { rest: `http://127.0.0.1:${port}/v1`, stream: `ws://127.0.0.1:${port}/v1` },
    account: { keyEnv: "NONE" },
    quotes: { timeInForce: "POST_ONLY" },
    markets: Object.fromEntries(
      Array.from({ length: markets }, (_, place) => [`btc${place}usdc`, market]),
    ),
    // However late it is, it continues to quote, so that its delay is measured.
    risk: { maxDrawdownQuote: 1_000_000, maxLoopLagMs: 60_000, maxBookAgeMs: 60_000 },
  };
  const running = await startBot({
    config: { ...botSchema.parse(file), path: "/bench.yaml" },
    privateKey: `0x${"4c".repeat(32)}`,
    runtime,
    store: new MemoryStateStore(),
    log: createLog({ write: () => {} }, { level: "info", clock: runtime.clock }),
    metrics,
  });
  running.stopped.catch((error: unknown) => {
    throw error;
  });
  let before = process.cpuUsage();
  process.on("message", () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    process.send?.({
      cpuMs: (user + system) / 1000,
      tickToOrderMs: metrics.tickToOrderMs,
    } satisfies BotLoad);
    metrics.tickToOrderMs = [];
  });
  process.send?.({ ports: [] });
}

await run(Number(process.argv[2]), Number(process.argv[3]));
