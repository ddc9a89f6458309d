import { afterEach, beforeEach, expect, it } from "vitest";
import type { AccountEvent, MarketEvent } from "#exchange/stream-events.js";
import { until } from "../local-server.js";
import { type Embedded, KEYS, startEmbedded } from "./embedded.js";

const MARKET = "btcusdc";

let embedded: Embedded;

beforeEach(async () => {
  embedded = await startEmbedded({ streams: { bookIntervalMs: 0, klineIntervalMs: 0 } });
});

afterEach(() => embedded.close());

it("streams that the exchange compresses tell the same as those that it does not", async () => {
  const [plain, zipped] = [
    await embedded.trader(KEYS[0]),
    await embedded.connect({ key: KEYS[0], zip: true }),
  ];
  const names = ["orderbook", "market", "trades", "kline1M", "kline1MO"].map(
    (kind) => `${MARKET}@${kind}`,
  );
  const told = [plain, zipped].map(({ streams }) => {
    const market: MarketEvent[] = [];
    const account: AccountEvent[] = [];
    streams.market$(names).subscribe((event) => market.push(event));
    streams.account$().subscribe((event) => account.push(event));
    return { market, account };
  });
  // Both up, each with its snapshot, its trades and its two lists of candles. The market's state is
  // told again and again.
  const isUp = ({ market, account }: (typeof told)[number]) =>
    market.filter(({ type }) => type !== "market").length === 4 &&
    market.some(({ type }) => type === "market") &&
    account.length > 0;
  await until(() => told.every(isUp));
  const other = await embedded.trader(KEYS[1]);
  await plain.client.place({ marketId: MARKET, side: "SELL", amount: "0.1", price: "30000" });
  await other.client.place({ marketId: MARKET, side: "BUY", amount: "0.1", price: "30000" });
  const isWhole = ({ market, account }: (typeof told)[number]) =>
    market.filter(({ type }) => type === "klines").length >= 4 &&
    account.some(({ type }) => type === "incomes");
  await until(() => told.every(isWhole));
  const [first, second] = told.map(({ market, account }) => ({
    market: market.filter(({ type }) => type !== "market"),
    account: account.filter(({ type }) => type !== "balances"),
  }));
  expect(second).toEqual(first);
  expect(first?.market.map(({ type }) => type)).not.toContain("malformed");
});
