import { expect, it } from "vitest";
import { playHistories } from "./histories.js";

it("accounts are what they are on chain over sixty histories", async () => {
  const happened = await playHistories({ seeds: 60, steps: 200, checkEvery: 20 });
  expect(happened.trades).toBeGreaterThan(1000);
  // A kind of event that never happened would not have been tested.
  for (const [what, times] of Object.entries(happened))
    expect({ what, isSeen: times > 20 }).toEqual({ what, isSeen: true });
}, 1_800_000);
