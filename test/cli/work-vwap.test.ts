import { expect, it } from "vitest";
import { captureCli } from "./captured-cli.js";
import { CommandedExchange } from "./commanded-exchange.js";

const exchange = new CommandedExchange();

/** A trade counts when the bot receives it, which a busy machine delays. */
const LATE_MS = 500;
/** Public trades that the exchange lists at once. */
const MOST_TRADES = 500;

interface PublicTrade {
  readonly time: number;
  readonly amount: string;
  readonly quoteAmount: string;
}

/** The lowest and the highest average of the trades of windows that begin and end near these. */
function averages(trades: readonly PublicTrade[], fromMs: number, toMs: number) {
  const [first, last] = [fromMs - LATE_MS, toMs + LATE_MS];
  const inReach = trades.filter(({ time }) => time >= first && time <= last);
  const bounds = { least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY };
  for (let start = 0; start < inReach.length; start++) {
    if (start > 0 && inReach[start - 1].time > fromMs) break;
    let [base, quote] = [0, 0];
    for (let end = start; end < inReach.length; end++) {
      base += Number(inReach[end].amount);
      quote += Number(inReach[end].quoteAmount);
      const next = inReach[end + 1];
      if (next !== undefined && next.time < toMs - LATE_MS) continue;
      bounds.least = Math.min(bounds.least, quote / base);
      bounds.most = Math.max(bounds.most, quote / base);
    }
  }
  return bounds;
}

it("the VWAP that a live work is measured against is that of the exchange's public trades", async () => {
  const { file, env } = exchange.bot();
  const { code, out } = await captureCli(
    ["work", file, "--target", "0.1", "--by", "15s", "--json"],
    env,
  );
  expect(code).toBe(0);
  const { startedAtMs, endedAtMs, vwap, arrival, filledBase } = JSON.parse(out).work;
  const listed = await captureCli(
    ["call", "trades", "marketId=btcusdc", `limit=${MOST_TRADES}`, "--bot", file],
    env,
  );
  const trades: readonly PublicTrade[] = [...JSON.parse(listed.out)].sort(
    (a: PublicTrade, b: PublicTrade) => a.time - b.time,
  );
  // A list that is not full has all trades of the exchange.
  const reachesBack = trades.length < MOST_TRADES || trades[0].time < startedAtMs;
  expect(reachesBack, "the list reaches back to the start").toBe(true);
  const { least, most } = averages(trades, startedAtMs, endedAtMs);
  // Prices are printed to a thousandth.
  expect(Number(vwap.priceQuote)).toBeGreaterThanOrEqual(least - 0.001);
  expect(Number(vwap.priceQuote)).toBeLessThanOrEqual(most + 0.001);
  const gain = (Number(vwap.priceQuote) - Number(arrival.priceQuote)) * Number(filledBase);
  expect(Number(arrival.costQuote) - Number(vwap.costQuote)).toBeCloseTo(gain, 2);
});
