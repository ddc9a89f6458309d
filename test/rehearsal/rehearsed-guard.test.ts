import { describe, expect, it } from "vitest";
import { makerFile, rehearseHere, runOf } from "./rehearsed-bots.js";

const FAULT = "bot-killed";

describe("the guard in a rehearsal", () => {
  it("takes the orders of a dead bot away after the time of the file", async () => {
    for (const deadAfterMs of [1_500, 6_000]) {
      const bot = makerFile({ guard: { deadAfterMs, heartbeatMs: 500 } });
      const { deaths } = runOf(await rehearseHere(bot, [FAULT]), FAULT);
      expect(deaths).toHaveLength(2);
      for (const { guardActedMs = 0, ordersGoneMs = 0, openOrders } of deaths) {
        expect(openOrders).toBeGreaterThan(0);
        expect(guardActedMs).toBeGreaterThan(deadAfterMs - 500);
        expect(guardActedMs).toBeLessThan(deadAfterMs + 2_000);
        expect(ordersGoneMs).toBeGreaterThanOrEqual(guardActedMs);
        expect(ordersGoneMs).toBeLessThan(guardActedMs + 2_000);
      }
    }
  });

  it("is missed where none runs: the orders of a dead bot trade until it is back", async () => {
    const bot = makerFile({ quotes: { timeInForce: "GTC", priceToleranceTicks: 10 } });
    const run = runOf(await rehearseHere(bot, [FAULT], { runsGuard: false, seeds: [2] }), FAULT);
    expect(run.deaths.map(({ guardActedMs }) => guardActedMs)).toEqual([undefined, undefined]);
    for (const { openOrders, openGtcOrders } of run.deaths) expect(openGtcOrders).toBe(openOrders);
    const filled = run.deaths.reduce((sum, death) => sum + death.filledWhileDeadLots, 0);
    expect(filled).toBeGreaterThan(0);
  });

  it("cannot act when it dies with the bot", async () => {
    const run = runOf(
      await rehearseHere(makerFile(), ["bot-and-guard-killed"]),
      "bot-and-guard-killed",
    );
    expect(run.deaths).toHaveLength(2);
    expect(run.deaths.every(({ guardActedMs }) => guardActedMs === undefined)).toBe(true);
  });
});
