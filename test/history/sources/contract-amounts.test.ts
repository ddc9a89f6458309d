import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DayManifest } from "#history/day-manifest.js";
import { HistoryStore } from "#history/history-store.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "../scratch.js";

const MS = Date.UTC(2025, 0, 1, 3);
const TRADES = "exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n";
const BOOK = "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\n";

function tardisTrades(exchange: string, symbol: string): string {
  return `${TRADES}${exchange},${symbol},${MS}000,${MS}500,1,buy,94000.1,25\n${exchange},${symbol},${MS}100,${MS}600,2,sell,94000,1310\n`;
}

function tardisBook(exchange: string, symbol: string): string {
  return `${BOOK}${exchange},${symbol},${MS}000,${MS}500,true,bid,94000,2500\n${exchange},${symbol},${MS}000,${MS}500,true,ask,94000.5,1310\n`;
}

function emptyStore(): { readonly folder: string; readonly store: HistoryStore } {
  const folder = scratchFolder();
  return { folder, store: new HistoryStore(join(folder, "history")) };
}

async function sourcesOf(store: HistoryStore): Promise<DayManifest["sources"]> {
  return store.days({ market: "btcusdt", kind: "trades" }).flatMap(({ sources }) => sources);
}

// 1310 contracts of 100 USD are 1.4 BTC. Replayed as 1310 BTC, our quotes are negligible beside
// them, and no limit of ours is ever near.
describe("amounts that count contracts", () => {
  it.each([
    ["binance-delivery", "BTCUSD_PERP"],
    ["binance-delivery", "ETHUSD_250328"],
    ["bitmex", "XBTUSD"],
    ["bitmex", "XBTUSDT"],
    ["deribit", "BTC-PERPETUAL"],
    ["deribit", "ETH-28MAR25"],
    ["huobi-dm", "BTC_CQ"],
    ["huobi-dm-swap", "BTC-USD"],
    ["huobi-dm-linear-swap", "BTC-USDT"],
    ["okex-swap", "BTC-USDT-SWAP"],
    ["okex-swap", "BTC-USD-SWAP"],
    ["okex-futures", "BTC-USD-250328"],
    ["bybit", "BTCUSD"],
    ["bybit", "ETHUSDH25"],
    ["cryptofacilities", "PI_XBTUSD"],
    ["gate-io-futures", "BTC_USDT"],
    ["kucoin-futures", "XBTUSDTM"],
    ["phemex", "BTCUSD"],
  ])("are refused in Tardis's trades and books: %s %s", async (exchange, symbol) => {
    const { folder, store } = emptyStore();
    const files = [
      fileOf(folder, "t.csv", tardisTrades(exchange, symbol)),
      fileOf(folder, "b.csv", tardisBook(exchange, symbol)),
    ];
    for (const file of files)
      await expect(take(store, [file])).rejects.toThrow(
        new RegExp(`${exchange} ${symbol} count contracts, not base units.*mapping`),
      );
    expect(store.series()).toEqual([]);
  });

  it.each([
    ["binance-futures", "BTCUSDT"],
    ["binance", "BTCUSDT"],
    ["bybit", "BTCUSDT"],
    ["bybit", "BTCPERP"],
    ["deribit", "BTC_USDC-PERPETUAL"],
    ["okex", "BTC-USDT"],
    ["cryptofacilities", "PF_XBTUSD"],
    ["coinbase", "BTC-USD"],
    ["phemex", "sBTCUSDT"],
    ["bitfinex-derivatives", "BTCF0:USTF0"],
    ["hyperliquid", "BTC"],
  ])("are not reported if amounts are base units: %s %s", async (exchange, symbol) => {
    const { folder, store } = emptyStore();
    const { files } = await take(store, [
      fileOf(folder, "t.csv", tardisTrades(exchange, symbol)),
      fileOf(folder, "b.csv", tardisBook(exchange, symbol)),
    ]);
    expect(files.flatMap(({ findings }) => findings)).toEqual([]);
    expect((await sourcesOf(store)).map(({ isInContracts }) => isInContracts)).toEqual([undefined]);
  });

  it("are refused for the one market that is read from several", async () => {
    const { folder, store } = emptyStore();
    const row = (symbol: string, us: number): string =>
      `bybit,${symbol},${us},${us + 5},${us},buy,94000,25\n`;
    const file = fileOf(
      folder,
      "t.csv",
      TRADES + row("BTCUSDT", MS * 1000) + row("BTCUSD", MS * 1000 + 1),
    );
    await expect(take(store, [file], { symbol: "BTCUSD" })).rejects.toThrow(
      /bybit BTCUSD count contracts/,
    );
    await take(store, [file], { symbol: "BTCUSDT" });
  });

  it.each([
    [
      "Tardis's file",
      "t.csv",
      tardisTrades("okex-swap", "BTC-USDT-SWAP"),
      "us",
      { time: "timestamp", side: "side", amount: "amount" },
    ],
    [
      "a file of no exchange",
      "t.csv",
      `time,instrument,side,price,sz\n${MS},BTC-USDT-SWAP,buy,94000,3\n`,
      "ms",
      { amount: "sz" },
    ],
    [
      "a file that its name tells",
      "BTC-USDT-SWAP-trades-2025-01-01.csv",
      `time,side,price,sz\n${MS},buy,94000,3\n`,
      "ms",
      { amount: "sz" },
    ],
    [
      "JSON records",
      "t.ndjson",
      `{"venue":"bitmex","symbol":"XBTUSD","time":${MS},"side":"buy","price":"94000","size":"25"}\n`,
      "ms",
      { amount: "size" },
    ],
    [
      "Bybit's own file",
      "BTCUSD2025-01-01.csv",
      `time,symbol,side,size,price,homeNotional,foreignNotional\n${MS},BTCUSD,Sell,940,94000,0.01,940\n`,
      "ms",
      { amount: "size" },
    ],
    [
      "Binance's own file",
      "trades.csv",
      `id,price,qty,base_qty,time,is_buyer_maker\n1,94000,25,0.0265,${MS},true\n`,
      "ms",
      { amount: "qty", isBuyerMaker: "is_buyer_maker" },
    ],
  ])(
    "are reported for a mapping, and noted with the data: %s",
    async (_what, name, content, timeUnit, columns) => {
      const { folder, store } = emptyStore();
      const side = "isBuyerMaker" in columns ? {} : { side: "side" };
      const mapping = checkMapping({
        kind: "trades",
        timeUnit,
        columns: { time: "time", price: "price", ...side, ...columns },
      });
      const { files } = await take(store, [fileOf(folder, name, content)], { mapping });
      expect(files[0]?.findings.join()).toMatch(/not base units/);
      const [day] = store.days({ market: "btcusdt", kind: "trades" });
      expect(day?.findings.join()).toMatch(/not base units/);
      expect(day?.sources[0]?.isInContracts).toBe(true);
    },
  );

  it.each([
    ["the column of base units beside them", `${MS},BTCUSD,Sell,940,94000,0.01\n`, "homeNotional"],
    [
      "a linear contract, whose size is that column's",
      `${MS},BTCUSDT,Sell,0.01,94000,0.01\n`,
      "size",
    ],
  ])("are not reported for %s", async (_what, row, amount) => {
    const { folder, store } = emptyStore();
    const mapping = checkMapping({
      kind: "trades",
      columns: { time: "time", price: "price", side: "side", amount },
    });
    const file = fileOf(folder, "x.csv", `time,symbol,side,size,price,homeNotional\n${row}`);
    const { files } = await take(store, [file], { mapping });
    expect(files[0]?.findings.join()).not.toMatch(/base units/);
    expect(
      (
        await query(
          store,
          `SELECT amount::VARCHAR AS amount FROM '${store.root}/btcusdt/trades/*.parquet'`,
        )
      )[0]?.amount,
    ).toBe("0.01");
  });

  const BY_PLACE = { time: "0", price: "1", amount: "2", side: "3" };

  it.each([
    ["contracts", "trades.csv", true],
    ["base", "BTC-USDT-SWAP-trades-2025-01-01.csv", false],
    [undefined, "BTC-USDT-SWAP-trades-2025-01-01.csv", true],
    [undefined, "trades.csv", false],
  ] as const)(
    "have the unit that a mapping states, also with columns by position: %s in %s",
    async (amountUnit, name, isInContracts) => {
      const { folder, store } = emptyStore();
      const mapping = checkMapping({ kind: "trades", columns: BY_PLACE, amountUnit });
      const { files } = await take(
        store,
        [fileOf(folder, name, `${MS},94000,25,buy\n${MS + 1},94000,1310,sell\n`)],
        { mapping },
      );
      expect(/count contracts, not base units/.test(files[0]?.findings.join() ?? "")).toBe(
        isInContracts,
      );
      expect((await sourcesOf(store))[0]?.isInContracts === true).toBe(isInContracts);
    },
  );

  it.each([
    [
      "a unit of another name",
      { kind: "trades", columns: BY_PLACE, amountUnit: "coins" },
      /mapping\.amountUnit.*coins/,
    ],
    [
      "a unit of a kind without amounts",
      { kind: "funding", columns: { time: "0", rate: "1" }, amountUnit: "base" },
      /mapping\.amountUnit.*funding/,
    ],
  ])("have no such mapping: %s", (_what, mapping, refusal) => {
    expect(() => checkMapping(mapping)).toThrow(refusal);
  });

  it("are reported for best prices and candles too", async () => {
    const { folder, store } = emptyStore();
    const bbo = fileOf(
      folder,
      "q.csv",
      `time,exchange,symbol,bid,bidAmount,ask,askAmount\n${MS},okex-swap,BTC-USD-SWAP,1,25,2,31\n`,
    );
    const candles = fileOf(
      folder,
      "k.csv",
      `time,exchange,symbol,open,high,low,close,volume\n${MS},okex-swap,BTC-USD-SWAP,1,2,1,2,25\n`,
    );
    const { files } = await take(store, [bbo, candles], { interval: "1M" });
    expect(files.map(({ kind }) => kind)).toEqual(["bbo", "klines-1M"]);
    for (const { findings } of files)
      expect(findings.join()).toMatch(/okex-swap BTC-USD-SWAP count contracts, not base units/);
  });

  // If renamed, Binance's own files show it only by their numbers: the "quote" of a coin-margined
  // contract is in coins.
  it.each([
    [
      "trades without a header",
      "x-trades-y.csv",
      `1,94000,25,0.0265,${MS},true\n2,94000,1310,1.3936,${MS + 1},true\n`,
    ],
    [
      "candles",
      "x-1m-2025-01-01.csv",
      `${MS},94000,94010,93990,94000,1310,${MS + 59_999},1.3936,7,600,0.64,0\n`,
    ],
  ])("are refused in %s of Binance under another name", async (_what, name, content) => {
    const { folder, store } = emptyStore();
    await expect(take(store, [fileOf(folder, name, content)])).rejects.toThrow(
      /has amounts in contracts, not in base units/,
    );
  });
});
