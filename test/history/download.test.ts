import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VirtualClock } from "#core/virtual-clock.js";
import { type Connection, connect } from "#exchange/connect.js";
import type { PublicTrade } from "#exchange/market-data.js";
import { type DownloadOptions, download, requireDownloadable } from "#history/download.js";
import { HistoryStore } from "#history/history-store.js";
import { captureCli } from "../cli/captured-cli.js";
import { query, scratchFolder } from "./scratch.js";
import { type TradingExchange, tradingExchange } from "./trading-exchange.js";

const MIDNIGHT = 1723161600000;
const START = MIDNIGHT - 180_000;
const END = MIDNIGHT + 150_000;

describe("downloading an exchange's own history over HTTP", () => {
  let exchange: TradingExchange;
  let connection: Connection;

  beforeAll(async () => {
    exchange = await tradingExchange(new VirtualClock(START), END, "history");
    connection = await connect({ baseUrl: exchange.restUrl });
  });

  afterAll(async () => {
    connection.close();
    await exchange.close();
  });

  const wanted = (more: Partial<DownloadOptions> = {}): DownloadOptions => ({
    market: "btcusdc",
    span: [START, MIDNIGHT + 86_400_000],
    kinds: ["trades", "klines-1M", "mark-klines-1M", "funding"],
    address: exchange.restUrl,
    pageSize: 40,
    ...more,
  });
  const rowsOf = (store: HistoryStore, kind: string) =>
    query(
      store,
      `SELECT COLUMNS(c -> c <> 'filename')::VARCHAR FROM read_parquet('${store.root}/btcusdc/${kind}/*.parquet', filename = true) ORDER BY timeNs::BIGINT`,
    );

  it("stores every trade and candle once, days split at midnight, and volumes that agree to the lot", async () => {
    const store = new HistoryStore(join(scratchFolder(), "history"));
    const { kinds, volumes, toMs } = await download(store, connection.client, wanted());
    expect(kinds.flatMap(({ findings }) => findings)).toEqual([]);
    expect(kinds[0]?.rows).toBeGreaterThan(100);
    expect(volumes).toMatchObject({ differing: 0, first: [] });
    expect(volumes.candles).toBeGreaterThanOrEqual(4);
    const days = store.days({ market: "btcusdc", kind: "trades" });
    expect(days.map(({ day, complete }) => [day, complete])).toEqual([
      ["2024-08-08", false],
      ["2024-08-09", false],
    ]);
    const ids = (await rowsOf(store, "trades")).map(({ id }) => id);
    const listed: PublicTrade[] = [];
    for await (const trade of connection.client.all.historicalTrades({ marketId: "btcusdc" }))
      if (trade.time < toMs) listed.push(trade);
    expect(ids).toEqual(listed.map(({ id }) => id));
    // Before its first listed trade an exchange may have had others.
    const grid = { tickSize: "0.1", stepSize: "0.001" };
    expect(days[0]).toMatchObject({ covered: [[listed[0]?.time, MIDNIGHT]], grid });
  });

  it("continues after a kill at any record without a trace, and requests nothing twice", async () => {
    const folder = scratchFolder();
    const [whole, killed] = [
      new HistoryStore(join(folder, "whole")),
      new HistoryStore(join(folder, "killed")),
    ];
    const trades = wanted({ kinds: ["trades"], span: [START, END - 60_000] });
    await download(whole, connection.client, trades);
    for (let life = 0; life < 2; life += 1) {
      const dies = download(killed, connection.client, {
        ...trades,
        onProgress: () => {
          throw new Error("killed");
        },
      });
      await expect(dies).rejects.toThrow("killed");
      const staging = join(killed.root, ".staging", "btcusdc", "trades");
      for (const name of readdirSync(staging))
        if (name.endsWith(".ndjson")) appendFileSync(join(staging, name), '{"id":"12');
    }
    const { kinds } = await download(killed, connection.client, trades);
    expect(kinds[0]?.findings).toEqual([]);
    expect(await rowsOf(killed, "trades")).toEqual(await rowsOf(whole, "trades"));
    expect((await download(killed, connection.client, trades)).kinds[0]).toMatchObject({
      rows: 0,
      days: [],
    });
  });

  it("names the store if its disk is full, and continues after the last record once there is space", async () => {
    const store = new HistoryStore(join(scratchFolder(), "history"));
    const trades = wanted({ kinds: ["trades"], span: [START, END - 60_000] });
    const onProgress = (): void => {
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    };
    const fills = download(store, connection.client, { ...trades, onProgress });
    await expect(fills).rejects.toThrow(`${store.root}: has no room left on its disk`);
    expect((await download(store, connection.client, trades)).kinds[0]).toMatchObject({
      findings: [],
      days: [{}, {}],
    });
  });

  it("begins at the first trade of its time, wherever its id lies", async () => {
    const store = new HistoryStore(join(scratchFolder(), "history"));
    const span = [START + 61_234, START + 120_000] as const;
    await download(store, connection.client, wanted({ kinds: ["trades"], span }));
    const expected: string[] = [];
    for await (const { id, time } of connection.client.all.historicalTrades({
      marketId: "btcusdc",
    }))
      if (time >= span[0] && time < span[1]) expected.push(id);
    expect(expected.length).toBeGreaterThan(10);
    expect((await rowsOf(store, "trades")).map(({ id }) => id)).toEqual(expected);
  });

  it("is a command that names an unknown market and an unknown kind", async () => {
    const store = join(scratchFolder(), "history");
    const minutes = ["--from", "2024-08-08T23:58:00Z", "--to", "2024-08-09T00:01:00Z"];
    const download = (...args: string[]) =>
      captureCli(["data", "download", "--exchange", exchange.restUrl, "--store", store, ...args]);
    const run = (...args: string[]) => download(...minutes, ...args);
    const { code, out, err } = await run("--market", "btcusdc");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(
      /trades: \d+ records, 2 days written, 2 of them open\n[\s\S]*volumes: 3 of 3 candles agree with their trades/,
    );
    const toCome = await download(
      "--market",
      "btcusdc",
      "--from",
      "2099-01-01",
      "--to",
      "2099-01-02",
    );
    expect(toCome).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^trades: 0 records, that time is in the future\n/),
    });
    expect(await run("--market", "nope")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/market: is not a market of this exchange.*btcusdc/),
    });
    expect(await run("--market", "btcusdc", "--kinds", "book")).toMatchObject({
      code: 2,
      err: expect.stringContaining("kinds: cannot be downloaded"),
    });
    expect(
      await download("--market", "btcusdc", "--from", "2025-01-01", "--to", "2024-08-09"),
    ).toMatchObject({
      code: 2,
      err: expect.stringContaining("--to"),
    });
  });

  it.each(["klines-3M", "klines-1W", "klines-", "orders"])("does not know %s", (kind) => {
    expect(() => requireDownloadable([kind])).toThrow(/kind/);
  });
});
