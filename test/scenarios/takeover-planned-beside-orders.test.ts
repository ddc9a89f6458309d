import { expect, it } from "vitest";
import { BotLiquidatorVenue } from "#bot/liquidator-venue.js";
import type { VenueMarket } from "#liquidator/victims.js";
import { AcquiringStage } from "./acquiring-stage.js";
import { ASK, BID } from "./stage.js";

/** The market from which a liquidator would plan now. */
function planned(stage: AcquiringStage): VenueMarket {
  const { bot } = stage.rig;
  const venue = new BotLiquidatorVenue(
    bot,
    { call: () => Promise.reject(new Error("not asked")) } as never,
    stage.clock,
    () => {},
    () => undefined,
  );
  const [market] = venue.markets().values();
  if (market === undefined) throw new Error("no market");
  return market;
}

it("a takeover is planned beside every order that may still fill: those that nobody has answered, and manual ones", async () => {
  const stage = new AcquiringStage();
  await stage.botStarts();
  expect(planned(stage).workingLots).toEqual({ buy: 10, sell: 10 });
  // Both quotes move; the answers of the new ones do not come.
  stage.network.next("placeOrder", { is: "request late", byMs: 4_000 });
  stage.network.next("placeOrder", { is: "request late", byMs: 4_000 });
  stage.wants({ bid: BID - 20, ask: ASK + 20 });
  await stage.passes(1_500);
  expect(stage.quotes()).toEqual([]);
  expect(planned(stage).workingLots, "on their way").toEqual({ buy: 10, sell: 10 });
  await stage.passes(8_000);
  stage.owner.rests("BUY", 25, BID - 500);
  await stage.passes(1_000);
  expect(planned(stage).workingLots, "with a manual order").toEqual({ buy: 35, sell: 10 });
});

it("a takeover is planned from the position with the trades that have not settled", async () => {
  const stage = new AcquiringStage({ exchange: { settlement: { delayMs: 60_000 } } });
  await stage.botStarts();
  stage.counterparty.sells(10, BID);
  await stage.passes(1_000);
  expect(planned(stage).positionLots).toBe(10);
});
