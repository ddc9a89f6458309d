import { afterEach, describe, expect, it } from "vitest";
import { RunError } from "#core/errors.js";
import { Metrics } from "#monitoring/metrics.js";
import {
  type MetricsServer,
  type Readiness,
  startMetricsServer,
} from "#monitoring/metrics-server.js";

const open: MetricsServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function serve(
  readiness: () => Readiness = () => ({ ready: true, reasons: [] }),
  port = 0,
): Promise<MetricsServer> {
  const metrics = new Metrics();
  metrics.setEquity(7, 7);
  const server = await startMetricsServer({ host: "127.0.0.1", port, metrics, readiness });
  open.push(server);
  return server;
}

const get = (server: MetricsServer, path: string, method = "GET") =>
  fetch(`http://${server.host}:${server.port}${path}`, { method });

describe("the metrics endpoint", () => {
  it("serves the page that Prometheus scrapes", async () => {
    const answer = await get(await serve(), "/metrics?from=prometheus");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    expect(await answer.text()).toContain("marketwright_equity_quote 7");
  });

  it("is healthy while it serves, whether or not the bot quotes", async () => {
    const server = await serve(() => ({ ready: false, reasons: ["halted: drawdown"] }));
    expect((await get(server, "/healthz")).status).toBe(200);
  });

  it("is ready only while the bot quotes, and says why not", async () => {
    let now: Readiness = { ready: false, reasons: ["btcusdc: book not in step"] };
    const server = await serve(() => now);
    const before = await get(server, "/readyz");
    expect(before.status).toBe(503);
    expect(await before.json()).toEqual(now);
    now = { ready: true, reasons: [] };
    expect((await get(server, "/readyz")).status).toBe(200);
  });

  it("knows no other page and no other method", async () => {
    const server = await serve();
    expect((await get(server, "/")).status).toBe(404);
    expect((await get(server, "/metrics", "POST")).status).toBe(405);
  });

  it("names the port that is taken", async () => {
    const { port } = await serve();
    await expect(serve(undefined, port)).rejects.toThrow(RunError);
    await expect(serve(undefined, port)).rejects.toThrow(`metrics.port: is in use (got ${port})`);
  });

  it("names the address that is not this machine's", async () => {
    await expect(
      startMetricsServer({
        host: "203.0.113.1",
        port: 0,
        metrics: new Metrics(),
        readiness: () => ({ ready: true, reasons: [] }),
      }),
    ).rejects.toThrow("metrics.host");
  });
});
