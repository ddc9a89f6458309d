import { describe, expect, it } from "vitest";
import { measureJournal } from "./shrink/journal-size.js";
import { storyModeNamed } from "./shrink/story-modes.js";

/** Cheap ones: `npm run shrink-sizes` measures all of them. */
describe("the journal of a bot with a rule switched off", () => {
  it("shrinks to the turns that make the bot's state at the violation", async () => {
    const mode = storyModeNamed("hedge");
    const breakName = "hedged-on-ack";
    const plan = mode.draw(1, mode.marketMs, breakName);
    const journal = "hedge, hedged-on-ack, seed 1";
    const size = await measureJournal(mode, plan, { breakName, journal, maxRuns: 40 });
    if (size?.slice === undefined) return expect.fail(`no slice: ${size?.problem}`);
    const { whole, prefix, slice } = size;
    expect(prefix.turns).toBeLessThan(whole.turns);
    expect(slice.turns).toBeLessThan(prefix.turns);
    expect(slice.foundTurn).toBeLessThanOrEqual(prefix.turns);
    expect(slice.when).toMatch(/btcusdc/);
  });

  it("has no slice, and says in which turn, if its replay does not repeat the break", async () => {
    const whole = storyModeNamed("hedge");
    const breakName = "hedged-on-ack";
    const plan = whole.draw(1, whole.marketMs, breakName);
    const mode = { ...whole, replayParts: () => ({}) };
    const size = await measureJournal(mode, plan, { breakName, journal: "one", maxRuns: 40 });
    expect(size?.slice).toBeUndefined();
    expect(size?.problem).toMatch(/^its replay differs in turn \d+: /);
  });
});
