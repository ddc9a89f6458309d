import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { type Connection, connect } from "#exchange/connect.js";
import { ExchangeClient } from "#exchange/exchange-client.js";
import { NetworkTransport } from "#exchange/network-transport.js";
import { download } from "#history/download.js";
import { HistoryStore } from "#history/history-store.js";
import { captureCli } from "../cli/captured-cli.js";
import { scratchFolder } from "./scratch.js";
import { type TradingExchange, tradingExchange } from "./trading-exchange.js";

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5, 12);
const SERIES = { market: "btcusdc", kind: "trades" };

// An exchange lists only its latest trades. The time before was once stored as time without trades:
// whole days of it, each called complete.
describe("downloading from an exchange that has forgotten its first trades", () => {
  const clock = new VirtualClock(START);
  let exchange: TradingExchange;
  let connection: Connection;

  beforeAll(async () => {
    exchange = await tradingExchange(clock, START + 30 * MINUTE, "forgotten", {
      retention: { publicTrades: 500 },
    });
    connection = await connect({ baseUrl: exchange.restUrl });
  });

  afterAll(async () => {
    connection.close();
    await exchange.close();
  });

  const oldestMs = async (): Promise<number> => {
    for await (const { time } of connection.client.all.historicalTrades({ marketId: "btcusdc" }))
      return time;
    throw new Error("the exchange lists no trade");
  };
  const take = (store: HistoryStore, onProgress = (): void => {}) =>
    download(store, connection.client, {
      market: "btcusdc",
      span: [START - 3 * 86_400_000, clock.nowMs()],
      kinds: ["trades"],
      address: exchange.restUrl,
      onProgress,
    });

  it("covers trades from the first one still listed, says so, and omits the days before it", async () => {
    const store = new HistoryStore(join(scratchFolder(), "history"));
    const first = await oldestMs();
    expect(first).toBeGreaterThan(START + MINUTE);
    const { kinds, toMs } = await take(store);
    expect(kinds[0]).toMatchObject({
      rows: expect.any(Number),
      unlisted: [[START - 3 * 86_400_000, first]],
      findings: [],
    });
    expect(store.days(SERIES)).toMatchObject([
      { day: "2026-01-05", covered: [[first, toMs]], complete: false },
    ]);
    const span = ["--from", "2026-01-04", "--to", "2026-01-05"];
    const { code, out } = await captureCli([
      ...[
        "data",
        "download",
        "--exchange",
        exchange.restUrl,
        "--store",
        store.root,
        "--market",
        "btcusdc",
        "--kinds",
        "trades",
        ...span,
      ],
    ]);
    expect({ code, out }).toEqual({
      code: 0,
      out: "trades: 0 records, nothing is new\n  the exchange has no trades of 2026-01-04T00:00:00Z to 2026-01-05T00:00:00Z: it stays a gap\n",
    });
  });

  it("leaves a gap if the exchange no longer lists the record from which a killed download has to continue", async () => {
    const store = new HistoryStore(join(scratchFolder(), "history"));
    const first = await oldestMs();
    let records = 0;
    const killed = take(store, () => {
      records += 100;
      if (records === 300) throw new Error("killed");
    });
    await expect(killed).rejects.toThrow("killed");
    await clock.runUntil(clock.nowMs() + 30 * MINUTE);
    connection.close();
    connection = await connect({ baseUrl: exchange.restUrl });
    const { kinds, toMs } = await take(store);
    const later = await oldestMs();
    const [day] = store.days(SERIES);
    expect(day?.covered).toEqual([
      [first, expect.any(Number)],
      [later, toMs],
    ]);
    expect(day?.covered[0]?.[1]).toBeLessThan(later);
    expect(kinds[0]?.findings).toEqual([
      expect.stringMatching(/the exchange no longer has the last downloaded record, at \d+ ms/),
    ]);
  });

  // A gap between two pages was once known only to the process that fetched them. The next process
  // called that time covered, and a backtest traded through unknown minutes.
  it("leaves a gap for records dropped between two pages, even if the download was killed afterwards", async () => {
    const store = new HistoryStore(join(scratchFolder(), "history"));
    const runtime = createLiveRuntime();
    const network = new NetworkTransport({
      restUrl: exchange.restUrl,
      streamUrl: exchange.restUrl.replace("http", "ws"),
      clock: runtime.clock,
    });
    const first = await oldestMs();
    const listedMs = clock.nowMs() - first;
    let forgets = false;
    const transport: ConstructorParameters<typeof ExchangeClient>[0]["transport"] = {
      request: async (request, done) => {
        // Half of its list is replaced by newer trades.
        if (forgets) await clock.runUntil(clock.nowMs() + listedMs / 2);
        forgets = false;
        network.request(request, done);
      },
    };
    const client = new ExchangeClient({ transport, runtime });
    await client.syncClock();
    const span = [START - 3 * 86_400_000, clock.nowMs()] as const;
    let diedAtMs = 0;
    let records = 0;
    const killed = download(store, client, {
      ...{ market: "btcusdc", span, kinds: ["trades"], address: exchange.restUrl, pageSize: 40 },
      onProgress: (_kind, atMs) => {
        records += 100;
        forgets = records === 100;
        if (records < 200) return;
        diedAtMs = atMs;
        throw new Error("killed");
      },
    });
    await expect(killed).rejects.toThrow("killed");
    client.close();
    network.close();
    const { kinds } = await take(store);
    const [day] = store.days(SERIES);
    expect(day?.covered).toHaveLength(2);
    expect(day?.covered[0]?.[0]).toBe(first);
    expect(day?.covered[1]?.[0]).toBeGreaterThan(first + listedMs / 3);
    expect(day?.covered[1]?.[0]).toBeLessThan(diedAtMs);
    expect(kinds[0]?.findings).toEqual([
      expect.stringMatching(/the page from \d+ on does not overlap the one before/),
    ]);
    expect(day?.findings).toEqual(kinds[0]?.findings);
  });
});
