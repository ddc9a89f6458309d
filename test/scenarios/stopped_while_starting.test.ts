import { describe, expect, it } from "vitest";
import type { ScriptedNetwork } from "./scripted-network.js";
import { BID, Stage } from "./stage.js";

/** Killed with both its quotes resting, and started again for so short a time that it has not learned of them. */
async function startedOver(stage: Stage): Promise<void> {
  await stage.botStarts();
  stage.botIsKilled();
  await stage.passes(1_000);
  expect(stage.quotes()).toHaveLength(2);
}

const unreachable = (network: ScriptedNetwork): void => {
  network.down = true;
};

describe("a bot that is told to leave before it knows what its earlier run left", () => {
  it("takes those quotes down as soon as the exchange answers again, and not a manual order", async () => {
    const stage = new Stage();
    await startedOver(stage);
    stage.owner.rests("BUY", 3, BID - 500);
    await stage.botStarts(5_000, unreachable);
    stage.rig.bot.command({ command: "stop", reason: "SIGINT" });
    await stage.passes(5_000);
    stage.network.down = false;
    const result = await stage.botStops();

    expect(stage.allQuotes(), "the owner's own is left").toEqual([`BUY 3 @ ${BID - 500}`]);
    expect(result).toEqual({ reason: "SIGINT", ordersLeft: [], openOrdersLeft: 0 });
  });

  it("does not say that nothing is open while the exchange does not tell", async () => {
    const stage = new Stage();
    await startedOver(stage);
    await stage.botStarts(5_000, unreachable);
    const result = await stage.botStops(60_000);

    expect(stage.quotes()).toHaveLength(2);
    expect(result.openOrdersLeft, "unknown, which is no zero").toBeUndefined();
  });
});
