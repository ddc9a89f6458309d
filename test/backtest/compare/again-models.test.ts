import { join } from "node:path";
import { expect, it } from "vitest";
import { compareSession } from "#backtest/compare-session.js";
import type { Session } from "#backtest/session-file.js";
import { bindStrategies, loadStrategies } from "#bot/market-strategies.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { createLog } from "#monitoring/log.js";
import { scratchFolder } from "../../history/scratch.js";
import { MARKET, makerSession, recordSession, withMarket } from "../../support/recorded-session.js";

const PAPER = {
  queue: "risk-averse",
  orderLatencyMs: 15,
  responseLatencyMs: 10,
  creditQuote: "100000",
};
const QUIET = "ethusdc";

async function compared(
  folder: string,
  session: Session,
  asked: { readonly fit: boolean; readonly queue?: string },
) {
  const log = createLog({ write: () => {} }, { level: "fatal", clock: new VirtualClock(0) });
  const strategies = bindStrategies(session.config, await loadStrategies(session.config, log));
  const liquidation = { priceOff: 0n, insuranceFeeRate: 0n };
  const { markets } = await compareSession({
    folder,
    session,
    strategies,
    liquidation,
    seed: "1",
    ...asked,
  });
  return new Map(markets.map((market) => [market.marketId, market]));
}

// With two markets, the queue and delays of the first one were once reported for both: here the
// second market has no fill.
it("reruns each market of a session with the models of its own fit", async () => {
  const maker = makerSession(join(scratchFolder(), "session"), 10_000, "fitted", 0.02);
  const { folder, session } = await recordSession({
    ...withMarket(maker, QUIET, 50),
    paper: PAPER,
  });
  if (session === undefined) throw new Error("not recorded");
  expect(Object.keys(session.config.markets)).toEqual([QUIET, MARKET]);

  const fitted = await compared(folder, session, { fit: true });
  const [quiet, busy] = [fitted.get(QUIET), fitted.get(MARKET)];
  expect(quiet?.orders).toMatchObject({ live: 0, model: { shiftMs: 0 } });
  expect(busy?.orders.live).toBeGreaterThan(10);
  const { shiftMs, queue } = busy?.orders.model ?? { shiftMs: 0, queue: "none" };
  expect(shiftMs).not.toBe(0);
  const plain = {
    queue: "risk-averse",
    doubtful: "conservative",
    orderLatencyMs: 15,
    responseLatencyMs: 10,
  };
  expect(quiet?.again.model).toEqual(plain);
  expect(busy?.again.model).toEqual({ ...plain, queue, orderLatencyMs: 15 + shiftMs });

  // A requested model without a fit applies to every market.
  for (const { again } of (await compared(folder, session, { fit: false, queue: "log" })).values())
    expect(again.model).toEqual({ ...plain, queue: "log" });
});
