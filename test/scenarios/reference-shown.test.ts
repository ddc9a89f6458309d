import { describe, expect, it } from "vitest";
import { setBotGauges } from "#bot/bot-gauges.js";
import { buildBotStatus } from "#bot/bot-status.js";
import type { MarketStatus } from "#bot/market-status.js";
import { referenceText } from "#bot/reference-text.js";
import { Metrics } from "#monitoring/metrics.js";
import type { ReferenceUpdate } from "#reference/reference-update.js";
import { MARKET, Stage } from "./stage.js";

const SOURCES = ["binance", "coinbase", "kraken"] as const;
const references = Object.fromEntries(
  SOURCES.map((name) => [name, { ccxt: name, symbol: "BTC/USDT" }]),
);

/** A stage whose market has three sources. */
function stageWith(reference: Record<string, unknown> = {}): Stage {
  return new Stage({
    bot: {
      references,
      markets: {
        [MARKET]: {
          strategy: "ladder",
          limits: { maxPositionBase: "0.1", maxOrderBase: "0.05", maxOpenOrders: 12 },
          reference: { from: [...SOURCES], maxDeviationBps: 20, ...reference },
        },
      },
    },
  });
}

const sends = (stage: Stage, update: ReferenceUpdate): void =>
  stage.rig.bot.accept({ kind: "reference", update });

const hasPrice = (stage: Stage, source: string, price: number): void =>
  sends(stage, { type: "price", source, bid: price - 0.5, ask: price + 0.5, heldMs: 0 });

function marketOf(stage: Stage): MarketStatus {
  const market = buildBotStatus(stage.rig.bot).markets[MARKET];
  if (market === undefined) throw new Error("no market");
  return market;
}

/** Lines of the metrics page about the reference price. */
async function metricsOf(stage: Stage): Promise<readonly string[]> {
  const metrics = new Metrics();
  setBotGauges(stage.rig.bot, metrics);
  const page = await metrics.page();
  return page.split("\n").filter((line) => line.startsWith("marketwright_reference_"));
}

describe("the reference price of a status", () => {
  it("has the price, the fair price, the basis, and each source with its reason", async () => {
    const stage = stageWith({ basis: { halfLifeMs: 60_000, maxBasisBps: 20 } });
    await stage.botStarts(500);
    hasPrice(stage, "binance", 59_980);
    hasPrice(stage, "kraken", 70_000);
    await stage.passes(200);
    hasPrice(stage, "coinbase", 59_990);
    await stage.passes(50);
    const { reference } = marketOf(stage);
    expect(reference).toMatchObject({
      state: "good",
      why: undefined,
      // The mean of the two that count; the mid of the others' book is 60,000.
      price: "59985.00",
      basisBps: 2.5,
      basisFrozen: undefined,
      onStale: "halt",
    });
    expect(Number(reference?.fairPrice)).toBeCloseTo(60_000, 1);
    // Like all of a status, ages are of the newest turn.
    expect(reference?.ageMs).toBeGreaterThanOrEqual(200);
    expect(reference?.ageMs).toBeLessThanOrEqual(250);
    expect(reference?.sources).toEqual([
      {
        name: "binance",
        weight: 1,
        price: "59980.00",
        ageMs: expect.any(Number),
        counts: true,
        leftOut: undefined,
      },
      {
        name: "coinbase",
        weight: 1,
        price: "59990.00",
        ageMs: expect.any(Number),
        counts: true,
        leftOut: undefined,
      },
      {
        name: "kraken",
        weight: 1,
        price: "70000.00",
        ageMs: expect.any(Number),
        counts: false,
        leftOut: "is more than 20 bps from the median",
      },
    ]);
    if (reference === undefined) throw new Error("no reference");
    expect(referenceText(reference)).toBe(
      "59985.00, fair 60000.00 (basis +2.50 bps), 0.2 s old, 2 of 3: binance, coinbase",
    );
    expect(await metricsOf(stage)).toEqual(
      expect.arrayContaining([
        'marketwright_reference_state{market="btcusdc",state="good"} 1',
        'marketwright_reference_state{market="btcusdc",state="stale"} 0',
        'marketwright_reference_price{market="btcusdc"} 59985',
        expect.stringMatching(/^marketwright_reference_age_seconds\{market="btcusdc"\} 0\.2/),
        'marketwright_reference_source_counts{market="btcusdc",source="coinbase"} 1',
        'marketwright_reference_source_counts{market="btcusdc",source="kraken"} 0',
      ]),
    );
  });

  it("says why it is not good, and why the basis is frozen; a halt says so too", async () => {
    const stage = stageWith({ basis: {} });
    await stage.botStarts(500);
    for (const name of SOURCES) hasPrice(stage, name, 60_000);
    await stage.passes(1_000);
    expect(marketOf(stage).reference?.state).toBe("good");
    for (const name of ["binance", "coinbase"])
      sends(stage, { type: "down", source: name, reason: "the connection was lost" });
    await stage.passes(300);
    const { reference, reasons, state } = marketOf(stage);
    const why =
      "1 of its sources count, 2 needed: binance is down (the connection was lost); coinbase is down (the connection was lost)";
    expect(reference).toMatchObject({ state: "stale", why, basisFrozen: why, basisBps: 0 });
    expect([reference?.price, reference?.fairPrice, reference?.ageMs]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(state).toBe("halted");
    expect(reasons).toEqual([`stale-reference: the reference price is missing: ${why}`]);
    expect(stage.resting()).toEqual([]);
    expect(await metricsOf(stage)).toEqual(
      expect.arrayContaining([
        'marketwright_reference_state{market="btcusdc",state="stale"} 1',
        'marketwright_reference_price{market="btcusdc"} Nan',
      ]),
    );
  });

  it.each([
    ["widen", "quotes are 3 times as far from the mid"],
    ["book", "quotes are around the mid"],
  ])("says with onStale: %s what the quotes do without it", async (onStale, effect) => {
    const stage = stageWith({ onStale });
    await stage.botStarts();
    const { state, reasons } = marketOf(stage);
    expect(state).toBe("quoting");
    expect(reasons[0]).toBe(
      `no good reference price (0 of its sources count, 2 needed: ${SOURCES.map((name) => `${name} has sent no price yet`).join("; ")}): ${effect}`,
    );
    for (const name of SOURCES) hasPrice(stage, name, 60_000);
    await stage.passes(500);
    expect(marketOf(stage).reasons).toEqual([]);
  });

  it("is not there in a market without one", async () => {
    const stage = new Stage();
    await stage.botStarts();
    expect(JSON.parse(JSON.stringify(marketOf(stage)))).not.toHaveProperty("reference");
    expect(await metricsOf(stage)).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/^marketwright_reference.*btcusdc/)]),
    );
  });
});
