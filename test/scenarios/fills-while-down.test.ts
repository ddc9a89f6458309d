import { describe, expect, it } from "vitest";
import { z } from "zod";
import { FILLS_FILE } from "#bot/trade-log.js";
import { BID, Stage } from "./stage.js";

const lineShape = z.object({ event: z.string(), id: z.string(), lots: z.number() });

/** `event lots` of each line of the account's record of trades. */
function recorded(stage: Stage): readonly string[] {
  const lines = (stage.store.read(FILLS_FILE) ?? "").split("\n").filter((line) => line !== "");
  return lines
    .map((line) => lineShape.parse(JSON.parse(line)))
    .map(({ event, lots }) => `${event} ${lots}`);
}

function told(stage: Stage): readonly unknown[] {
  return stage.notices.flatMap((notice) =>
    notice.kind === "log" && notice.message === "filled while no bot ran" ? [notice.fields] : [],
  );
}

describe("the record of an account's trades has what happened while no bot ran", () => {
  it("a quote that was filled after the bot was killed is written and told at the next start, and once however many follow", async () => {
    const stage = new Stage();
    await stage.botStarts();
    stage.counterparty.sells(6, BID);
    await stage.passes(300);
    stage.botIsKilled();
    stage.counterparty.sells(4, BID);
    await stage.passes(20_000);
    expect(recorded(stage)).toEqual(["fill 6"]);

    for (let start = 0; start < 2; start += 1) {
      stage.wants({ bid: null, ask: null });
      await stage.botStarts(10_000);
      expect([...recorded(stage)].sort()).toEqual(["fill 4", "fill 6", "settled 4", "settled 6"]);
      expect(told(stage)).toEqual([
        expect.objectContaining({
          marketId: "btcusdc",
          side: "BUY",
          price: "59999",
          amount: "0.004",
        }),
      ]);
      stage.botIsKilled();
    }
  });

  it("the first fill of all is not lacking when it came after the bot was killed", async () => {
    const stage = new Stage();
    stage.owner.rests("BUY", 5, BID);
    stage.counterparty.sells(5, BID);
    await stage.passes(5_000);
    await stage.botStarts();
    stage.botIsKilled();
    stage.counterparty.sells(4, BID);
    await stage.passes(5_000);
    expect(recorded(stage)).toEqual([]);

    for (let start = 0; start < 2; start += 1) {
      stage.wants({ bid: null, ask: null });
      await stage.botStarts(10_000);
      expect(stage.positionLots()).toBe(9);
      expect(recorded(stage)).toEqual(["fill 4", "settled 4"]);
      expect(told(stage)).toEqual([expect.objectContaining({ side: "BUY", amount: "0.004" })]);
      stage.botIsKilled();
    }
  });

  it("what the account traded before its first bot is nobody's loss, and is not written", async () => {
    const stage = new Stage();
    stage.owner.rests("BUY", 5, BID);
    stage.counterparty.sells(5, BID);
    await stage.passes(5_000);
    stage.wants({ bid: null, ask: null });
    await stage.botStarts(10_000);

    expect(stage.positionLots()).toBe(5);
    expect(recorded(stage)).toEqual([]);
    expect(told(stage)).toEqual([]);
  });

  it("a settlement that failed is counted by the run that saw it, and not again by each that follows", async () => {
    const stage = new Stage({ exchange: { settlement: { delayMs: 1_000, failureRate: 1 } } });
    await stage.botStarts();
    stage.counterparty.sells(6, BID);
    stage.wants({ bid: null, ask: null });
    await stage.passes(5_000);
    expect(recorded(stage)).toEqual(["fill 6", "trade-failed 6"]);
    stage.botIsKilled();
    stage.notices.length = 0;
    await stage.botStarts(10_000);

    expect(recorded(stage)).toEqual(["fill 6", "trade-failed 6"]);
    expect(
      stage.notices.filter(
        (notice) => notice.kind === "account" && notice.change.kind === "trade-failed",
      ),
    ).toEqual([]);
    stage.expectAgreement();
  });
});
