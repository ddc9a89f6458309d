import { describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { ExchangeTruth } from "#rehearsal/exchange-truth.js";
import { RequestCounter } from "#rehearsal/request-counter.js";
import { ShockedMarkets } from "#rehearsal/shocked-markets.js";
import { BotRig } from "#simulation/bot-rig.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { keyedScheme } from "#simulation/keyed-scheme.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { MARKET, makerFile } from "./rehearsed-bots.js";

const ID = "btcusdc";

async function openMarket(seed: number) {
  const clock = new VirtualClock(1_760_000_000_000);
  const scheme = keyedScheme();
  const markets = new ShockedMarkets({ ...MARKET, notes: [] }, seed, clock);
  const exchange = new EmbeddedExchange(
    MARKET.config,
    { clock, random: seededRandom(`exchange ${seed}`) },
    { scheme, createFlow: (marketId) => markets.createFlow(marketId) },
  );
  await markets.prepare(exchange);
  exchange.start();
  return { clock, scheme, markets, exchange };
}

describe("the market of a rehearsal", () => {
  it("has the same price after an outage as without one", async () => {
    const calm = await openMarket(5);
    const stopped = await openMarket(5);
    await stopped.clock.runFor(20_000);
    stopped.exchange.stop();
    await stopped.clock.runFor(7_000);
    stopped.exchange.start();
    await stopped.clock.runFor(33_000);
    await calm.clock.runFor(60_000);
    expect(stopped.markets.quoteOf(ID)).toBe(calm.markets.quoteOf(ID));
    const index = ({ exchange }: typeof calm) => Number(exchange.market(ID).prices.index) / 1e6;
    expect(Math.abs(index(stopped) / index(calm) - 1)).toBeLessThan(0.0005);
  });

  it("moves book, mark and index together when its price jumps", async () => {
    const { clock, markets, exchange } = await openMarket(6);
    await clock.runFor(10_000);
    const market = exchange.market(ID);
    const before = { mid: market.midTicks, mark: Number(market.prices.mark) };
    markets.move(ID, -300, market.instrument.tickQuote);
    expect(Number(market.prices.mark) / before.mark).toBeCloseTo(0.97, 3);
    await clock.runFor(60_000);
    expect(market.midTicks / before.mid).toBeCloseTo(0.97, 2);
    expect(markets.quoteOf(ID) / (market.midTicks * market.instrument.tickQuote)).toBeCloseTo(1, 3);
  });

  it("has no other participant's order on a side that is taken away", async () => {
    const { clock, markets, exchange } = await openMarket(7);
    await clock.runFor(5_000);
    markets.empty("BUY");
    await clock.runFor(5_000);
    expect(exchange.book(ID).bids).toEqual([]);
    expect(exchange.book(ID).asks.length).toBeGreaterThan(3);
    markets.empty(undefined);
    await clock.runFor(10_000);
    expect(exchange.book(ID).bids.length).toBeGreaterThan(3);
  });

  it("has a mark away from its true value, until it is put right", async () => {
    const { clock, markets, exchange } = await openMarket(8);
    await clock.runFor(5_000);
    const { prices } = exchange.market(ID);
    const apart = () => Number(prices.mark) / Number(prices.index) - 1;
    markets.misprice(200);
    await clock.runFor(5_000);
    expect(apart()).toBeGreaterThan(0.015);
    markets.misprice(0);
    expect(Math.abs(apart())).toBeLessThan(0.001);
  });
});

describe("the measures of a rehearsal", () => {
  it("are the exchange's own records of the account", async () => {
    const { clock, scheme, exchange } = await openMarket(9);
    const privateKey = `0x${"42".repeat(32)}` as const;
    const { address } = scheme.signer(privateKey);
    exchange.register(address);
    const counter = new RequestCounter();
    const random = seededRandom("network");
    const rig = new BotRig({
      door: exchange,
      transport: new FaultyNetwork(
        counter.door(exchange),
        clock,
        new FaultSource([], random),
        "10.0.0.1",
      ),
      clock,
      random,
      scheme,
      privateKey,
      config: makerFile(),
    });
    rig.start();
    await clock.runFor(90_000);
    const truth = new ExchangeTruth(exchange, address);
    const fills = truth.fills();
    expect(fills.length).toBeGreaterThan(3);
    const held = fills.reduce((sum, { lots, isBuyer }) => sum + (isBuyer ? lots : -lots), 0);
    expect(truth.positionLots(ID)).toBe(held);
    let cash = 100_000_000_000n;
    for (const { quote, isBuyer, commission } of fills)
      cash += (isBuyer ? -quote : quote) - commission;
    expect(truth.equity).toBe(cash + truth.positionValue(ID));
    const account = exchange.account(address);
    const market = account?.markets.get(ID);
    const ended = market?.history.length ?? 0;
    expect(counter.orders).toBe(ended + exchange.openOrders(address).length);
    rig.kill();
    exchange.stop();
  });
});
