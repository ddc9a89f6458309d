import { expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { paceTolerance } from "#executor/pacing.js";
import { planQuotes } from "#executor/plan-quotes.js";
import { TapeBuilder } from "#history/tape-builder.js";
import type { Quote } from "#strategies/intent.js";
import { GRID, MARKET, NOON_US, quoting, ReplayStage } from "./replay-stage.js";

const LEVELS = 4;
const MS = 1_000;
const SPAN_MS = 120_000;

/** A market whose best prices move by a few ticks ten times a second. */
function restless() {
  const random = seededRandom("restless");
  const tape = new TapeBuilder({ marketId: MARKET, ...GRID });
  let mid = 600_000;
  for (let atMs = 0; atMs < SPAN_MS; atMs += 100) {
    const us = NOON_US + atMs * MS;
    tape.snapshot(us, us + MS);
    for (let away = 1; away <= 3; away++)
      tape.level("BUY", mid - away, 30).level("SELL", mid + away, 30);
    mid += Math.floor(random.uniform() * 41) - 20;
  }
  return tape.build();
}

// Each token that an action costs makes quotes follow the market a little less closely. A waiting
// cancel that becomes unneeded by the tokens of earlier ones must be withdrawn. If it is sent, it
// gives up a queue position and takes the token of a needed one.
it("withdraws a cancel that the tokens of the previous one made unneeded", () => {
  const stage = new ReplayStage({
    markets: { [MARKET]: { grade: "books", tape: restless() } },
    strategies: {
      [MARKET]: quoting(({ midTicks }) =>
        Array.from({ length: LEVELS }, (_, level): Quote[] => [
          { side: "BUY", level, ticks: Math.floor(midTicks) - 60 - 40 * level, lots: 10 },
          { side: "SELL", level, ticks: Math.ceil(midTicks) + 60 + 40 * level, lots: 10 },
        ]).flat(),
      ),
    },
    bot: { quotes: { timeInForce: "POST_ONLY", priceToleranceTicks: 2 } },
    rules: { orderTokensPerMinute: 400 },
  });
  const { context } = stage.run.bot;
  const trader = context.traders.get(MARKET);
  let [paced, cancels] = [0, 0];
  const seen = stage.notices.push.bind(stage.notices);
  stage.notices.push = (...told) => {
    for (const { notice } of told) {
      if (
        notice.kind !== "dispatched" ||
        notice.action.kind !== "cancel" ||
        trader?.quotes === undefined
      )
        continue;
      const { quotes } = trader.quotes;
      const { priceToleranceTicks: priceTicks, sizeToleranceFraction: sizeFraction } =
        context.config.quotes;
      // Its own token is spent now; it was not when the cancel was last planned.
      const tokens = (context.budget.available("ORDER") + 1) / context.budget.limit("ORDER");
      const tolerance = paceTolerance({ priceTicks, sizeFraction }, quotes, tokens);
      const plan = planQuotes({
        marketId: MARKET,
        quotes,
        working: context.account.orders.mayStillFill(MARKET),
        rules: trader.rules,
        touch: { bestBidTicks: trader.best("BUY", []), bestAskTicks: trader.best("SELL", []) },
        foreign: { touch: { bestBidTicks: undefined, bestAskTicks: undefined }, openOrders: 0 },
        settings: {
          tolerance,
          timeInForce: "POST_ONLY",
          gtt: { quoteLifeMs: 1, renewLeadMs: 1, renewStaggerMs: 1 },
          onCross: "behind",
        },
        nowMs: 0,
      });
      cancels += 1;
      if (tolerance.priceTicks > priceTicks) paced += 1;
      expect(plan.cancels.map(({ hash }) => hash)).toContain(notice.action.hash);
    }
    return seen(...told);
  };
  stage.run.play(NOON_US + SPAN_MS * MS);
  expect(cancels).toBeGreaterThan(200);
  expect(paced).toBeGreaterThan(100);
});
