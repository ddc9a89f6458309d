import { expect, it } from "vitest";
import { ASK, BID, MARKET, Stage } from "./stage.js";

/**
 * Requests cannot even be connected while the streams go on: each is refused within a millisecond.
 */
async function refusedFor(stage: Stage, forMs: number): Promise<number> {
  const before = stage.network.sent.length;
  stage.network.down = true;
  await stage.passes(forMs);
  stage.network.down = false;
  return stage.network.sent.length - before;
}

it("cancels that cannot be sent are tried some times a second, not each millisecond, and go out as soon as they can", async () => {
  const stage = new Stage();
  await stage.botStarts();
  stage.wants({ bid: BID - 50, ask: ASK + 50 });
  expect(await refusedFor(stage, 10_000)).toBeLessThan(250);
  expect(stage.quotes(), "as the exchange has them still").toEqual([
    `BUY 10 @ ${BID}`,
    `SELL 10 @ ${ASK}`,
  ]);
  await stage.passes(150);
  expect(stage.quotes(), "the cancels went out first").toEqual([]);
  await stage.passes(2_000);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID - 50}`, `SELL 10 @ ${ASK + 50}`]);
});

it("orders that cannot be sent are not made anew each millisecond: they would be signed and remembered by the million", async () => {
  const stage = new Stage();
  stage.wants({ bid: null, ask: null });
  await stage.botStarts();
  stage.wants();
  const known = stage.rig.bot.context.account.orders.size;
  expect(await refusedFor(stage, 10_000)).toBeLessThan(250);
  expect(stage.rig.bot.context.account.orders.size - known).toBeLessThan(250);
  await stage.passes(2_000);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
  expect(stage.rig.bot.context.account.positionLots(MARKET)).toBe(0);
});

it("a stop while nothing can be sent tries some times a second, and leaves nothing once it can", async () => {
  const stage = new Stage();
  await stage.botStarts();
  const before = stage.network.sent.length;
  stage.network.down = true;
  stage.rig.bot.command({ command: "stop", reason: "SIGINT" });
  await stage.passes(5_000);
  expect(stage.network.sent.length - before).toBeLessThan(250);
  stage.network.down = false;
  await stage.passes(5_000);
  expect(stage.allQuotes()).toEqual([]);
});

it("a market halted by hand while nothing can be sent is cleared as soon as it can", async () => {
  const stage = new Stage();
  await stage.botStarts();
  stage.rig.bot.command({ command: "halt", reason: "news" });
  expect(await refusedFor(stage, 10_000)).toBeLessThan(250);
  await stage.passes(150);
  expect(stage.allQuotes()).toEqual([]);
});

/** The exchange's process is gone: no stream, and every connection is refused. */
function exchangeGoes(stage: Stage): void {
  stage.network.down = true;
  stage.network.keepDown("market");
  stage.network.keepDown("account");
}

function exchangeComesBack(stage: Stage): void {
  stage.network.down = false;
  stage.network.restore("market");
  stage.network.restore("account");
}

function orderTokens(stage: Stage): number {
  return stage.rig.bot.context.budget.available("ORDER");
}

const SIX_QUOTES = ([1, 2, 3] as const).flatMap((level) => [
  { side: "BUY" as const, level, ticks: BID - level, lots: 10 },
  { side: "SELL" as const, level, ticks: ASK + level, lots: 10 },
]);

it("a bot that stops while the exchange is gone keeps its tokens, tries ever less often, and cancels within two seconds once it is back", async () => {
  const stage = new Stage();
  stage.wantsQuotes(SIX_QUOTES);
  await stage.botStarts();
  expect(stage.quotes()).toHaveLength(6);
  exchangeGoes(stage);
  await stage.passes(500);
  const before = { tokens: orderTokens(stage), sent: stage.network.sent.length };
  stage.rig.bot.command({ command: "stop", reason: "SIGINT" });
  await stage.passes(15_000);
  expect(orderTokens(stage), "a refused connection costs nothing").toBeGreaterThanOrEqual(
    before.tokens,
  );
  expect(stage.network.sent.length - before.sent).toBeLessThan(100);
  exchangeComesBack(stage);
  await stage.passes(2_200);
  expect(stage.allQuotes()).toEqual([]);
});

it("a running bot keeps its tokens while the exchange is gone, and quotes again when it is back", async () => {
  const stage = new Stage();
  stage.wantsQuotes(SIX_QUOTES);
  await stage.botStarts();
  const before = orderTokens(stage);
  exchangeGoes(stage);
  const sentBefore = stage.network.sent.length;
  await stage.passes(30_000);
  expect(orderTokens(stage)).toBeGreaterThanOrEqual(before);
  expect(stage.network.sent.length - sentBefore).toBeLessThan(200);
  exchangeComesBack(stage);
  await stage.passes(20_000);
  expect(stage.quotes()).toHaveLength(6);
});
