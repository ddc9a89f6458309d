import { describe, expect, it } from "vitest";
import { MARKET, T0 } from "./exchange-story.js";
import { creditOf, discount, Scene, takeover } from "./takeover-scene.js";

describe.each([10, -10])("an acquired position of %d lots", (lots) => {
  const said = takeover(lots);

  it("counts at once, and once after the exchange's report", () => {
    const scene = new Scene().start().says(said);
    expect(scene.position).toBe(5 + lots);
    expect(scene.liquidation).toBe(discount(lots));
    scene.wait(60_000);
    expect([scene.position, scene.differences], "the exchange may lag behind the chain").toEqual([
      5 + lots,
      [],
    ]);
    scene.streams(scene.applies(said)).agrees();
    expect(scene.liquidation).toBe(discount(lots));
  });

  it("counts once if recorded twice", () => {
    const scene = new Scene().start().says(said).says(said);
    scene.applies(said);
    scene.says(said).agrees();
  });

  it("is matched to an earlier income of the exchange", () => {
    const scene = new Scene().start();
    scene.streams(scene.applies(said));
    expect([scene.position, scene.liquidation]).toEqual([5 + lots, discount(lots)]);
    scene.says(said);
    expect(scene.position).toBe(5 + lots);
    expect(scene.changes.at(-1)).toMatchObject({
      kind: "liquidation",
      lots: 0,
      credit: 0n,
      takeoverId: "tx 1",
    });
    scene.agrees();
  });

  it("is reported by the position alone, and its income arrives last", () => {
    const scene = new Scene().start();
    const income = scene.applies(said);
    scene.exchange.incomes.pop();
    scene.wait(65_000);
    expect(scene.changes.filter(({ kind }) => kind === "position-set")).toHaveLength(1);
    scene.says(said);
    expect([scene.position, scene.liquidation]).toEqual([5 + lots, discount(lots)]);
    scene.exchange.incomes.push(income);
    scene.streams(income).wait(40_000);
    expect([scene.position, scene.liquidation]).toEqual([5 + lots, discount(lots)]);
    expect(scene.account.profit().other, "the correction is a takeover now").toBe(0n);
  });

  it("is matched by block time to an earlier position", () => {
    const scene = new Scene().start();
    const income = scene.applies(said);
    scene.exchange.incomes.pop();
    scene.wait(65_000);
    scene.wait(3_600_000).says(said).says(said);
    expect([scene.position, scene.liquidation, scene.account.profit().other]).toEqual([
      5 + lots,
      discount(lots),
      0n,
    ]);
    scene.exchange.incomes.push(income);
    scene.streams(income).wait(40_000);
    expect([scene.position, scene.liquidation]).toEqual([5 + lots, discount(lots)]);
  });

  it("is included already if a later position agreed", () => {
    const scene = new Scene().start();
    const taken = scene.applies(said);
    const lost = scene.applies({ lots: -lots, credit: creditOf(-lots) }, "LIQUIDATED");
    scene.streams(taken).streams(lost).wait(200_000).says(said);
    expect(scene.position).toBe(5);
    scene.agrees();

    const unpaid = new Scene().start().wait(200_000).says(said);
    expect(unpaid.position, "told by nothing but a position that agrees").toBe(5);
    const early = new Scene().start().wait(100_000).says(said);
    expect(early.position, "the exchange may lag behind the chain").toBe(5 + lots);
  });

  it("is reverted in a later run, after the exchange's position included it from the start", () => {
    const before = takeover(lots, "tx 1", T0 - 600_000);
    const scene = new Scene({ previousTakeovers: [{ ...before, isTold: true }] });
    scene.exchange.basePosition += lots;
    scene.start().undoes("tx 1");
    expect(scene.position).toBe(5);
    scene.streams(scene.applies({ lots: -lots, credit: -before.credit })).wait(40_000);
    expect([scene.position, scene.differences]).toEqual([5, []]);
  });

  it("is reverted by a reorg, reported by the exchange or not", () => {
    const untold = new Scene().start().says(said).undoes("tx 1");
    expect([untold.position, untold.liquidation]).toEqual([5, 0n]);
    untold.undoes("tx 1").undoes("never said").agrees();

    const told = new Scene().start().says(said);
    told.streams(told.applies(said)).wait(5_000).undoes("tx 1");
    expect(told.position).toBe(5);
    told.wait(31_000);
    expect([told.position, told.differences], "the exchange follows the chain later").toEqual([
      5,
      [],
    ]);
    told.streams(told.applies({ lots: -lots, credit: -said.credit }));
    told.agrees();
  });

  it("is uncertain for a minute if reverted while the exchange holds it", () => {
    const scene = new Scene().start().says(said);
    scene.streams(scene.applies(said)).wait(5_000);
    expect(scene.account.isPositionKnown(MARKET)).toBe(true);
    scene.undoes("tx 1");
    expect([scene.position, scene.account.positionUncertainty(MARKET)]).toEqual([5, "taken-back"]);
    scene.wait(40_000);
    expect([scene.position, scene.account.positionUncertainty(MARKET)]).toEqual([5, "taken-back"]);
    const held = [{ marketId: MARKET, lots: 5 + lots }] as never;
    expect(
      scene.account.findPositionMismatches(held, scene.nowMs),
      "at the end of a run nothing explains it",
    ).toHaveLength(1);
    scene.wait(40_000);
    expect([scene.position, scene.account.positionUncertainty(MARKET)]).toEqual([
      5 + lots,
      undefined,
    ]);

    const followed = new Scene().start().says(said);
    followed.streams(followed.applies(said)).wait(5_000).undoes("tx 1").wait(10_000);
    followed.applies({ lots: -lots, credit: -said.credit });
    followed.exchange.incomes.pop();
    followed.wait(10_000);
    expect([followed.position, followed.account.positionUncertainty(MARKET)]).toEqual([
      5,
      undefined,
    ]);
  });

  it("is reverted before the exchange had it, beside an unreported one: a position without both is no mismatch", () => {
    const kept = takeover(3, "kept");
    const scene = new Scene().start().says(kept).says(said).undoes("tx 1").wait(5_000);
    expect([scene.position, scene.account.positionUncertainty(MARKET)]).toEqual([8, undefined]);
    const late = new Scene().start().says(kept).says(said);
    late.applies(said);
    late.undoes("tx 1").wait(5_000);
    expect(
      [late.position, late.account.positionUncertainty(MARKET)],
      "the exchange had it",
    ).toEqual([8, "taken-back"]);
    late.streams(late.applies({ lots: -lots, credit: -said.credit })).wait(5_000);
    expect([late.position, late.account.positionUncertainty(MARKET)]).toEqual([8, undefined]);
    late.streams(late.applies(kept)).agrees();
  });

  it("counts again, once, if recorded after a revert", () => {
    const held = new Scene().start().says(said);
    held.streams(held.applies(said)).wait(5_000).undoes("tx 1").wait(10_000).says(said).says(said);
    expect([held.position, held.liquidation]).toEqual([5 + lots, discount(lots)]);
    held.wait(5_000);
    expect(held.account.positionUncertainty(MARKET)).toBeUndefined();
    held.agrees();

    const untold = new Scene().start().says(said).undoes("tx 1").says(said);
    expect(untold.position).toBe(5 + lots);
    untold.streams(untold.applies(said)).agrees();

    const followed = new Scene().start().says(said);
    followed.streams(followed.applies(said)).wait(5_000).undoes("tx 1");
    followed
      .streams(followed.applies({ lots: -lots, credit: -said.credit }))
      .wait(10_000)
      .says(said);
    expect(followed.position).toBe(5 + lots);
    followed.streams(followed.applies(said)).agrees();

    const corrected = new Scene().start().says(said);
    corrected.streams(corrected.applies(said)).wait(5_000).undoes("tx 1").wait(90_000);
    corrected.says(said);
    expect([corrected.position, corrected.liquidation, corrected.account.profit().other]).toEqual([
      5 + lots,
      discount(lots),
      0n,
    ]);
    corrected
      .undoes("tx 1")
      .streams(corrected.applies({ lots: -lots, credit: -said.credit }))
      .wait(10_000);
    expect(
      [corrected.position, corrected.liquidation, corrected.account.positionUncertainty(MARKET)],
      "and is taken back again",
    ).toEqual([5, 0n, undefined]);
  });

  it("reverted before a restart stays a mismatch after it, as long as the exchange holds it", () => {
    const undo = { ...said, id: "tx 1 undone", lots: -lots, credit: -said.credit, isTold: false };
    const scene = new Scene({ previousTakeovers: [{ ...said, isTold: true }, undo] });
    scene.applies(said);
    scene.wait(10).start();
    expect([scene.position, scene.account.positionUncertainty(MARKET)]).toEqual([5, "taken-back"]);
    scene.says(said).wait(5_000);
    expect([scene.position, scene.account.positionUncertainty(MARKET)]).toEqual([
      5 + lots,
      undefined,
    ]);
  });

  it("survives a restart, in the opening position or not", () => {
    const inBase = new Scene({ previousTakeovers: [{ ...said, isTold: false }] });
    inBase.applies(said);
    const startNetValue = inBase.exchange.netValue;
    inBase.wait(10).start();
    expect(inBase.position).toBe(5 + lots);
    inBase.says(said).agrees(startNetValue);

    const notYet = new Scene({ previousTakeovers: [{ ...said, isTold: false }] }).start();
    expect([notYet.position, notYet.liquidation]).toEqual([5 + lots, discount(lots)]);
    notYet.streams(notYet.applies(said)).agrees();
  });

  it("is not counted again after a restart if the exchange's position included it, even if no income reports it", () => {
    const before = new Scene().start().says(said);
    before.applies(said);
    before.exchange.incomes.pop();
    before.agrees();
    expect(before.account.takeovers).toEqual([{ ...said, isTold: true }]);

    const after = new Scene({ previousTakeovers: before.account.takeovers });
    after.applies(said);
    after.exchange.incomes.pop();
    const startNetValue = after.exchange.netValue;
    after.wait(10).start();
    expect([after.position, after.liquidation]).toEqual([5 + lots, 0n]);
    after.says(said).agrees(startNetValue);
  });

  it("mined before the start and recorded after it counts only if the exchange did not have it", () => {
    const had = new Scene();
    had.applies(said);
    const startNetValue = had.exchange.netValue;
    had.wait(10).start().says(said);
    expect(had.position).toBe(5 + lots);
    had.agrees(startNetValue);

    const lacked = new Scene().start().says(said);
    expect(lacked.position).toBe(5 + lots);
    lacked.streams(lacked.applies(said)).agrees();
  });

  it("is in the opening position if mined long before", () => {
    const scene = new Scene().start().says(takeover(3, "tx 1", T0 - 400_000));
    expect(scene.position).toBe(5);
    expect(new Scene().start().says(takeover(3, "tx 1", T0 - 200_000)).position).toBe(8);
  });

  it("waits if recorded before the account is confirmed", () => {
    const scene = new Scene().says(said);
    expect(scene.position).toBe(0);
    scene.start();
    expect(scene.position).toBe(5 + lots);
  });
});

describe("several takeovers of a market", () => {
  it("are distinguished by their credit, in any order", () => {
    const first = takeover(10, "a");
    const second = takeover(-4, "b");
    const third = takeover(3, "c");
    const scene = new Scene().start().says(first);
    scene.streams(scene.applies(third));
    expect(scene.position, "the third is found though the first is not told yet").toBe(18);
    scene.says(second).says(third);
    expect(scene.position).toBe(14);
    scene.streams(scene.applies(second)).streams(scene.applies(first)).agrees();
  });

  it("are distinguished by price after half a minute", () => {
    const said = takeover(-9, "said");
    const other = takeover(11, "other");
    const lacked = new Scene().start().says(said);
    lacked.streams(lacked.applies(other)).wait(20_000);
    expect(lacked.position, "11 at one per cent off the mark, or 20 at nearly half of it").toBe(-4);
    lacked.says(other);
    expect(lacked.position).toBe(7);
    lacked.streams(lacked.applies(said)).agrees();

    const unsaid = new Scene().start().says(said);
    unsaid.streams(unsaid.applies(other)).wait(35_000);
    expect(unsaid.position).toBe(7);
    unsaid.streams(unsaid.applies(said)).agrees();
  });

  it("are each counted once if one is reported while a position without it, and with another, is in transit", () => {
    const said = takeover(-9, "said");
    const other = takeover(11, "other");
    const scene = new Scene().start().says(said);
    scene.meanwhile = ({ ask }) => {
      if (ask !== "incomes" || scene.exchange.basePosition !== 16) return;
      scene.streams(scene.applies(said));
    };
    scene.streams(scene.applies(other));
    expect([-4, 7], "the other one may be counted later, and nothing else").toContain(
      scene.position,
    );
    scene.wait(5000);
    expect(scene.position).toBe(7);
    scene.says(other);
    expect(scene.changes.filter(({ kind }) => kind === "position-set")).toEqual([]);
    scene.agrees();
  });

  it("are no difference if one is reported while a position without it is in transit", () => {
    const said = takeover(10);
    const scene = new Scene().start().says(said);
    scene.meanwhile = ({ ask }) => {
      if (
        ask === "userTrades" &&
        scene.asked.at(-2)?.ask === "balances" &&
        scene.exchange.basePosition === 5
      )
        scene.streams(scene.applies(said));
    };
    scene.wait(31_000);
    expect([scene.exchange.basePosition, scene.position]).toEqual([15, 15]);
    scene.agrees();
  });
});
