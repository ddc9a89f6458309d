import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { buildReadiness } from "#bot/bot-status.js";
import { loadBotConfig } from "#bot/config.js";
import { startBot } from "#bot/run-bot.js";
import { FileStateStore } from "#bot/state-dir.js";
import { loadExchangeConfig } from "#cli/load-exchange-config.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { silentLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";
import { startMetricsServer } from "#monitoring/metrics-server.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import { serveExchange } from "#simulator/http-server.js";
import { recordSamples } from "../monitoring/record-samples.js";
import { PROJECT_ROOT } from "../project/checkout.js";
import { type PanelQuery, panelQueries } from "./dashboard-files.js";

const PROMETHEUS = process.env.PROMETHEUS ?? "prometheus";
/** Far beyond what any of it takes. */
const PATIENCE_MS = 240_000;

/** Panels that need what the demo does not have. Samples of every metric fill them. */
const NOT_IN_THE_DEMO: Readonly<Record<string, string>> = {
  "liquidator.json": "the demo's bot makes markets and liquidates nobody",
  "hedges.json": "the demo's markets have neither a hedge nor a reference",
  "Settlement failures a minute": "no settlement fails there",
  "Rejections a minute": "the exchange rejects nothing there for certain",
  "Refusals a minute": "no limit is reached there for certain",
  "Halts by reason": "nothing halts there for certain",
  "Halts of the market": "nothing halts there for certain",
  "Risk ladder of the market": "the demo limits no market's loss, inventory or markout",
  "Tokens short": "no rate limit is reached there",
  "Throttled requests a minute": "no rate limit is reached there",
  "Gaps of the book's stream a minute": "no frame is lost there",
  "Malformed frames a minute": "no frame is malformed there",
  "Differences a minute": "a reconciliation finds no difference there",
  "Unwritten state": "the disk has room there",
};

const answerShape = z.object({
  status: z.literal("success"),
  data: z.object({
    result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })),
  }),
});

const installed = spawnSync(PROMETHEUS, ["--version"]).error === undefined;
const folder = mkdtempSync(join(tmpdir(), "mw-panels-"));
const cleanup: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
let api: string;

beforeAll(async () => {
  if (!installed) return;
  const ports = { desk: await demoBot(), samples: await samplesServer() };
  api = await prometheus(ports);
});

afterAll(async () => {
  for (const undo of cleanup.reverse()) await undo();
});

/** The bot of `npm start` on its exchange. @returns the port of its metrics */
async function demoBot(): Promise<number> {
  const runtime = createLiveRuntime();
  const file = (name: string): string => join(PROJECT_ROOT, "config", name);
  const { chain: _chain, ...exchangeConfig } = loadExchangeConfig(file("exchange.yaml"));
  const exchange = configuredExchange({ ...exchangeConfig, port: 0 }, runtime, {
    baseFolder: dirname(file(".")),
  });
  const server = await serveExchange(exchange, { onFault: (error) => expect(error).toBe("") });
  cleanup.push(() => server.close());
  const example = loadBotConfig(file("bot.yaml"), {}, { key: "unused" });
  const store = new FileStateStore(join(folder, "state"));
  cleanup.push(() => store.close());
  const metrics = new Metrics().withProcessMetrics();
  metrics.setBuild("0.1.0", process.version);
  const running = await startBot({
    config: {
      ...example,
      exchange: { ...example.exchange, rest: server.restUrl, stream: server.streamUrl },
    },
    privateKey: `0x${"59".repeat(32)}`,
    runtime,
    store,
    log: silentLog,
    metrics,
  });
  cleanup.push(async () => {
    running.command({ command: "stop", reason: "the test is over" });
    await running.stopped;
    running.close();
  });
  const page = await startMetricsServer({
    host: "127.0.0.1",
    port: 0,
    metrics,
    readiness: () => buildReadiness(running.bot),
    sample: () => running.monitor.refresh(),
  });
  cleanup.push(() => page.close());
  return page.port;
}

/** A page with a sample of every metric, which counts at each scrape. @returns its port */
async function samplesServer(): Promise<number> {
  const metrics = new Metrics();
  const page = await startMetricsServer({
    host: "127.0.0.1",
    port: 0,
    metrics,
    readiness: () => ({ ready: true, reasons: [] }),
    sample: () => recordSamples(metrics),
  });
  cleanup.push(() => page.close());
  return page.port;
}

/** Prometheus with the project's file, but these bots. @returns the address of its API */
async function prometheus(ports: Readonly<Record<string, number>>): Promise<string> {
  const own = join(PROJECT_ROOT, "deploy/prometheus");
  const config = parse(readFileSync(join(own, "prometheus.yml"), "utf8"));
  config.global = { scrape_interval: "1s", evaluation_interval: "1s" };
  config.rule_files = [join(own, "alerts.yml")];
  config.scrape_configs[0].static_configs = Object.entries(ports).map(([account, port]) => ({
    targets: [`127.0.0.1:${port}`],
    labels: { account },
  }));
  writeFileSync(join(folder, "prometheus.yml"), stringify(config));
  const child = spawn(
    PROMETHEUS,
    [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      "--web.listen-address=127.0.0.1:0",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  cleanup.push(() => ended(child));
  let log = "";
  // Its log is read to the end: a closed pipe would end it.
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  for (;;) {
    const [, address] = /msg="Listening on" address=(\S+)/.exec(log) ?? [];
    if (address !== undefined) return `http://${address}/api/v1/query`;
    if (child.exitCode !== null) throw new Error(`Prometheus does not listen: ${log}`);
    await sleep(50);
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, "exit");
}

/** True if the query has a finite value of this account now. */
async function hasData({ expr }: PanelQuery, account: string): Promise<boolean> {
  const query = expr
    .replaceAll("$account", account)
    .replaceAll("$market", "btcusdc")
    .replaceAll("$__rate_interval", "20s");
  const response = await fetch(`${api}?${new URLSearchParams({ query })}`);
  const text = await response.text();
  const { data } = answerShape.parse(JSON.parse(text));
  return data.result.some(({ value: [, value] }) => Number.isFinite(Number(value)));
}

/** The queries that never had data of this account. */
async function without(
  queries: readonly PanelQuery[],
  account: string,
): Promise<readonly PanelQuery[]> {
  let left = queries;
  for (let waitedMs = 0; left.length > 0 && waitedMs < PATIENCE_MS; waitedMs += 500) {
    const found = await Promise.all(left.map((query) => hasData(query, account)));
    left = left.filter((_, at) => found[at] !== true);
    await sleep(500);
  }
  return left;
}

const needsMore = ({ dashboard, panel }: PanelQuery): boolean =>
  NOT_IN_THE_DEMO[dashboard] !== undefined || NOT_IN_THE_DEMO[panel] !== undefined;

describe.skipIf(!installed)("each panel's query, on Prometheus (Debian: prometheus)", () => {
  it("finds data of the demo's bot", async () => {
    const queries = panelQueries().filter((query) => !needsMore(query));
    expect(queries.length).toBeGreaterThan(40);
    expect(await without(queries, "desk")).toEqual([]);
  });

  it("finds data where every metric has a sample, also those that the demo does not have", async () => {
    const own = panelQueries().filter(({ expr }) => !/\b(process|nodejs)_/.test(expr));
    expect(await without(own, "samples")).toEqual([]);
  });

  it("is listed as one that the demo lacks only if there is such a panel", () => {
    const names = new Set(panelQueries().flatMap(({ dashboard, panel }) => [dashboard, panel]));
    expect(Object.keys(NOT_IN_THE_DEMO).filter((name) => !names.has(name))).toEqual([]);
  });
});
