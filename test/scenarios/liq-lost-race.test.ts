import { expect, it } from "vitest";
import { FAIR } from "../liquidator/simulation/faulty-node.js";
import { COIN } from "../liquidator/simulation/ground.js";
import { GWEI, gasCredit, LiquidatingStage, LONG } from "./liquidating-stage.js";

it("a race that a higher tip wins in the same block is lost, not failed: its gas is booked, the winner known, and the next tip higher", async () => {
  const stage = await LiquidatingStage.open({ openings: [LONG, { ...LONG, victim: 1 }] });
  await stage.price(56_000);
  await stage.blocks();
  const wei = await stage.wei();
  stage.starts({ settings: { maxInFlight: 1 } });
  await stage.passes(1_500);
  // Ours waits in the pool when a rival offers more for the same position.
  const first = stage.ledger().find(({ intended }) => intended !== undefined);
  const victim = first?.victim === stage.ground.victim(0).address.toLowerCase() ? 0 : 1;
  await stage.rivalTakes(COIN, 3n * GWEI, { victim });
  await stage.blocks();

  const gasWei = wei - (await stage.wei());
  const ended = stage.ledger().find(({ id }) => id === first?.id);
  expect(ended).toMatchObject({
    outcome: "lost",
    reason: expect.stringContaining("JOJO_ACCOUNT_IS_SAFE"),
    lostTo: { winner: stage.rival.toLowerCase(), blocksBefore: 0, tipWei: 3n * GWEI },
    attempts: 1,
    gasWei,
    gasQuote: gasCredit(gasWei),
    profitQuote: -gasCredit(gasWei),
  });
  expect(ended?.takenOver).toBeUndefined();
  expect(stage.desk.acquired.size).toBe(0);
  expect(await stage.counted()).toEqual({ seen: 2, confirmed: 2, lost: 1 });
  expect(stage.troubles(), "a lost race is no error").toEqual([]);

  // The other account is raced for at a tip that would have won.
  await stage.blocks(2);
  const second = stage.ledger().find(({ id }) => id !== first?.id);
  expect(second).toMatchObject({ outcome: "won", attempts: 1 });
  expect(second?.tipWei).toBeGreaterThan(3n * GWEI);
  expect(await stage.counted()).toEqual({ seen: 2, confirmed: 2, lost: 1, won: 1 });
  expect(await stage.nonces(), "one transaction each").toBe(2);
  expect(await stage.held()).toEqual({
    paper: COIN,
    credit: 500_000_000_000n + (second?.takenOver?.credit ?? 0n),
  });
  expect(await stage.stops()).toBe(0);
  await stage.expectHonest();
});

it("a position that a rival has taken before anything was sent costs nothing: it is lost to that rival, blocks ago", async () => {
  const stage = await LiquidatingStage.open();
  stage.starts();
  await stage.blocks();
  await stage.price(56_000);
  // The liquidator receives no blocks for a while.
  stage.weather[0] = { ...FAIR, requestLost: 1 };
  await stage.blocks();
  await stage.passes(1_100);
  await stage.rivalTakes(COIN, GWEI);
  await stage.blocks(2);
  stage.weather[0] = FAIR;
  await stage.blocks(3);
  expect(stage.opportunity()).toMatchObject({
    outcome: "lost",
    lostTo: { winner: stage.rival.toLowerCase(), tipWei: GWEI },
  });
  expect(stage.opportunity().profitQuote).toBeUndefined();
  expect(await stage.counted()).toEqual({ seen: 1, lost: 1 });
  expect(await stage.nonces()).toBe(0);
  expect(await stage.stops()).toBe(0);
  await stage.expectHonest();
});
