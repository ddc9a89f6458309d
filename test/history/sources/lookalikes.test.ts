import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { listHistory } from "#history/list-history.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "../scratch.js";

const MS = Date.UTC(2025, 0, 12);
const CANDLE = `${MS},1,2,1,2,0,${MS + 59_999},0,1,0,0,0\n`;
const CANDLES =
  "open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore\n";
const TRADES = "id,price,qty,base_qty,time,is_buyer_maker\n";
const COIN_TRADE = `1,94500.1,7,0.0074074,${MS},true\n`;

describe("a file that looks like another", () => {
  it.each([
    [
      "contracts of 100 USD would be as many coins",
      "BTCUSD_PERP-trades-2025-01-12.csv",
      TRADES + COIN_TRADE,
      /coin-margined.*amount=base_qty/,
    ],
    ["the same without a header", "BTCUSD_PERP-trades-2022-01-12.csv", COIN_TRADE, /coin-margined/],
    ["the same under another name", "trades-1-trades-2.csv", TRADES + COIN_TRADE, /coin-margined/],
    [
      "a contract with an end",
      "ETHUSD_250328-aggTrades-2025-01-12.csv",
      `1,94500.1,7,1,1,${MS},true\n`,
      /coin-margined/,
    ],
    ["a volume in contracts", "BTCUSD_PERP-1m-2025-01-12.csv", CANDLE, /coin-margined/],
    [
      "candles of the mark would be of trades",
      "markPriceKlines/BTCUSDT-1m-2025-01-12.csv",
      CANDLES + CANDLE,
      /not of trades.*--kind mark-klines/,
    ],
    [
      "each liquidation would be traded twice",
      "binance-futures_liquidations_2025-01-12_BTCUSDT.csv",
      `exchange,symbol,timestamp,local_timestamp,id,side,price,amount\nb,BTCUSDT,${MS}000,${MS}100,,sell,94500.1,7\n`,
      /liquidations, which the trades already contain/,
    ],
  ])("is refused: %s", async (_what, name, content, message) => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    await expect(take(store, [fileOf(folder, name, content)])).rejects.toThrow(message);
    expect(await listHistory(store, { verify: true })).toEqual([]);
  });

  it("is imported by a mapping that describes it", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const columns = {
      id: "id",
      time: "time",
      price: "price",
      amount: "base_qty",
      isBuyerMaker: "is_buyer_maker",
    };
    await take(store, [fileOf(folder, "BTCUSD_PERP-trades-2025-01-12.csv", TRADES + COIN_TRADE)], {
      mapping: checkMapping({ kind: "trades", columns }),
    });
    const rows = await query(
      store,
      `SELECT amount::DECIMAL(38,9)::VARCHAR AS amount FROM read_parquet('${store.root}/btcusdt/trades/*.parquet')`,
    );
    expect(rows).toEqual([{ amount: "0.007407400" }]);
  });
});
