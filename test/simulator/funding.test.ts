import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainReader } from "#simulation/plain-reader.js";
import { PremiumMeter } from "#simulator/premium-meter.js";
import { marked } from "./marked-market.js";
import { START_MS } from "./reference-client.js";

const ONE = 10n ** 18n;
const MINUTE_MS = 60_000;
const NO_LIMITER = { intervalMs: MINUTE_MS, speedMultiplier: 0 };

/**
 * A market with its own index, a book of two accounts, and a position of 1 base between the third
 * account and them.
 */
function quoted(funding: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const world = marked({
    markets: {
      btcusdc: { makerFeeRate: "0", takerFeeRate: "0", maxLeverage: 20, funding, ...more },
    },
  });
  const rate = () => world.exchange.market("btcusdc").nextFundingRate;
  const stated = () => world.alice.raw("GET", "/v1/contracts").json.contracts[0];
  /** Paid fundings: a new market lists one of rate 0 at the boundary before it began. */
  const records = () =>
    world.alice.raw("GET", "/v1/fundingRate", { marketId: "btcusdc", startTime: String(START_MS) })
      .json;
  return { ...world, rate, stated, records };
}

describe("funding by the premium", () => {
  it("charges the book's premium over the index, paid by longs to shorts at the mark on each boundary", async () => {
    const { alice, bob, carol, clock, exchange, stated, records } = quoted(NO_LIMITER);
    bob.place("SELL", "30000", "1");
    alice.place("BUY", "30000", "1");
    carol.place("BUY", "30015", "1");
    carol.place("SELL", "30030", "1");
    const before = alice.balances().balances.netValue;
    await clock.runFor(MINUTE_MS);
    // 15 over an index of 30,000; both impact prices are of the best level alone.
    const fundingTime = Math.floor(clock.nowMs() / MINUTE_MS) * MINUTE_MS;
    expect(records()).toEqual([{ marketId: "btcusdc", fundingRate: "0.0005", fundingTime }]);
    expect(Number(alice.balances().balances.netValue)).toBe(Number(before) - 15);
    for (const [client, amount] of [
      [alice, "-15"],
      [bob, "15"],
    ] as const) {
      expect(
        client.call("GET", "/v1/incomes", { marketId: "btcusdc", type: "FUNDING_FEE" }).json,
      ).toMatchObject([{ type: "FUNDING_FEE", amount, time: fundingTime, marketId: "btcusdc" }]);
    }
    expect(
      carol.call("GET", "/v1/incomes", { marketId: "btcusdc", type: "FUNDING_FEE" }).json,
    ).toEqual([]);
    expect(stated()).toMatchObject({
      funding_rate: "0.0005",
      next_funding_rate_timestamp: String(fundingTime + MINUTE_MS),
    });
    expect(exchange.audit().isConserved).toBe(true);
  });

  it("is paid by shorts if the book is below the index, and by no one if the index is between the impact prices", async () => {
    const cheap = quoted(NO_LIMITER);
    cheap.carol.place("BUY", "29970", "1");
    cheap.carol.place("SELL", "29985", "1");
    await cheap.clock.runFor(30_000);
    expect(cheap.rate()).toBe(-ONE / 2000n);
    const even = quoted(NO_LIMITER);
    even.carol.place("BUY", "29900", "1");
    even.carol.place("SELL", "30100", "1");
    await even.clock.runFor(MINUTE_MS);
    expect(even.records()).toMatchObject([{ fundingRate: "0" }]);
  });

  it("takes the average price of the impact notional through the levels: 4000 from 20 times leverage on, else 2000", async () => {
    const levels = { "30030": "0.1", "30015": "0.2" } as const;
    const rateAt = async (maxLeverage: number) => {
      const { carol, clock, rate } = quoted(NO_LIMITER, { maxLeverage });
      for (const [price, amount] of Object.entries(levels)) carol.place("BUY", price, amount);
      carol.place("SELL", "30100", "1");
      await clock.runFor(10_000);
      return Number(rate()) / 1e18;
    };
    expect(await rateAt(10)).toBeCloseTo(30 / 30_000, 12);
    // 3003 at 30,030, the other 997 at 30,015.
    const base = 0.1 + 997 / 30_015;
    expect(await rateAt(20)).toBeCloseTo((4000 / base - 30_000) / 30_000, 9);
  });

  it("weighs later samples more, and reports the expected rate of the next payment", async () => {
    const { carol, clock, exchange, rate } = quoted(NO_LIMITER);
    carol.place("SELL", "30100", "1");
    const samples: bigint[] = [];
    for (let step = 1; step <= 9; step += 1) {
      const { id } = carol.place("BUY", String(30_000 + 3 * step), "1").json;
      await clock.runFor(5000);
      samples.push((BigInt(3 * step) * ONE) / 30_000n);
      carol.cancel(id);
      const weighted = samples.reduce((sum, sample, place) => sum + sample * BigInt(place + 1), 0n);
      expect(rate()).toBe((2n * weighted) / BigInt(samples.length * (samples.length + 1)));
    }
    const texts: string[] = [];
    const sink = plainReader({
      send: (text: string) => texts.push(text),
    });
    exchange.connect("/v1/single/btcusdc@market", sink);
    expect(JSON.parse(texts[0] as string)).toMatchObject({
      fundingRate: decimal(rate()),
      indexPrice: "30000",
    });
  });

  it("of the older generation is a third of the mid's mean premium", async () => {
    const { carol, clock, records } = quoted({ ...NO_LIMITER, premium: "mid" });
    carol.place("BUY", "30060", "0.001");
    carol.place("SELL", "30120", "0.001");
    await clock.runFor(MINUTE_MS);
    expect(records()).toMatchObject([{ fundingRate: "0.001" }]);
  });

  it("is not paid when a side was too thin for half of the samples, and the next interval starts over", async () => {
    const { alice, bob, carol, clock, exchange, records } = quoted(NO_LIMITER);
    bob.place("SELL", "30000", "1");
    alice.place("BUY", "30000", "1");
    carol.place("SELL", "30100", "1");
    carol.place("BUY", "30015", "0.1");
    await clock.runFor(MINUTE_MS - 15_000);
    expect(records()).toEqual([]);
    carol.place("BUY", "30015", "0.1");
    await clock.runFor(15_000);
    expect(records(), "two of twelve samples").toEqual([]);
    expect(alice.balances().balances.netValue).toBe("100000");
    await clock.runFor(MINUTE_MS);
    expect(records()).toMatchObject([{ fundingRate: "0.0005" }]);
    expect(exchange.audit().isConserved).toBe(true);
  });

  it("is kept within three times the elapsed days times the maintenance ratio, as the limiter contract has it", async () => {
    for (const [bid, ask, expected] of [
      ["30300", "30301", "0.0000625"],
      ["29699", "29700", "-0.0000625"],
    ] as const) {
      const { carol, clock, records, exchange } = quoted({ intervalMs: MINUTE_MS });
      carol.place("BUY", bid, "1");
      carol.place("SELL", ask, "1");
      await clock.runFor(MINUTE_MS);
      // 3 x 1/1440 day x 0.03.
      expect(records()).toMatchObject([{ fundingRate: expected }]);
      expect(exchange.audit().isConserved).toBe(true);
    }
  });

  it("equals the weighted mean of any samples, to the unit, and starts over after each interval", () => {
    const premium = fc.bigInt({ min: -ONE / 10n, max: ONE / 10n });
    fc.assert(
      fc.property(
        fc.array(premium, { maxLength: 50 }),
        fc.array(premium, { minLength: 1, maxLength: 50 }),
        (first, second) => {
          const meter = new PremiumMeter(() => ({ kind: "impact", minSamples: 1, bound: null }));
          const naive = (samples: readonly bigint[]) => {
            let over = 0n;
            let under = 0n;
            for (let place = 0; place < samples.length; place += 1) {
              over += BigInt(place + 1) * (samples[place] as bigint);
              under += BigInt(place + 1);
            }
            return over / under;
          };
          for (const sample of first) meter.take(sample);
          expect(meter.close()).toBe(first.length === 0 ? null : naive(first));
          for (const sample of second) meter.take(sample);
          const restored = new PremiumMeter(() => ({ kind: "impact", minSamples: 1, bound: null }));
          restored.restore(meter.snapshot());
          expect([meter.rate, restored.rate]).toEqual([naive(second), naive(second)]);
          expect(meter.close()).toBe(naive(second));
          expect(meter.rate).toBe(0n);
        },
      ),
    );
  });
});

describe("a fixed rate", () => {
  it("is charged whatever the book, and without a book", async () => {
    const { clock, records, stated } = quoted({
      mode: "fixed",
      intervalMs: MINUTE_MS,
      rate: "-0.00025",
    });
    await clock.runFor(2 * MINUTE_MS);
    expect(records()).toMatchObject([{ fundingRate: "-0.00025" }, { fundingRate: "-0.00025" }]);
    expect(stated()).toMatchObject({ funding_rate: "-0.00025", next_funding_rate: "-0.00025" });
  });

  it("is 0.0001 by default", async () => {
    const { clock, records } = quoted({ mode: "fixed", intervalMs: MINUTE_MS });
    await clock.runFor(MINUTE_MS);
    expect(records()).toMatchObject([{ fundingRate: "0.0001" }]);
  });
});

describe("GET /v1/fundingRate", () => {
  it.each(["fixed", "premium"])(
    "has a record from the start, of nothing, so that a client need not wait for hours (%s)",
    async (mode) => {
      const { alice, clock, stated } = quoted({ mode, intervalMs: MINUTE_MS });
      const all = () => alice.raw("GET", "/v1/fundingRate", { marketId: "btcusdc" }).json;
      const boundary = Math.floor(START_MS / MINUTE_MS) * MINUTE_MS;
      const first = { marketId: "btcusdc", fundingRate: "0", fundingTime: boundary };
      expect(all()).toEqual([first]);
      // The last paid rate, not the next one.
      expect(stated().funding_rate).toBe("0");
      expect(stated().next_funding_rate_timestamp).toBe(String(boundary + MINUTE_MS));
      expect(
        alice.call("GET", "/v1/incomes", { marketId: "btcusdc", type: "FUNDING_FEE" }).json,
      ).toEqual([]);
      await clock.runFor(3 * MINUTE_MS);
      expect(all()[0]).toEqual(first);
      expect(stated().funding_rate).toBe(all().at(-1).fundingRate);
    },
  );

  it("has startTime inclusive, endTime exclusive, the newest without a start and the first with one", async () => {
    const { alice, clock } = quoted({ mode: "fixed", intervalMs: MINUTE_MS });
    await clock.runFor(5 * MINUTE_MS);
    const page = (parameters: Record<string, string>) =>
      alice
        .raw("GET", "/v1/fundingRate", { marketId: "btcusdc", ...parameters })
        .json.map((record: { fundingTime: number }) => record.fundingTime);
    const all = page({});
    // One for each minute, after the initial one of rate 0.
    expect(all).toHaveLength(6);
    expect(page({ limit: "2" })).toEqual(all.slice(-2));
    expect(page({ startTime: String(all[1]), limit: "2" })).toEqual(all.slice(1, 3));
    expect(page({ startTime: String(all[1] + 1) })).toEqual(all.slice(2));
    expect(page({ endTime: String(all[3]) })).toEqual(all.slice(0, 3));
  });
});

function decimal(rate: bigint): string {
  const text = `${rate < 0n ? -rate : rate}`.padStart(19, "0");
  return `${rate < 0n ? "-" : ""}${text.slice(0, -18)}.${text.slice(-18)}`.replace(/\.?0+$/, "");
}
