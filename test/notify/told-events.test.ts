import { afterEach, describe, expect, it } from "vitest";
import { HedgedStage } from "../bot/hedge/hedged-stage.js";
import { AcquiringStage, MARK } from "../scenarios/acquiring-stage.js";
import { ASK, BID, MARKET, Stage } from "../scenarios/stage.js";
import { inShort, NotifiedBot } from "./notified-bot.js";

let told: NotifiedBot;
afterEach(() => told.close());

/** Sixty lots at the mark. */
const SIXTY = { lots: 60, credit: -60n * BigInt(MARK) * 100n };

describe("a hedge venue that is away", () => {
  it("is told where it leaves only what reduces, and when it is back", async () => {
    const stage = new HedgedStage();
    told = await NotifiedBot.open(stage);
    await stage.botStarts(5_000);
    stage.deep.streamIsLost();
    await told.passes(5_000);
    const away = await told.news();
    expect(inShort(away)).toEqual([
      `warning reduce-only: ${MARKET} quotes only what reduces: hedge-away`,
    ]);
    expect(away[0]?.text).toContain("its streams are down");
    stage.deep.streamIsUp();
    await told.passes(10_000);
    expect(inShort(await told.news())).toEqual([
      `warning reduce-only: ${MARKET} quotes both sides again: its hedge keeps up`,
    ]);
  });

  it("is told as a halt that ends by itself where the file halts for it", async () => {
    const stage = new HedgedStage([{ whenAway: "halt" }]);
    told = await NotifiedBot.open(stage);
    await stage.botStarts(5_000);
    stage.deep.streamIsLost();
    await told.passes(5_000);
    expect(inShort(await told.news())).toEqual([`warning halt: ${MARKET} halted: hedge-away`]);
    stage.deep.streamIsUp();
    await told.passes(10_000);
    expect(inShort(await told.news())).toEqual([
      `warning halt-over: ${MARKET} no longer halted: hedge-away`,
    ]);
  });
});

describe("a position that the exchange knows otherwise", () => {
  it("is told as a halt while nothing explains it, and once as set to the exchange's", async () => {
    const stage = new AcquiringStage();
    told = await NotifiedBot.open(stage);
    await stage.botStarts();
    stage.applies(SIXTY, { told: false, listed: false });
    await told.passes(45_000);
    expect(inShort(await told.news())).toEqual([
      `warning halt: ${MARKET} halted: position-unknown`,
      `warning position-set: the position in ${MARKET} was set to the exchange's`,
      `warning halt-over: ${MARKET} no longer halted: position-unknown`,
    ]);
  });

  it("because the account itself was liquidated is as severe as a loss can be", async () => {
    const stage = new AcquiringStage();
    told = await NotifiedBot.open(stage, { withFills: false });
    await stage.botStarts();
    for (let lot = 0; lot < 6; lot++) {
      stage.counterparty.buys(10, ASK);
      await stage.passes(1_000);
    }
    expect(stage.positionLots()).toBe(-60);
    stage.applies(SIXTY, { type: "LIQUIDATED" });
    await told.passes(5_000);
    const news = await told.news();
    expect(inShort(news)).toContain(
      `critical liquidation: the account's position in ${MARKET} was liquidated`,
    );
    expect(news.find(({ kind }) => kind === "liquidation")?.text).toBe(
      "it changed by 0.06, as the exchange reports",
    );
    expect(news.filter(({ severity }) => severity === "critical")).toHaveLength(1);
  });

  it("because somebody took a position over for the account is no liquidation of it", async () => {
    const stage = new AcquiringStage({ bot: { chain: undefined, liquidator: undefined } });
    told = await NotifiedBot.open(stage);
    await stage.botStarts();
    stage.applies(SIXTY);
    await told.passes(10_000);
    const news = inShort(await told.news());
    expect(news).toContain(
      `warning liquidation: the account has taken a position over in ${MARKET}`,
    );
    expect(news.filter((line) => line.startsWith("critical"))).toEqual([]);
  });
});

describe("trades", () => {
  it("are told where fills are wanted, each once, with a settlement that fails as a warning", async () => {
    const stage = new Stage({ exchange: { settlement: { delayMs: 1_000, failureRate: 1 } } });
    told = await NotifiedBot.open(stage);
    await stage.botStarts();
    stage.counterparty.buys(10, ASK);
    await told.passes(4_000);
    const news = await told.news();
    expect(inShort(news)).toEqual([
      `info fill: ${MARKET} SELL 0.01 at 60001, maker`,
      `warning settlement-failed: a settlement failed in ${MARKET}: the trade is reversed`,
    ]);
    expect(news[1]?.text).toMatch(/^SELL 0\.01, trade \d+$/);
    // The phone wants no fills, and only warnings, a minute later.
    await told.passes(60_000);
    expect(told.telegram.sent.map(({ text }) => text.split("\n")[0])).toEqual([
      `<b>WARNING bot.yaml: a settlement failed in ${MARKET}: the trade is reversed</b>`,
    ]);
    stage.counterparty.sells(10, BID);
    await told.passes(2_000);
    expect(inShort(await told.news())[0]).toBe(`info fill: ${MARKET} BUY 0.01 at 59999, maker`);
  });
});
