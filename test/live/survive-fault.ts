import { expect } from "vitest";
import { buildBotStatus } from "#bot/bot-status.js";
import { botSchema } from "#bot/config-schema.js";
import { startBot } from "#bot/run-bot.js";
import { buildRunSummary } from "#bot/run-summary.js";
import type { RunningBot } from "#bot/running-bot.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import { FaultInjector } from "#simulator/fault-injector.js";
import { type FaultKind, faultShape } from "#simulator/fault-shape.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";
import { SILENT } from "../bot/recorded-run.js";
import { until } from "../cli/until.js";

const MARKET = "btcusdc";
/** The faults last at least so long. */
const LEAST_MS = 1_500;
const runtime = createLiveRuntime();

/** A fault as a bot meets it in a test. */
export interface TriedFault {
  readonly fault: Readonly<Record<string, unknown>> & { readonly kind: FaultKind };
  /** It lasts until it has struck so often. */
  readonly strikes?: number;
  /** Other faults without which it would not strike. */
  readonly beside?: readonly Readonly<Record<string, unknown>>[];
}

/** An exchange with a market that moves, for many bots with a port and faults each. */
export class MovingExchange {
  readonly exchange = configuredExchange(
    parseExchangeConfig({
      port: 0,
      seed: 7,
      settlement: { delayMs: 200 },
      // All bots have one address.
      rateLimits: { order: 0, common: 0 },
      markets: { [MARKET]: { flow: { kind: "synthetic", startPriceQuote: 60000 } } },
    }),
    runtime,
  );
  readonly #servers: ExchangeServer[] = [];

  async serve(faults: FaultInjector): Promise<ExchangeServer> {
    const server = await serveExchange(this.exchange, { faults });
    this.#servers.push(server);
    return server;
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}

/** The exchange on a port of its own, and a bot that quotes on it. */
async function quotingBot(moving: MovingExchange) {
  const faults = new FaultInjector(runtime.clock, { seed: 7 });
  const server = await moving.serve(faults);
  const file = botSchema.parse({
    exchange: {
      rest: server.restUrl,
      stream: server.streamUrl,
      // A busy machine takes its time as well.
      requestTimeoutMs: 1_500,
      reconcileMs: 1_000,
    },
    account: { keyEnv: "KEY" },
    quotes: { timeInForce: "POST_ONLY" },
    decide: { everyMs: 200, minGapMs: 50 },
    markets: {
      [MARKET]: {
        strategy: "ladder",
        params: { halfSpreadBps: 0.5, sizeBase: 0.01 },
        limits: { maxPositionBase: "0.2", maxOrderBase: "0.05" },
      },
    },
    // Many bots share this process.
    risk: { maxDrawdownQuote: "50000", maxLoopLagMs: 60_000 },
  });
  const running = await startBot({
    config: { ...file, path: "/bots/bot.yaml" },
    privateKey: `0x${runtime.random.uint64().toString(16).padStart(16, "0").repeat(4)}`,
    runtime,
    store: new MemoryStateStore(),
    log: SILENT,
  });
  return { faults, running };
}

/** The hashes of the orders that may fill, as the bot knows them and as the exchange has them. */
function openOrders(exchange: EmbeddedExchange, running: RunningBot) {
  const { quotes } = buildBotStatus(running.bot).markets[MARKET] as {
    readonly quotes: readonly { readonly clientId: string }[];
  };
  return {
    known: quotes.map(({ clientId }) => clientId).sort(),
    there: exchange
      .openOrders(running.account)
      .map(({ terms }) => terms.hash as string)
      .sort(),
  };
}

/**
 * Puts a bot under a fault, ends the fault, and stops the bot: it quotes again before, knows
 * exactly the orders, fills and the position that the exchange has, and leaves no order.
 */
export async function surviveFault(
  moving: MovingExchange,
  { fault, strikes = 3, beside = [] }: TriedFault,
): Promise<void> {
  const { exchange } = moving;
  const { faults, running } = await quotingBot(moving);
  try {
    await until(
      () => openOrders(exchange, running).there.length,
      (length) => length >= 2,
    );
    const { id } = faults.schedule.add(faultShape.parse(fault));
    for (const other of beside) faults.schedule.add(faultShape.parse(other));
    await new Promise<void>((resolve) => runtime.clock.setTimer(LEAST_MS, () => resolve()));
    await until(
      () => faults.schedule.list().find((each) => each.id === id)?.struck ?? 0,
      (struck) => struck >= strikes,
    );
    faults.schedule.endAll();

    await until(
      () => ({ ...openOrders(exchange, running), halts: buildBotStatus(running.bot).halts }),
      ({ known, there }) => there.length >= 2 && String(known) === String(there),
    );
    running.command({ command: "stop", reason: "the test is over" });
    await running.stopped;
    const summary = buildRunSummary(running.bot, running.monitor, null);
    // An order that has matched whole stays listed until it is settled, and cannot fill any more.
    const mayFill = exchange.openOrders(running.account).filter(({ openLots }) => openLots > 0);
    expect(mayFill).toEqual([]);
    expect(summary).toMatchObject({ openOrdersLeft: 0, ordersLeft: [] });
    expect(summary.ordersUnknownResolved).toBe(summary.ordersUnknown);
    const trades = await until(
      () => running.client.userTrades(MARKET).catch(() => undefined),
      (found) => found !== undefined,
    );
    expect(summary.fills).toBe(trades?.length);
    const lots = exchange.positionLots(running.account, MARKET);
    expect(Number(summary.positionBase[MARKET])).toBeCloseTo(lots / 1000, 9);
    expect(summary.positionsApart).toBeUndefined();
  } finally {
    running.close();
    faults.close();
  }
}
