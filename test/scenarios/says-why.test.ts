import { describe, expect, it } from "vitest";
import { buildBotStatus, buildReadiness } from "#bot/bot-status.js";
import { ASK, BID, MARKET, Stage } from "./stage.js";

const marketOf = (stage: Stage) => {
  const { state, reasons } = buildBotStatus(stage.rig.bot).markets[MARKET];
  return { state, reasons };
};

describe("a bot that does not quote says why in a trader's words, in its status and to whoever asks whether it is ready", () => {
  it("an account's limit holds a quote back", async () => {
    const stage = new Stage({
      bot: { risk: { maxDrawdownQuote: "1000", maxNotionalQuote: "500" } },
    });
    await stage.botStarts();

    const reasons = [
      "BUY 0.01 at 59999 not sent: account-notional: 600 quote of position, all markets, allowed 500 quote",
      "SELL 0.01 at 60001 not sent: account-notional: 600.01 quote of position, all markets, allowed 500 quote",
    ];
    expect(marketOf(stage)).toEqual({ state: "waiting", reasons });
    expect(buildReadiness(stage.rig.bot)).toEqual({
      ready: false,
      reasons: [`btcusdc: waiting: ${reasons.join("; ")}`],
    });
  });

  it("the position's limit leaves nothing of a side, and clips the other", async () => {
    const stage = new Stage({
      bot: { markets: { [MARKET]: { strategy: "ladder", limits: { maxPositionBase: "0.012" } } } },
    });
    await stage.botStarts();
    stage.counterparty.sells(10, BID);
    await stage.passes(2_000);
    expect(marketOf(stage)).toMatchObject({
      state: "quoting",
      reasons: ["BUY 0: max position 0.01 -> 0.002 base"],
    });
    stage.counterparty.sells(2, BID);
    await stage.passes(2_000);
    expect(marketOf(stage)).toEqual({
      state: "waiting",
      reasons: ["the strategy wants no BUY quotes", "BUY 0: max position 0.01 -> 0 base"],
    });
  });

  it("the exchange refuses places for want of margin", async () => {
    const stage = new Stage();
    const body = JSON.stringify({
      code: 2012,
      codeText: "Margin insufficient",
      message: "not enough credit",
    });
    await stage.botStarts(3_000, (network) =>
      network.every("placeOrder", { is: "answered by a wall", status: 400, body }),
    );
    const { state, reasons } = marketOf(stage);
    expect(state).toBe("waiting");
    expect(reasons).toEqual([
      expect.stringMatching(
        /^BUY 0.01 at 59999, SELL 0.01 at 60001 not sent: the exchange refused it: 2012 Margin insufficient: not enough credit$/,
      ),
    ]);
  });

  it("a rate limit forbids everything for a while", async () => {
    const stage = new Stage();
    await stage.botStarts(3_000, (network) =>
      network.next("placeOrder", {
        is: "answered by a wall",
        status: 429,
        body: "",
        retryAfterMs: 9_000,
      }),
    );
    expect(marketOf(stage).reasons[0]).toMatch(
      /^the exchange's rate limit was exceeded: nothing is sent for another [5-9]\.\d s$/,
    );
    await stage.passes(15_000);
    expect(marketOf(stage)).toEqual({ state: "quoting", reasons: [] });
    expect(buildReadiness(stage.rig.bot)).toEqual({ ready: true, reasons: [] });
  });

  it("the exchange has closed the account: what it answered stands beside the halt", async () => {
    const stage = new Stage();
    await stage.botStarts();
    const body = JSON.stringify({
      code: 1010,
      codeText: "Unauthorized",
      message: "the account was closed",
    });
    for (const what of ["balances", "openOrders"] as const)
      stage.network.every(what, { is: "answered by a wall", status: 401, body });
    stage.network.keepDown("account");
    await stage.passes(5_000);
    stage.network.restore("account");
    await stage.passes(15_000);
    expect(marketOf(stage)).toEqual({
      state: "halted",
      reasons: [
        expect.stringMatching(
          /^unconfirmed-account: the exchange has not confirmed the bot's orders and positions: \w+ cannot be read: 1010 Unauthorized: the account was closed$/,
        ),
      ],
    });
  });
});

it("halted by hand is called halted; reduce-only is a halted market whose position is worked down", async () => {
  const stage = new Stage();
  await stage.botStarts();
  stage.counterparty.sells(5, BID);
  await stage.passes(2_000);
  stage.rig.bot.command({ command: "halt", reason: "news at eight" });
  await stage.passes(2_000);
  expect(marketOf(stage)).toEqual({ state: "halted", reasons: ["manual: news at eight"] });

  stage.rig.bot.command({ command: "flatten", maxSlippageBps: 1 });
  await stage.passes(500);
  expect(marketOf(stage).state).toBe("reduce-only");
});

it("the peak that is shown is never below the net value that is shown beside it", async () => {
  const stage = new Stage();
  await stage.botStarts();
  const seen: string[] = [];
  for (let i = 0; i < 60; i++) {
    stage.counterparty.sells(1, BID);
    stage.counterparty.buys(1, ASK);
    await stage.passes(70);
    const { equityQuote, peakEquityQuote } = buildBotStatus(stage.rig.bot);
    if (Number(peakEquityQuote) < Number(equityQuote))
      seen.push(`${equityQuote} above ${peakEquityQuote}`);
  }
  expect(stage.rig.bot.context.account.counts.fills).toBeGreaterThan(10);
  expect(seen).toEqual([]);
});
