import { expect, it } from "vitest";
import { VirtualClock } from "#core/virtual-clock.js";
import { PositionCooldowns } from "#liquidator/position-cooldowns.js";

const VICTIM = "0x1111111111111111111111111111111111111111";
const PERP = "0x2222222222222222222222222222222222222222";

it.each([-3_600_000, 3_600_000])(
  "a position is left alone for its time, though the machine's clock is set by %d ms meanwhile",
  async (stepMs) => {
    const clock = new VirtualClock(1_760_000_000_000);
    const cooling = new PositionCooldowns(clock, 5_000);
    cooling.start(VICTIM, PERP);
    clock.stepWall(stepMs);
    await clock.runFor(4_999);
    expect(
      cooling.isCoolingDown(VICTIM, PERP),
      "asked for at once, it is refused again and again",
    ).toBe(true);
    await clock.runFor(1);
    expect(cooling.isCoolingDown(VICTIM, PERP), "an hour of it would be another's").toBe(false);
  },
);
