import { describe, expect, it } from "vitest";
import type { BotConfig } from "#bot/config.js";
import { formatExplanation } from "#bot/format-explanation.js";
import { explain } from "./explained.js";
import { botConfigOf, EXCHANGE } from "./recorded-run.js";

const config = botConfigOf();

/**
 * A bot with only btcusdc and these parameters of the ladder. The exchange's best prices are about
 * 2 bps from the mid.
 */
function withParams(params: object): BotConfig {
  const market = config.markets.btcusdc;
  if (market === undefined) throw new Error("the bot makes no btcusdc");
  const { maxOrderBase, maxPositionBase } = market.limits;
  const ladder = { levels: 1, sizeBase: 0.01, halfSpreadBps: 2, ...params };
  return {
    ...config,
    markets: {
      btcusdc: {
        ...market,
        strategy: "ladder",
        params: ladder,
        limits: { maxOrderBase, maxPositionBase },
      },
    },
  };
}

const withDrawdown = (maxDrawdownQuote: string): BotConfig => ({
  ...withParams({}),
  risk: { ...config.risk, maxDrawdownQuote },
});

async function warningsOf(of: BotConfig, exchange = {}): Promise<readonly string[]> {
  const { explanation } = await explain(of, undefined, {}, exchange);
  expect(explanation.complete).toBe(true);
  const lines = explanation.implausible.map(({ field, text }) => `${field}: ${text}`);
  for (const line of lines) expect(formatExplanation(explanation)).toContain(`warning: ${line}`);
  return lines;
}

describe("a value of the bot's file that is allowed and makes little sense in its market", () => {
  it.each([
    ["a usual half spread", withParams({ halfSpreadBps: 2 })],
    ["one of five times the exchange's", withParams({ halfSpreadBps: 10 })],
    ["a drawdown of a few orders' fees", withDrawdown("3")],
    ["two markets of two strategies", config],
  ])("does not include %s", async (_what, of) => {
    expect(await warningsOf(of)).toEqual([]);
  });

  it("does not include a usual half spread where the touch is one tick wide", async () => {
    const exchange = {
      markets: {
        btcusdc: {
          ...EXCHANGE.markets.btcusdc,
          flow: { kind: "synthetic", preset: "fitted", startPriceQuote: 60_000 } as const,
        },
      },
    };
    const { explanation } = await explain(
      withParams({ halfSpreadBps: 3 }),
      undefined,
      {},
      exchange,
    );
    const { bestBid, bestAsk } = explanation.markets.btcusdc ?? {};
    expect(Number(bestAsk) - Number(bestBid)).toBeCloseTo(0.1);
    expect(explanation.implausible).toEqual([]);
    expect(await warningsOf(withParams({ halfSpreadBps: 200 }), exchange)).toEqual([
      expect.stringMatching(/^markets\.btcusdc\.params\.halfSpreadBps: .* after a large move/),
    ]);
  });

  it("a half spread in per cent instead of basis points causes a warning: it would never trade", async () => {
    expect(await warningsOf(withParams({ halfSpreadBps: 200 }))).toEqual([
      expect.stringMatching(
        /^markets\.btcusdc\.params\.halfSpreadBps: the strategy quotes 200 bps .* best prices are [12]\.\d+ bps .*times as far/,
      ),
    ]);
  });

  it("a half spread as a fraction instead of basis points causes a warning: it would trade at a loss", async () => {
    expect(await warningsOf(withParams({ halfSpreadBps: 0.001 }))).toEqual([
      expect.stringMatching(
        /^markets\.btcusdc\.params\.halfSpreadBps: the strategy quotes 0\.001 bps .*times as near/,
      ),
    ]);
  });

  it("a drawdown below the fee of one order causes a warning: the first fill would halt the bot", async () => {
    // 0.01 BTC at 60,000 and 0.0003 as a taker.
    expect(await warningsOf(withDrawdown("0.1"))).toEqual([
      expect.stringMatching(
        /^risk\.maxDrawdownQuote: 0\.1 is less than the fee of one order in btcusdc \(0\.\d+ quote\): the first fill halts the bot$/,
      ),
    ]);
  });

  it("a drawdown above the account's whole value causes a warning: it would never halt the bot", async () => {
    expect(await warningsOf(withDrawdown("1000000"))).toEqual([
      expect.stringMatching(
        /^risk\.maxDrawdownQuote: 1000000 is not below the account's net value \(100000 quote\)/,
      ),
    ]);
  });

  it("a size whose fill costs more gas than it is worth causes a warning: no price makes up for it", async () => {
    const dear = { gasFee: { minGasPriceWei: "1000000000000", maxGasPriceWei: "1000000000000" } };
    expect(await warningsOf(withParams({ sizeBase: 0.001 }), dear)).toEqual([
      expect.stringMatching(
        /^markets\.btcusdc\.params\.sizeBase: an order of 0\.001 is worth \d+(\.\d+)? quote and its fill costs \d+(\.\d+)? /,
      ),
    ]);
  });
});
