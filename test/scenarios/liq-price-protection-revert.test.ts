import { expect, it } from "vitest";
import { COIN } from "../liquidator/simulation/ground.js";
import { gasCredit, LiquidatingStage } from "./liquidating-stage.js";

it("a price that turns between simulation and inclusion undoes the takeover, not the profit: only gas is lost, and it is planned anew", async () => {
  const stage = await LiquidatingStage.open();
  await stage.price(55_000);
  await stage.blocks();
  const wei = await stage.wei();
  stage.starts();
  await stage.passes(1_500);
  const { intended } = stage.opportunity();
  // Still unsafe at 55,900, but what would be paid is no longer what the book would give.
  await stage.oracleOnly(55_900);
  await stage.blocks();

  const gasWei = wei - (await stage.wei());
  expect(stage.ledger()[0]).toMatchObject({
    outcome: "reverted",
    reason: expect.stringContaining("LIQUIDATION_PRICE_PROTECTION"),
    attempts: 1,
    gasWei,
    profitQuote: -gasCredit(gasWei),
  });
  expect(intended?.expectCredit, "the bound was the worst price that still pays").toBeGreaterThan(
    -55_341_000_000n,
  );
  expect(await stage.held()).toEqual({ paper: 0n, credit: 500_000_000_000n });
  expect(stage.desk.acquired.size).toBe(0);
  expect((await stage.counted()).reverted).toBe(1);

  // The book follows, and what pays again is taken, once.
  await stage.price(55_900);
  await stage.blocks(4);
  const won = stage.ledger().filter(({ outcome }) => outcome === "won");
  expect(won).toHaveLength(1);
  expect(await stage.nonces()).toBe(2);
  expect(await stage.held()).toEqual({
    paper: COIN,
    credit: 500_000_000_000n + (won[0]?.takenOver?.credit ?? 0n),
  });
  expect(won[0]?.takenOver?.credit).toBe(-55_341_000_000n);
  expect(await stage.stops()).toBe(0);
  await stage.expectHonest();
});
