import { expect, it } from "vitest";
import { playHistories } from "./histories.js";

it("accounts are what they are on chain over sixty histories", async () => {
  const { trades, liquidated } = await playHistories({ seeds: 60, steps: 200, checkEvery: 20 });
  expect(trades).toBeGreaterThan(1000);
  expect(liquidated).toBeGreaterThan(500);
}, 1_800_000);
