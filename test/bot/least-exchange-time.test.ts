import { expect, it } from "vitest";
import { ExchangeTimeLowerBound } from "#bot/exchange-time-lower-bound.js";
import { VirtualClock } from "#core/virtual-clock.js";

it("the exchange's time is queried again after a stopped or failed query: otherwise no signed request would ever count as expired", async () => {
  const clock = new VirtualClock(0);
  const answers: (() => number | undefined)[] = [
    () => undefined,
    () => {
      throw new RangeError("no answer");
    },
    () => 5_000,
  ];
  const time = new ExchangeTimeLowerBound(clock, async () => answers.shift()?.());
  expect(await time.nowMs()).toBe(Number.NEGATIVE_INFINITY);
  await expect(time.nowMs()).rejects.toThrow(RangeError);
  expect(await time.nowMs()).toBe(5_000);
  await clock.runFor(250);
  expect(await time.nowMs()).toBe(5_250);
});
