import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FillExplainer } from "../../../src/backtest/compare/explain-fills.js";
import { fitModel } from "../../../src/backtest/compare/fit.js";
import { readSession, SESSION_FILES } from "../../../src/backtest/session/session-file.js";
import { botSchema } from "../../../src/bot/config/config-schema.js";
import { parseExchangeConfig } from "../../../src/simulator/config.js";
import { orderFlowsOf } from "../../../src/simulator/flow/flow-config.js";
import { scratchFolder } from "../../history/scratch.js";
import { MARKET, parityInputs, recordSession, type SessionWish } from "./recorded-session.js";

const START = 1_723_161_000_000;

/** A maker at the touch of a synthetic market. */
function wish(forMs: number): SessionWish {
  const exchange = parseExchangeConfig({
    port: 0,
    markets: { [MARKET]: { tickSize: "0.1", stepSize: "0.001", flow: { kind: "synthetic", startPriceQuote: 60_000 } } },
    rateLimits: { common: 0, order: 0 },
  });
  const config = {
    ...botSchema.parse({
      exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" },
      account: { keyEnv: "KEY" },
      quotes: { timeInForce: "POST_ONLY", priceToleranceTicks: 5 },
      decide: { everyMs: 250, minGapMs: 50 },
      markets: {
        [MARKET]: {
          strategy: "ladder",
          params: { levels: 2, halfSpreadBps: 0.3, levelSpacingBps: 0.5, sizeBase: 0.01 },
          limits: { maxPositionBase: "1", maxOrderBase: "0.1" },
        },
      },
      risk: { maxDrawdownQuote: "100000" },
    }),
    path: "/bot.yaml",
  } as unknown as SessionWish["config"];
  const flowOf = orderFlowsOf(exchange, { baseFolder: ".", onReplayEnd: () => {} });
  const flow = flowOf(MARKET, null as never) ?? undefined;
  return { config, exchange, startMs: START, forMs, folder: join(scratchFolder(), "session"), ...(flow === undefined ? {} : { flow }) };
}

it("fills the orders of a paper session alike in the backtest, and says why each that differs does", { timeout: 60_000 }, async () => {
  const models = { queue: "risk-averse", orderLatencyMs: 20, responseLatencyMs: 20, creditQuote: "100000" };
  const recorded = await recordSession({ ...wish(30_000), paper: models });
  const inputs = await parityInputs(recorded);
  expect(recorded.session).toMatchObject({ mode: "paper", start: { equityQuote: "100000" } });
  expect(inputs.account.fills.length).toBeGreaterThan(3);
  const { best } = fitModel(inputs);
  // The same rules on the same records: 1 was measured.
  expect(best.secondHalf.share).toBeGreaterThanOrEqual(0.95);
  const explainer = new FillExplainer(inputs.instrument, inputs.account, best.replay);
  for (const unmatched of best.whole.match.liveOnly) expect(explainer.live(unmatched).why).not.toBe("");
  for (const unmatched of best.whole.match.replayedOnly) expect(explainer.replayed(unmatched).why).not.toBe("");
});

it("fills the orders of a live session alike, though its book is told late and has our orders in it", { timeout: 60_000 }, async () => {
  const inputs = await parityInputs(await recordSession(wish(15_000)));
  expect(inputs.account.fills.length).toBeGreaterThan(30);
  // The exchange gathers its book for 25 ms, and the line adds 1 to 3.
  expect(inputs.bookLagMs).toBeGreaterThanOrEqual(25);
  expect(inputs.bookLagMs).toBeLessThanOrEqual(28);
  const { best } = fitModel(inputs);
  expect(best.secondHalf.share).toBeGreaterThanOrEqual(0.95);
});

it("never takes a killed session for a whole one", { timeout: 60_000 }, async () => {
  const { folder } = await recordSession({ ...wish(2_000), kill: true });
  expect(existsSync(join(folder, SESSION_FILES.session))).toBe(false);
  expect(() => readSession(folder)).toThrow("was not ended");
});
