import { describe, expect, it } from "vitest";
import { type BotStatus, buildBotStatus } from "#bot/bot-status.js";
import { GUARD_HEARTBEAT_FILE, GuardHeartbeat } from "#bot/guard-heartbeat.js";
import { BID, MARKET, Stage } from "./stage.js";

const statusOf = (stage: Stage): BotStatus => buildBotStatus(stage.rig.bot);

/** Rungs of a measure in short: `widen at 8 quote`, with a star while active. */
function rungs(status: BotStatus, measure: string): readonly string[] {
  return status.ladderRungs
    .filter((rung) => rung.measure === measure)
    .map(
      ({ action, threshold, unit, isActive }) =>
        `${action} at ${threshold} ${unit}${isActive ? " *" : ""}`,
    );
}

const whyOf = (status: BotStatus, measure: string): readonly (string | undefined)[] =>
  status.ladderRungs.filter((rung) => rung.measure === measure).map(({ why }) => why);

const measured = (status: BotStatus, measure: string): string | undefined =>
  status.ladderRungs.find((rung) => rung.measure === measure)?.measured;

describe("the rungs in a status", () => {
  it("are those of the file with the limits on top, the present value beside each threshold", async () => {
    const stage = new Stage({
      bot: {
        risk: {
          maxDrawdownQuote: "500",
          maxDailyLossQuote: "300",
          onDrawdown: "flatten",
          ladder: {
            drawdown: [
              { fromQuote: "8", action: "widen" },
              { fromQuote: "400.5", action: "reduce" },
            ],
            inventory: [{ fromFraction: 0.9, action: "reduce" }],
            markout: [{ fromBps: 2.5, action: "warn" }],
          },
        },
      },
    });
    await stage.botStarts(5_000);
    stage.wants({ bid: null, ask: null });
    await stage.passes(1_000);
    expect(rungs(statusOf(stage), "drawdown")).toEqual([
      "widen at 8 quote",
      "reduce at 400.5 quote",
      "flatten at 500 quote",
    ]);
    expect(rungs(statusOf(stage), "daily-loss")).toEqual(["flatten at 300 quote"]);
    expect(rungs(statusOf(stage), "inventory")).toEqual(["reduce at 0.9 share"]);
    expect(rungs(statusOf(stage), "markout")).toEqual(["warn at 2.5 bps"]);
    expect(measured(statusOf(stage), "markout"), "no fill yet").toBeUndefined();

    stage.owner.buys(10, 610_000);
    await stage.passes(5_000);
    const status = statusOf(stage);
    expect(rungs(status, "drawdown")[0]).toBe("widen at 8 quote *");
    expect(whyOf(status, "drawdown")).toEqual([
      expect.stringMatching(
        /^net value [\d.]+ is [\d.]+ quote below its peak [\d.]+, from 8 quote on; it ends below 6.4 quote$/,
      ),
      undefined,
      undefined,
    ]);
    // Bought at 61,000 with the mark at 60,000: ten quote, and the fee.
    const loss = Number(status.peakEquityQuote) - Number(status.equityQuote);
    expect(Number(measured(status, "drawdown"))).toBeCloseTo(loss, 6);
    expect(loss).toBeGreaterThan(10);
    expect(measured(status, "daily-loss")).toBe(status.dailyLossQuote);
    expect(measured(status, "inventory"), "10 of 100 lots").toBe("0.1");
    expect(status.ladderRungs.find(({ measure }) => measure === "inventory")?.marketId).toBe(
      MARKET,
    );
  });

  it("say that a limit lasts until an operator resumes, over a restart too, and that a rung that he accepted is not in force", async () => {
    const ladder = {
      inventory: [
        { fromFraction: 0.4, action: "halt" },
        { fromFraction: 0.8, action: "flatten" },
      ],
    };
    const stage = new Stage({
      bot: { risk: { maxDrawdownQuote: "5", maxDailyLossQuote: "5", ladder } },
    });
    await stage.botStarts(5_000);
    stage.owner.buys(50, 610_000);
    await stage.passes(5_000);
    expect(stage.halts()).toEqual(["daily-loss", "drawdown", "inventory"]);
    const shown = ["halt at 0.4 share *", "flatten at 0.8 share"];
    expect(rungs(statusOf(stage), "inventory")).toEqual(shown);
    expect(whyOf(statusOf(stage), "inventory")[0]).toBe(
      `the position is 50.0 % of its limit, from 0.4 of maxPositionBase on; it ends when an operator resumes (marketwright resume --market ${MARKET})`,
    );
    expect(whyOf(statusOf(stage), "drawdown")[0]).toMatch(
      /allowed 5; it ends when an operator resumes \(marketwright resume\)$/,
    );
    expect(whyOf(statusOf(stage), "daily-loss")[0]).toMatch(
      /; it ends when the UTC day is over, or when an operator resumes \(marketwright resume\)$/,
    );
    stage.botIsKilled();
    await stage.botStarts(5_000);
    expect(rungs(statusOf(stage), "drawdown")).toEqual(["halt at 5 quote *"]);
    stage.rig.bot.command({ command: "resume" });
    await stage.passes(3_000);
    const after = statusOf(stage);
    expect(rungs(after, "drawdown")).toEqual(["halt at 5 quote"]);
    expect(rungs(after, "inventory")).toEqual(["halt at 0.4 share", "flatten at 0.8 share"]);
    expect(whyOf(after, "inventory")[0]).toBe(
      "an operator accepted it: it acts again after the measure was below 0.32 of maxPositionBase",
    );
  });
});

describe("the streams in a status", () => {
  it("have the age of their newest message, and are down while they are", async () => {
    const stage = new Stage();
    await stage.botStarts(5_000);
    stage.counterparty.sells(2, BID);
    await stage.passes(2_000);
    const [market, account] = statusOf(stage).streams;
    expect([market?.name, market?.state, account?.name, account?.state]).toEqual([
      "market",
      "up",
      "account",
      "up",
    ]);
    // The counterparty's fill was the newest news of the account.
    expect(account?.ageMs).toBeGreaterThan(1_000);
    expect(account?.ageMs).toBeLessThanOrEqual(2_100);
    stage.network.stall("market");
    await stage.passes(4_000);
    expect(statusOf(stage).streams[0]?.ageMs, "a stalled stream is up and old").toBeGreaterThan(
      3_000,
    );
    stage.network.keepDown("account");
    await stage.passes(1_000);
    expect(statusOf(stage).streams[1]).toMatchObject({ name: "account", state: "down" });
    stage.network.restore("account");
    await stage.passes(10_000);
    expect(statusOf(stage).streams[1]).toMatchObject({ name: "account", state: "up" });
  });
});

describe("the guard in a status", () => {
  const quotes = { timeInForce: "POST_ONLY" };
  const claim = { chainId: 7, verifyingContract: `0x${"c1".repeat(20)}` };

  it("is missing, alive, stale when it hangs, and missing when it has ended", async () => {
    const stage = new Stage({ bot: { quotes } });
    stage.store.write(
      "account.json",
      JSON.stringify({ version: 1, account: stage.address, exchange: claim }),
    );
    await stage.botStarts();
    expect(statusOf(stage).guard).toEqual({
      state: "missing",
      text: `no guard runs: POST_ONLY orders would outlive this bot; run it beside with: marketwright guard ${stage.config.path}`,
    });
    const heartbeat = new GuardHeartbeat({
      clock: stage.clock,
      store: stage.store,
      account: stage.address,
      everyMs: 500,
      onFailure: (error) => {
        throw error;
      },
    });
    heartbeat.start();
    await stage.passes(2_000);
    const { state, ageMs, text } = statusOf(stage).guard;
    expect(state).toBe("alive");
    expect(ageMs).toBeLessThanOrEqual(500);
    expect(text).toMatch(/^a guard watches this bot, heartbeat 0\.\d s ago$/);
    const last = stage.store.read(GUARD_HEARTBEAT_FILE) ?? "";
    heartbeat.stop();
    expect(statusOf(stage).guard.state).toBe("missing");
    stage.store.write(GUARD_HEARTBEAT_FILE, last);
    await stage.passes(stage.config.guard.deadAfterMs + 1_000);
    expect(statusOf(stage).guard).toMatchObject({
      state: "stale",
      text: expect.stringContaining("POST_ONLY orders would outlive this bot"),
    });
    expect(statusOf(stage).guard.ageMs).toBeGreaterThan(stage.config.guard.deadAfterMs);
  });

  it("is not needed where orders expire by themselves", async () => {
    const stage = new Stage({ bot: { quotes: { timeInForce: "GTT", quoteLifeMs: 120_000 } } });
    await stage.botStarts();
    expect(statusOf(stage).guard.state).toBe("not-needed");
  });
});
