import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type BotStatus, buildBotStatus, buildReadiness } from "#bot/bot-status.js";
import { loadBotConfig } from "#bot/config.js";
import { startBot } from "#bot/run-bot.js";
import { buildRunSummary, type RunSummary } from "#bot/run-summary.js";
import { FileStateStore } from "#bot/state-dir.js";
import { FILLS_FILE } from "#bot/trade-log.js";
import { loadExchangeConfig } from "#cli/load-exchange-config.js";
import { decimalToScaled } from "#core/instrument.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { MarketId, Side } from "#core/units.js";
import type { VenueOrder } from "#exchange/records.js";
import { createLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";
import { startMetricsServer } from "#monitoring/metrics-server.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import { serveExchange } from "#simulator/http-server.js";
import { codesOf, readPage, tableOf } from "../project/pages.js";

const fillShape = z.object({ event: z.string() });
const RUN_MS = 8_000;
/**
 * Far beyond what any of it takes; a machine that is that slow shows as a failure of what was
 * waited for.
 */
const PATIENCE_MS = 60_000;

/** The facts that whoever watches the bot relies on. */
const REQUIRED_METRICS: Readonly<Record<string, readonly string[]>> = {
  marketwright_orders_total: ["market", "side", "action", "outcome"],
  marketwright_open_orders: ["market", "side"],
  marketwright_fills_total: ["market", "side", "liquidity"],
  marketwright_position_base: ["market"],
  marketwright_equity_quote: [],
  marketwright_pnl_quote: ["market", "part"],
  marketwright_rate_tokens: ["bucket"],
  marketwright_tick_to_order_seconds: [],
  marketwright_order_ack_seconds: [],
  marketwright_stream_gaps_total: ["market"],
  marketwright_reconcile_differences_total: ["kind"],
  marketwright_halted: ["reason"],
};

const SUMMARY_FIELDS = [
  "ordersPlaced",
  "ordersCancelled",
  "ordersRejected",
  "ordersUnknown",
  "ordersUnknownResolved",
  "fills",
  "positionBase",
  "equityQuote",
  "equityChangeQuote",
  "underWayQuote",
  "pnlQuote",
  "streamGaps",
  "reconcileDifferences",
  "openOrdersLeft",
  "secondsToFirstQuote",
] as const;

/** Everything that one live run has shown. */
interface LiveRun {
  readonly markets: readonly MarketId[];
  readonly readyBefore: boolean;
  /** The exchange's answer to openOrders once both sides rested in every market. */
  readonly resting: readonly VenueOrder[];
  readonly page: string;
  readonly status: BotStatus;
  readonly contentType: string | null;
  readonly summary: RunSummary;
  readonly openAfterStop: readonly VenueOrder[];
  readonly tradesAfterStop: number;
  readonly fillsKept: readonly { readonly event: string }[];
  readonly netValueChange: number;
  readonly faults: readonly unknown[];
  readonly log: readonly string[];
}

async function liveRun(): Promise<LiveRun> {
  const runtime = createLiveRuntime();
  const file = (name: string): string =>
    fileURLToPath(new URL(`../../config/${name}`, import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), "marketwright-live-"));
  const startedAt = runtime.clock.monotonicMs();
  const { chain: _chain, ...exchangeConfig } = loadExchangeConfig(file("exchange.yaml"));
  const exchange = configuredExchange({ ...exchangeConfig, port: 0 }, runtime, {
    baseFolder: dirname(file(".")),
  });
  const faults: unknown[] = [];
  const server = await serveExchange(exchange, { onFault: (error) => faults.push(error) });
  const example = loadBotConfig(file("bot.yaml"), {}, { key: "unused" });
  const log: string[] = [];
  const store = new FileStateStore(folder);
  const metrics = new Metrics().withProcessMetrics();
  const running = await startBot({
    config: {
      ...example,
      exchange: { ...example.exchange, rest: server.restUrl, stream: server.streamUrl },
    },
    privateKey: `0x${runtime.random.uint64().toString(16).padStart(16, "0").repeat(4)}`,
    runtime,
    store,
    log: createLog({ write: (line) => log.push(line) }, { level: "info", clock: runtime.clock }),
    metrics,
  });
  const page = await startMetricsServer({
    host: "127.0.0.1",
    port: 0,
    metrics,
    readiness: () => buildReadiness(running.bot),
    sample: () => running.monitor.refresh(),
  });
  try {
    const readyBefore = buildReadiness(running.bot).ready;
    const markets = Object.keys(example.markets);
    const started = exchange.balances(running.account).balances.netValue;
    let resting: readonly VenueOrder[] = [];
    for (
      let waitedMs = 0;
      waitedMs < PATIENCE_MS && !restsEverywhere(resting, markets);
      waitedMs += 100
    ) {
      await sleep(100);
      resting = await running.client.openOrders();
    }
    await sleep(RUN_MS);
    const scraped = await fetch(`http://127.0.0.1:${page.port}/metrics`);
    const text = await scraped.text();
    const status = buildBotStatus(running.bot);
    running.command({ command: "stop", reason: "the test is over" });
    await running.stopped;
    const { firstQuoteAtMs } = running.monitor;
    const summary = buildRunSummary(
      running.bot,
      running.monitor,
      firstQuoteAtMs === undefined ? null : (firstQuoteAtMs - startedAt) / 1_000,
    );
    const openAfterStop = await running.client.openOrders();
    let tradesAfterStop = 0;
    for (const marketId of markets)
      tradesAfterStop += (await running.client.userTrades(marketId)).length;
    const kept = store.read(FILLS_FILE) ?? "";
    return {
      markets,
      readyBefore,
      resting,
      page: text,
      status,
      contentType: scraped.headers.get("content-type"),
      summary,
      openAfterStop,
      tradesAfterStop,
      fillsKept: kept
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => fillShape.parse(JSON.parse(line))),
      netValueChange:
        Number(exchange.balances(running.account).balances.netValue) - Number(started),
      faults,
      log,
    };
  } finally {
    await page.close();
    running.close();
    await server.close();
    store.close();
    rmSync(folder, { recursive: true });
  }
}

function restsEverywhere(orders: readonly VenueOrder[], markets: readonly MarketId[]): boolean {
  const rests = (marketId: MarketId, side: Side): boolean =>
    orders.some((order) => order.marketId === marketId && order.side === side);
  return markets.every((marketId) => rests(marketId, "BUY") && rests(marketId, "SELL"));
}

describe("the example bot on the example exchange, over real HTTP and websockets", () => {
  let run: LiveRun;

  beforeAll(async () => {
    run = await liveRun();
    const { summary, page } = run;
    const rejections = page
      .split("\n")
      .filter((line) => line.startsWith("marketwright_rejections_total{"));
    console.info(JSON.stringify({ summary, rejections }));
  });

  it("rests both sides of every market, as the exchange itself says", () => {
    expect(restsEverywhere(run.resting, run.markets)).toBe(true);
    expect(run.summary.secondsToFirstQuote).toBeGreaterThan(0);
  });

  it("is not ready before it quotes", () => {
    expect(run.readyBefore).toBe(false);
  });

  it("leaves no order of its own when it is stopped, asked of the exchange over REST", () => {
    // An order that has matched whole is listed until it is settled, and cannot fill any more.
    expect(run.openAfterStop.filter(({ availableLots }) => availableLots > 0)).toEqual([]);
    expect(run.summary).toMatchObject({
      openOrdersLeft: 0,
      ordersLeft: [],
      stopReason: "the test is over",
    });
  });

  it("sums up its run in fields that agree with each other and with the exchange", () => {
    const { summary } = run;
    for (const field of SUMMARY_FIELDS) expect(summary, field).toHaveProperty(field);
    expect(summary.ordersPlaced).toBeGreaterThan(0);
    expect(summary.ordersCancelled).toBeGreaterThan(0);
    expect(summary.ordersUnknown).toBe(summary.ordersUnknownResolved);
    expect(summary.fills).toBe(run.tradesAfterStop);
    expect(Object.keys(summary.positionBase)).toEqual(run.markets);
    const { total, transfers, ...parts } = summary.pnlQuote;
    expect(Object.values(parts).reduce((sum, part) => sum + scaled(part), 0n)).toBe(scaled(total));
    expect(scaled(transfers)).toBe(0n);
    // The exchange's marks have moved on since the bot last received them: a position of a few
    // thousand in quote, and basis points.
    expect(Math.abs(Number(total) - run.netValueChange)).toBeLessThan(50);
    expect(summary).toMatchObject({
      streamGaps: 0,
      malformedFrames: 0,
      reconcileDifferences: 0,
      failedTrades: 0,
    });
  });

  it("keeps every fill in its state directory", () => {
    const fills = run.fillsKept.filter(({ event }) => event === "fill");
    expect(fills).toHaveLength(run.summary.fills);
  });

  it("serves every metric that is promised, with its labels", () => {
    expect(run.contentType).toContain("text/plain; version=0.0.4");
    for (const [name, labels] of Object.entries(REQUIRED_METRICS)) {
      expect(run.page, name).toMatch(new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`, "m"));
      const sample = run.page
        .split("\n")
        .find((line) => line.startsWith(`${name}{`) || line.startsWith(`${name}_bucket{`));
      for (const label of sample === undefined ? [] : labels)
        expect(sample).toContain(`${label}="`);
    }
    for (const market of run.markets) {
      expect(run.page).toMatch(
        new RegExp(
          `^marketwright_orders_total\\{market="${market}",side="BUY",action="place",outcome="accepted"\\} [1-9]`,
          "m",
        ),
      );
      for (const side of ["BUY", "SELL"]) {
        expect(run.page).toMatch(
          new RegExp(`^marketwright_open_orders\\{market="${market}",side="${side}"\\} [0-9]`, "m"),
        );
      }
      for (const part of ["spread", "inventory", "fees", "funding", "basis"]) {
        expect(run.page).toMatch(
          new RegExp(`^marketwright_pnl_quote\\{market="${market}",part="${part}"\\} `, "m"),
        );
      }
      expect(run.page).toMatch(
        new RegExp(`^marketwright_intents_total\\{market="${market}",kind="quotes"\\} [1-9]`, "m"),
      );
    }
    for (const histogram of [
      "marketwright_tick_to_order_seconds",
      "marketwright_order_ack_seconds",
    ]) {
      expect(run.page).toMatch(new RegExp(`^${histogram}_count [1-9]`, "m"));
    }
  });

  it("serves metrics that promtool accepts", (context) => {
    const own = run.page
      .split("\n")
      .filter((line) => /^(# (HELP|TYPE) )?marketwright_/.test(line))
      .join("\n");
    const result = spawnSync(process.env.PROMTOOL ?? "promtool", ["check", "metrics"], {
      input: `${own}\n`,
      encoding: "utf8",
    });
    context.skip(
      result.error !== undefined,
      "promtool is not installed (Debian: prometheus), so the page was not checked",
    );
    expect(`${result.stdout}${result.stderr}`).toBe("");
    expect(result.status).toBe(0);
  });

  it("has only keys that docs/reference/status.md explains", () => {
    const explained = (heading: string): readonly string[] =>
      tableOf(readPage("docs/reference/status.md"), heading).flatMap(([cell]) =>
        codesOf(cell ?? ""),
      );
    const { markets, counts, pnlQuote } = run.status;
    for (const [heading, shown] of [
      ["key", run.status],
      ["count", counts],
      ["part", pnlQuote],
      ...Object.values(markets).map((market) => ["key of a market", market] as const),
      ...Object.values(markets).flatMap((market) =>
        market.quotes.map((quote) => ["key of a quote", quote] as const),
      ),
      ["key of the summary", run.summary],
    ] as const) {
      expect(Object.keys(shown).length).toBeGreaterThan(5);
      expect(explained(heading)).toEqual(expect.arrayContaining(Object.keys(shown)));
    }
  });

  it("logs nothing worse than a warning, and the exchange fails at nothing", () => {
    expect(run.log.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
    expect(run.faults).toEqual([]);
  });
});

/** A decimal string in units of its eighteenth decimal. */
function scaled(text: string): bigint {
  return decimalToScaled(text, 18);
}
