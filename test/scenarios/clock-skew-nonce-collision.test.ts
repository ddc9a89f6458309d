import { expect, it } from "vitest";
import { ASK, BID, MARKET, Stage } from "./stage.js";

it("the machine's clock is stepped by three seconds: quotes come down for that reason, cancels are taken, quotes return", async () => {
  const stage = new Stage();
  await stage.botStarts();

  stage.machine.skewMs = 3_000;
  await stage.passes(3_000);
  expect(stage.quotes()).toEqual([]);
  expect(stage.halts()).toEqual(["clock-offset"]);
  expect(
    stage.saidOfHalt("clock-offset"),
    "whoever sets the clock must not set it the wrong way",
  ).toContain("3000 ms ahead of the exchange's");
  expect(
    stage.network.sentOf("cancelOrder").map(({ status }) => status),
    "signed in exchange time",
  ).toEqual([204, 204]);

  stage.machine.skewMs = 0;
  await stage.passes(5_000);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
  stage.expectAgreement();
});

it("places of one millisecond, and of a clock that runs through the same milliseconds twice, never share a hash", async () => {
  const stage = new Stage({
    bot: {
      exchange: { rest: "http://a.test/v1", stream: "ws://a.test/v1", maxClockOffsetMs: 60_000 },
    },
  });
  await stage.botStarts();

  for (let round = 0; round < 20; round++) {
    stage.machine.skewMs = round % 2 === 0 ? -500 : 0;
    stage.wants({ bid: BID - 10 * (round % 2), ask: ASK + 10 * (round % 2) });
    await stage.passes(500);
  }

  const infos = stage.network.sentOf("placeOrder").map(({ params }) => params.get("info"));
  expect(infos.length).toBeGreaterThanOrEqual(40);
  expect(new Set(infos).size).toBe(infos.length);
  expect(stage.network.sent.filter(({ status }) => status !== undefined && status >= 400)).toEqual(
    [],
  );
  expect(stage.rig.bot.context.account.orders.mayStillFill(MARKET)).toHaveLength(2);
  stage.expectAgreement();
});
