import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { ExchangeClient } from "#exchange/exchange-client.js";
import { NetworkTransport } from "#exchange/network-transport.js";
import { download } from "#history/download.js";
import { HistoryStore } from "#history/history-store.js";
import { query, scratchFolder } from "./scratch.js";
import { type TradingExchange, tradingExchange } from "./trading-exchange.js";

const MIDNIGHT = 1723161600000;
const START = MIDNIGHT - 60_000;
const END = MIDNIGHT + 60_000;

type Listed = Readonly<Record<string, unknown>> & {
  readonly id: string | number;
  readonly time: number;
};

/** Milliseconds from midnight of four trades, in the order of their ids. */
const DISORDER = [-3, 7, 5, -4];

// Lists are ordered by id and days by time. A trade before midnight with a greater id than one
// after it was once in neither day, without a warning.
describe("downloading from an exchange whose trade ids are not in the order of time", () => {
  let exchange: TradingExchange;
  let network: NetworkTransport;
  let client: ExchangeClient;
  /** The id of the first of the four. */
  let firstId = Number.POSITIVE_INFINITY;

  const disordered = (trade: Listed): Listed => {
    const late = DISORDER[Number(trade.id) - firstId];
    return late === undefined ? trade : { ...trade, time: MIDNIGHT + late };
  };

  beforeAll(async () => {
    exchange = await tradingExchange(new VirtualClock(START), END, "disorder");
    const runtime = createLiveRuntime();
    network = new NetworkTransport({
      restUrl: exchange.restUrl,
      streamUrl: exchange.restUrl.replace("http", "ws"),
      clock: runtime.clock,
    });
    const transport: ConstructorParameters<typeof ExchangeClient>[0]["transport"] = {
      request: (request, done) =>
        network.request(request, (result) => {
          const isTrades = result.ok && /\/(historicalTrades|trades)$/.test(request.path);
          done(
            isTrades
              ? {
                  ...result,
                  body: JSON.stringify((JSON.parse(result.body) as Listed[]).map(disordered)),
                }
              : result,
          );
        }),
    };
    client = new ExchangeClient({ transport, runtime });
    await client.syncClock();
    let last = 0;
    for await (const { id, time } of client.all.historicalTrades({ marketId: "btcusdc" }))
      if (time < MIDNIGHT) last = Number(id);
    firstId = last - 1;
  });

  afterAll(async () => {
    client.close();
    network.close();
    await exchange.close();
  });

  it("has each trade in the day of its time", async () => {
    const store = new HistoryStore(join(scratchFolder(), "history"));
    const { toMs } = await download(store, client, {
      ...{
        market: "btcusdc",
        span: [START, END],
        kinds: ["trades"],
        address: exchange.restUrl,
        pageSize: 20,
      },
    });
    const rows = await query(
      store,
      `SELECT id::VARCHAR FROM read_parquet('${store.root}/btcusdc/trades/*.parquet') ORDER BY id`,
    );
    const listed: string[] = [];
    for await (const { id, time } of client.all.historicalTrades({ marketId: "btcusdc" })) {
      if (time >= START && time < toMs) listed.push(String(id));
    }
    expect(store.days({ market: "btcusdc", kind: "trades" }).map(({ day }) => day)).toEqual([
      "2024-08-08",
      "2024-08-09",
    ]);
    expect(rows.map((row) => String(Object.values(row as object)[0]))).toEqual(
      listed.sort((a, b) => Number(a) - Number(b)),
    );
  });
});
