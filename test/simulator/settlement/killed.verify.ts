import { it } from "vitest";
import { goesOn, playedMorning } from "./killed.js";

it("killed between every two steps, the exchange goes on with what it had promised, once, and agrees with its chain", async () => {
  const { records, promised, endMs, kills } = await playedMorning();
  for (const kill of kills) {
    const copy = records.copies[kill];
    if (copy !== undefined) await goesOn(copy, kill, promised, endMs);
  }
}, 1_800_000);
