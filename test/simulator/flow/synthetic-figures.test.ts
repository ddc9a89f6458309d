import { describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import { START_MS } from "../reference-client.js";
import { StreamReader } from "../stream-reader.js";

const MINUTE_MS = 60_000;
const NAMES = ["orderbook", "market", "trades", "kline1M", "kline1h"]
  .map((kind) => `btcusdc@${kind}`)
  .join("/");

/** A synthetic market with funding every ten minutes, and a reader of all of its streams. */
async function run(seed: number, forMs: number, basisBps = 0) {
  const clock = new VirtualClock(START_MS);
  const config = parseExchangeConfig({
    seed,
    markets: {
      btcusdc: {
        funding: { intervalMs: 10 * MINUTE_MS, speedMultiplier: 0 },
        flow: { kind: "synthetic", startPriceQuote: 60_000, fundamental: { basisBps } },
      },
    },
    streams: { pongTimeoutMs: 10 * forMs },
  });
  const exchange = configuredExchange(config, { clock, random: seededRandom("unused") });
  exchange.start();
  const reader = new StreamReader(exchange, `/v1/multiple?streams=${NAMES}`);
  await clock.runFor(forMs);
  expect(exchange.audit().isConserved).toBe(true);
  exchange.stop();
  return { exchange, texts: reader.texts.filter((text) => text !== "ping") };
}

describe("a synthetic market", () => {
  it("publishes the same frames, to the byte, for the same seed, and others for another", async () => {
    const [one, again, other] = [
      await run(7, 3 * MINUTE_MS),
      await run(7, 3 * MINUTE_MS),
      await run(8, 3 * MINUTE_MS),
    ];
    for (const name of NAMES.split("/"))
      expect(one.texts.filter((text) => text.includes(name)).length).toBeGreaterThan(10);
    expect(again.texts).toEqual(one.texts);
    expect(other.texts).not.toEqual(one.texts);
  });

  it.each([20, -20])(
    "whose agents trade %i basis points off the index pays that as funding, less their half spread",
    async (basisBps) => {
      const { exchange } = await run(7, 21 * MINUTE_MS, basisBps);
      const rates = exchange
        .market("btcusdc")
        .fundings.page({ startMs: START_MS, limit: 10 })
        .map(({ rate }) => (Number(rate) / 1e18) * 10_000);
      expect(rates).toHaveLength(2);
      for (const rate of rates) {
        expect(Math.sign(rate)).toBe(Math.sign(basisBps));
        expect(Math.abs(rate)).toBeGreaterThan(15);
        expect(Math.abs(rate)).toBeLessThan(20);
      }
    },
  );
});
