import { describe, expect, it } from "vitest";
import { explainBot } from "#bot/explain.js";
import { formatExplanation } from "#bot/format-explanation.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { HttpRequest, Transport } from "#exchange/transport.js";
import { ACCOUNT, explain } from "./explained.js";
import { botConfigOf, PRIVATE_KEY, SILENT, START_MS } from "./recorded-run.js";

function sum(texts: readonly string[]): number {
  return texts.reduce((total, text) => total + Number(text), 0);
}

describe("explain", () => {
  it("shows the quotes of each market around the mid, with the reason", async () => {
    const { explanation } = await explain(botConfigOf());
    expect(explanation.complete).toBe(true);
    expect(explanation.registered).toBe(true);
    const { btcusdc, ethusdc } = explanation.markets;
    expect(btcusdc?.quotes.map(({ side, level, fate }) => [side, level, fate])).toEqual([
      ["BUY", 0, "place"],
      ["SELL", 0, "place"],
    ]);
    expect(ethusdc?.quotes.map(({ side, level }) => [side, level])).toEqual([
      ["BUY", 0],
      ["BUY", 1],
      ["SELL", 0],
      ["SELL", 1],
    ]);
    for (const market of [btcusdc, ethusdc]) {
      expect(market?.state).toBe("quoting");
      expect(market?.reasons).toEqual([]);
      expect(market?.positionBase).toBe("0");
      for (const { side, price, fromMidBps } of market?.quotes ?? []) {
        const mid = Number(market?.midQuote);
        const away = ((side === "BUY" ? mid - Number(price) : Number(price) - mid) / mid) * 10_000;
        expect(fromMidBps).toBeCloseTo(away, 1);
        expect(fromMidBps).toBeGreaterThan(0);
      }
      expect(Object.keys(market?.reason?.terms ?? {})).not.toEqual([]);
    }
  });

  it("sends only queries: no order, no cancel, no registration", async () => {
    const { explanation, exchange, requests } = await explain(botConfigOf());
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
    expect(exchange.openOrders(ACCOUNT)).toEqual([]);
    expect(explanation.markets.btcusdc?.quotes).not.toEqual([]);
  });

  it("works for an unregistered account without registering it, and names the unknown values", async () => {
    const { explanation, exchange, requests, sockets } = await explain(
      botConfigOf({ risk: { maxDrawdownQuote: "5000", maxLeverage: 3 } }),
      () => {},
    );
    expect(explanation.registered).toBe(false);
    expect(explanation.complete).toBe(true);
    expect(exchange.account(ACCOUNT)).toBeUndefined();
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
    expect(sockets.some((path) => path.includes("account@"))).toBe(false);
    expect(explanation.markets.btcusdc?.quotes.map(({ fate }) => fate)).toEqual(["place", "place"]);
    expect(explanation.markets.btcusdc?.positionBase).toBeUndefined();
    expect(explanation.worst.netValueQuote).toBeUndefined();
    expect(explanation.worst.marginUseFraction).toBeUndefined();
    expect(formatExplanation(explanation)).toContain(
      "not registered, so balances and margin are unknown",
    );
  });

  it("calculates the worst inventory, its margin and the distance to liquidation", async () => {
    const { explanation } = await explain(
      botConfigOf(),
      undefined,
      {},
      { creditOnRegistration: "150" },
    );
    const { ethusdc } = explanation.markets;
    const bids = ethusdc?.quotes.filter(({ side }) => side === "BUY") ?? [];
    expect(bids.length).toBe(2);
    expect(Number(ethusdc?.worst.longBase)).toBeCloseTo(
      sum(bids.map(({ amountBase }) => amountBase)),
      9,
    );
    const markets = Object.values(explanation.markets);
    expect(sum(markets.map(({ worst }) => worst.notionalQuote))).toBeCloseTo(
      Number(explanation.worst.notionalQuote),
      4,
    );
    const net = Number(explanation.worst.netValueQuote);
    expect(net).toBeGreaterThan(145);
    expect(net).toBeLessThan(150);
    expect(explanation.worst.marginUseFraction).toBeCloseTo(
      Number(explanation.worst.initialMarginQuote) / net,
      5,
    );
    for (const { worst, markQuote } of markets) {
      // At the liquidation price, exactly the maintenance margin of every market remains.
      const mark = Number(markQuote);
      const price = worst.liquidationPriceQuote ?? Number.NaN;
      const base = Math.abs(Number(price < mark ? worst.longBase : worst.shortBase));
      expect(Math.abs(price - mark) / mark).toBeLessThan(0.15);
      expect(worst.toLiquidationBps).toBeCloseTo((Math.abs(price - mark) / mark) * 10_000, 1);
      const others = Number(explanation.worst.maintenanceQuote) - Number(worst.maintenanceQuote);
      expect(net - Math.abs(price - mark) * base - others).toBeCloseTo(base * price * 0.03, 1);
    }
  });

  it("names the fee at which a fill earns nothing, and the rebate that it brings", async () => {
    const { explanation } = await explain(botConfigOf());
    const { ethusdc } = explanation.markets;
    const fair = ethusdc?.reason?.fairQuote ?? Number.NaN;
    for (const quote of ethusdc?.quotes ?? []) {
      const price = Number(quote.price);
      const edge = quote.side === "BUY" ? fair - price : price - fair;
      expect(quote.breakEvenFeeBps).toBeCloseTo((edge / price) * 10_000, 1);
      expect(quote.makerFeeBps).toBe(-1);
      expect(Number(quote.makerFeeQuote)).toBeCloseTo(
        price * Number(quote.amountBase) * -0.0001,
        4,
      );
    }
  });

  it("counts ORDER tokens per minute against the bucket less the reserved ones", async () => {
    const { explanation } = await explain(
      botConfigOf({ decide: { everyMs: 10_000, minGapMs: 2_000 } }),
    );
    // Two orders and four, each a cancel and a place: every 10 s by the timer, every 2 s at worst.
    expect(explanation.markets.btcusdc?.tokens).toMatchObject({
      orders: 2,
      tokensARequote: 2,
      byTimerPerMinute: 24,
      worstPerMinute: 120,
      renewalsPerMinute: 0,
    });
    expect(explanation.tokens).toMatchObject({
      limitPerMinute: 12_000,
      byTimerPerMinute: 72,
      worstPerMinute: 360,
      worstFits: true,
    });
    // The guard's 5 %, a cancel-all per market, a cancel per order, the own cancel of the next
    // place.
    expect(explanation.tokens.reservedPerMinute).toBe(600 + 2 + 6 + 1);
  });

  it("counts renewals of GTT quotes, builds of server-built ones, and decisions without a gap", async () => {
    const { explanation } = await explain(
      botConfigOf({
        exchange: {
          rest: "http://exchange.test/v1",
          stream: "ws://exchange.test/v1",
          placement: "server",
        },
        quotes: { timeInForce: "GTT", quoteLifeMs: 100_000 },
        decide: { everyMs: 30_000, minGapMs: 0 },
      }),
    );
    // A life of 100 s is renewed at 90 s: two thirds of a renewal per minute, three tokens each,
    // six orders.
    expect(explanation.tokens.renewalsPerMinute).toBe(12);
    expect(explanation.tokens.byTimerPerMinute).toBe(36);
    expect(explanation.tokens.worstPerMinute).toBeUndefined();
    expect(explanation.tokens.worstFits).toBe(false);
    expect(formatExplanation(explanation)).toContain(
      "at worst as many as frames come, 12 for renewals",
    );
  });

  it("counts the worst fills at the agreed fees that orders sign, but never below the exchange's own", async () => {
    const exchange = { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" };
    const netWith = async (fees: Record<string, string>): Promise<number> => {
      const { explanation } = await explain(botConfigOf({ exchange: { ...exchange, ...fees } }));
      return Number(explanation.worst.netValueQuote);
    };
    const [listed, dearer, cheaper] = [
      await netWith({}),
      await netWith({ makerFeeRate: "0.001", takerFeeRate: "0.01" }),
      await netWith({ makerFeeRate: "0", takerFeeRate: "0.00001" }),
    ];
    // The quotes of both markets are worth some thousands: a fee of 1 % is tens.
    expect(listed - dearer).toBeGreaterThan(10);
    expect(cheaper).toBe(listed);
  });

  it("names the limit that would block a quote, and leaves that quote out of the worst case", async () => {
    const { explanation } = await explain(
      botConfigOf({
        markets: {
          ethusdc: {
            strategy: "ladder",
            params: { levels: 2, halfSpreadBps: 1, levelSpacingBps: 1, sizeBase: 1 },
            limits: { maxNotionalQuote: "4000" },
          },
        },
      }),
    );
    const market = explanation.markets.ethusdc;
    const withheld = market?.quotes.filter(({ fate }) => fate === "withheld") ?? [];
    expect(withheld.map(({ side, level }) => [side, level])).toEqual([
      ["BUY", 1],
      ["SELL", 1],
    ]);
    expect(withheld.every(({ why }) => why.startsWith("notional:"))).toBe(true);
    expect(market?.reasons.some((reason) => reason.startsWith("BUY 1 withheld: notional"))).toBe(
      true,
    );
    expect(Number(market?.worst.notionalQuote)).toBeLessThanOrEqual(4000);
  });

  it("says why a market does not quote when the time limit is over", async () => {
    const { explanation } = await explain(
      botConfigOf(),
      (exchange) => {
        exchange.register(ACCOUNT);
        exchange.setMarketStatus("ethusdc", "SUSPENDED");
      },
      { withinMs: 3_000 },
    );
    expect(explanation.complete).toBe(false);
    expect(explanation.markets.btcusdc?.state).toBe("quoting");
    expect(explanation.markets.ethusdc?.state).toBe("not quoting");
    expect(explanation.markets.ethusdc?.reasons.join()).toMatch(/SUSPENDED/);
    expect(formatExplanation(explanation)).toMatch(
      /ethusdc: not quoting, ladder[\s\S]*but .*SUSPENDED/,
    );
  });

  it("reads the state of an earlier run, and writes nothing", async () => {
    const store = new MemoryStateStore({
      "contracts.json": JSON.stringify({ btcusdc: "0x00000000000000000000000000000000000000aa" }),
    });
    const before = store.snapshot();
    const { explanation } = await explain(botConfigOf(), undefined, { store });
    expect(explanation.markets.btcusdc?.reasons.join()).toContain("in the last run");
    expect(explanation.markets.ethusdc?.state).toBe("quoting");
    expect(store.snapshot()).toEqual(before);
  });

  it("is plain JSON", async () => {
    const { explanation } = await explain(botConfigOf());
    expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
  });

  it("fails like a run if the exchange cannot be reached", async () => {
    const nowhere = (
      request: HttpRequest,
      done: Parameters<Transport["request"]>[1],
      clock: VirtualClock,
    ) => {
      clock.setTimer(1, () =>
        done({
          ok: false,
          cause: "connection-lost",
          sent: false,
          message: `connection refused ${request.path}`,
        }),
      );
    };
    const clock = new VirtualClock(START_MS);
    const answer = explainBot({
      config: botConfigOf(),
      privateKey: PRIVATE_KEY,
      runtime: { clock, random: seededRandom("bot") },
      log: SILENT,
      transport: {
        request: (request, done) => nowhere(request, done, clock),
        open: () => ({ send: () => {}, close: () => {} }),
        close: () => {},
      },
    });
    const fails = expect(answer).rejects.toMatchObject({ name: "VenueRequestError" });
    await clock.runFor(5_000);
    await fails;
  });
});
