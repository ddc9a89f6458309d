import { expect, it } from "vitest";
import { goesOn, playedMorning } from "./killed.js";

it("killed between any two steps, the exchange goes on with what it had promised, once, and agrees with its chain", async () => {
  const { records, promised, endMs, kills } = await playedMorning();
  expect(kills.length).toBeGreaterThan(60);
  const every = Math.ceil(kills.length / 14);
  for (const [place, kill] of kills.entries()) {
    const copy = records.copies[kill];
    if (copy !== undefined && place % every === 0) await goesOn(copy, kill, promised, endMs);
  }
});
