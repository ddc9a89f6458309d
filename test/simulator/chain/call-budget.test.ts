import { describe, expect, it } from "vitest";
import { VirtualClock } from "#core/virtual-clock.js";
import { CallBudget } from "#simulator/call-budget.js";

/**
 * A budget of ten seconds, half of elapsed time as income, and requests that each take a given
 * time.
 */
function world() {
  const clock = new VirtualClock(0);
  const budget = new CallBudget({ clock, mostMs: 10_000, share: 0.5, mostWaiting: 5 });
  const started: number[] = [];
  const takes = (ms: number) =>
    budget.run(async () => {
      started.push(clock.monotonicMs());
      await new Promise<void>((resolve) => clock.setTimer(ms, resolve));
      return { result: ms };
    });
  return { clock, budget, started, takes };
}

describe("the time budget of the chain's port", () => {
  it("runs requests one after the other, so that the exchange's own run in between", async () => {
    const { clock, started, takes } = world();
    const answers = [takes(1000), takes(1000), takes(1000)];
    await clock.runFor(5000);
    expect(await Promise.all(answers)).toEqual([
      { result: 1000 },
      { result: 1000 },
      { result: 1000 },
    ]);
    expect(started).toEqual([0, 1000, 2000]);
  });

  it("is shared by all clients: after long requests the next is refused until enough time has passed", async () => {
    const { clock, started, takes } = world();
    const answers = [takes(8000), takes(8000), takes(8000), takes(10)];
    await clock.runFor(30_000);
    const [first, second, third, fourth] = await Promise.all(answers);
    expect([first, second, third]).toEqual([{ result: 8000 }, { result: 8000 }, { result: 8000 }]);
    // 24 seconds were used: ten were there, and twelve were earned in the meantime.
    expect(fourth).toMatchObject({
      error: { code: -32005, message: expect.stringContaining("limit exceeded") },
    });
    expect(started).toEqual([0, 8000, 16_000]);
    await clock.runFor(60_000);
    const later = takes(10);
    await clock.runFor(100);
    expect(await later).toEqual({ result: 10 });
  });

  it("limits the waiting requests: any further one is refused at once, until there is room again", async () => {
    const { clock, takes } = world();
    const answers = Array.from({ length: 7 }, () => takes(100));
    expect(await answers[6]).toMatchObject({ error: { code: -32005 } });
    await clock.runFor(1000);
    expect((await Promise.all(answers)).filter((answer) => "result" in answer)).toHaveLength(5);
    const next = takes(100);
    await clock.runFor(200);
    expect(await next).toEqual({ result: 100 });
  });

  it("continues after a failed request, whose client gets the error", async () => {
    const { clock, budget, takes } = world();
    await expect(budget.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    const next = takes(1);
    await clock.runFor(10);
    expect(await next).toEqual({ result: 1 });
  });
});
