import { expect, it } from "vitest";
import { COIN } from "../liquidator/simulation/ground.js";
import { LiquidatingStage } from "./liquidating-stage.js";

it("a relay that takes a transaction, gives its hash and never includes it has not taken anything over; what comes after it is bought once", async () => {
  const stage = await LiquidatingStage.open();
  await stage.price(56_000);
  await stage.blocks();
  let taken = 0;
  const own = stage.ground.cast.liquidator.address;
  stage.builder.faultsOf = (from) => {
    if (from === own) taken += 1;
    return { isDropped: from === own, heldBlocks: 0 };
  };
  const wei = await stage.wei();
  stage.starts();
  await stage.blocks(8);
  expect(taken, "sent again when nobody knows it").toBeGreaterThan(1);
  expect(stage.opportunity(), "a hash is not a takeover").toMatchObject({ outcome: "open" });
  expect(stage.opportunity().takenOver).toBeUndefined();
  expect(stage.desk.acquired.size).toBe(0);
  expect(await stage.counted()).toEqual({ seen: 1, confirmed: 1 });

  // Past the deadline the takeover is cancelled; the relay loses the cancel as well. Nothing else
  // is begun for the account.
  await stage.blocks(8);
  expect(stage.ledger()).toHaveLength(1);
  expect(await stage.wei()).toBe(wei);
  expect(stage.process.view().inFlight).toHaveLength(1);

  // The relay works again: the cancel ends the nonce, then the position is acquired at the next.
  stage.builder.faultsOf = () => ({ isDropped: false, heldBlocks: 0 });
  await stage.blocks(10);
  const [given, won] = stage.ledger();
  expect(given).toMatchObject({ outcome: "refused", reason: expect.stringContaining("cancelled") });
  expect(won).toMatchObject({ outcome: "won" });
  expect(stage.ledger()).toHaveLength(2);
  expect(await stage.nonces(), "the cancel and the takeover").toBe(2);
  expect(await stage.held()).toEqual({ paper: COIN, credit: 500_000_000_000n - 55_440_000_000n });
  expect(wei - (await stage.wei())).toBe((given?.gasWei ?? 0n) + (won?.gasWei ?? 0n));
  expect(await stage.counted()).toEqual({ seen: 2, confirmed: 2, refused: 1, won: 1 });
  expect(await stage.stops()).toBe(0);
  await stage.expectHonest();
});
