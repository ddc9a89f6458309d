import { Decimal } from "decimal.js";
import { describe, expect, it } from "vitest";
import { previewCommand } from "#bot/preview-command.js";
import { ASK, BID, MARKET, Stage } from "../scenarios/stage.js";

const TICK = "0.1";
const STEP = "0.001";
const TAKER_FEE = "0.0005";

/** A bot that holds `lots` at rest, and quotes nothing. */
async function holding(lots: number, limits: Record<string, unknown> = {}): Promise<Stage> {
  const stage = new Stage({
    bot: {
      markets: {
        [MARKET]: { strategy: "ladder", limits: { maxPositionBase: "1", ...limits } },
      },
    },
    market: { takerFeeRate: TAKER_FEE },
  });
  await stage.botStarts();
  stage.wants({ bid: null, ask: null });
  await stage.passes(3_000);
  const side = lots > 0 ? "SELL" : "BUY";
  const price = lots > 0 ? BID : ASK;
  stage.counterparty.rests(side, Math.abs(lots), price);
  if (lots > 0) stage.owner.buys(lots, price);
  else stage.owner.sells(-lots, price);
  await stage.passes(3_000);
  expect(stage.rig.bot.context.account.positionLots(MARKET)).toBe(lots);
  return stage;
}

function previewOf(stage: Stage, maxSlippageBps = 50, sliceLots?: number) {
  const { bot } = stage.rig;
  const preview = previewCommand(bot, { command: "flatten", maxSlippageBps }, sliceLots);
  expect(preview.markets).toHaveLength(1);
  return preview.markets[0].flatten;
}

/** The same figures from the levels alone, as a person would add them up. */
function byHand(levels: readonly (readonly [ticks: number, lots: number])[], lots: number) {
  let left = lots;
  let quote = new Decimal(0);
  let filled = 0;
  for (const [ticks, there] of levels) {
    const taken = Math.min(there, left);
    quote = quote.plus(new Decimal(ticks).mul(TICK).mul(new Decimal(taken).mul(STEP)));
    filled += taken;
    left -= taken;
  }
  const touch = new Decimal(levels[0][0]).mul(TICK);
  const base = new Decimal(filled).mul(STEP);
  return { touch, base, quote, average: quote.div(base) };
}

describe("a preview of a flatten", () => {
  it("has the figures of a walk through the others' bids, and trades nothing", async () => {
    const stage = await holding(60);
    const levels = [
      [BID, 10],
      [BID - 30, 20],
      [BID - 200, 100],
    ] as const;
    for (const [ticks, lots] of levels) stage.counterparty.rests("BUY", lots, ticks);
    await stage.passes(3_000);
    const sent = stage.ordersEver();
    const { touch, quote, average } = byHand(levels, 60);
    const slippage = touch.mul("0.06").minus(quote);
    expect(previewOf(stage)).toEqual({
      side: "SELL",
      amountBase: "0.06",
      touchPrice: touch.toFixed(),
      expectedPrice: average.toDecimalPlaces(5).toFixed(),
      worstPrice: new Decimal(Math.ceil(BID * 0.995)).mul(TICK).toFixed(),
      slippageBps: touch.minus(average).div(touch).mul(10_000).toDecimalPlaces(4).toNumber(),
      slippageQuote: slippage.toFixed(),
      takerFeeQuote: quote.mul(TAKER_FEE).toDecimalPlaces(6, Decimal.ROUND_DOWN).toFixed(),
      unfilledBase: "0",
      sliceBase: "0.012",
      slices: 5,
    });
    await stage.passes(3_000);
    expect([stage.ordersEver(), stage.positionLots(), stage.halts()]).toEqual([sent, 60, []]);
  });

  it("comes out as it says when nobody else trades", async () => {
    const stage = await holding(-40);
    // Within the reach of one slice beyond the touch, so that each slice trades through.
    const levels = [
      [ASK, 15],
      [ASK + 5, 15],
      [ASK + 12, 30],
    ] as const;
    for (const [ticks, lots] of levels) stage.counterparty.rests("SELL", lots, ticks);
    await stage.passes(3_000);
    const preview = previewOf(stage);
    stage.notices.length = 0;
    stage.rig.bot.command({ command: "flatten", maxSlippageBps: 50 });
    await stage.passes(20_000);
    expect(stage.positionLots()).toBe(0);
    const trades = stage.notices.flatMap((notice) =>
      notice.kind === "account" && notice.change.kind === "fill" ? [notice.change.trade] : [],
    );
    const sum = (of: (trade: (typeof trades)[number]) => bigint) =>
      new Decimal(trades.reduce((total, trade) => total + of(trade), 0n).toString()).div(1e6);
    const quote = sum((trade) => trade.quote);
    expect(preview?.expectedPrice).toBe(quote.div("0.04").toDecimalPlaces(5).toFixed());
    expect(preview?.slippageQuote).toBe(
      quote.minus(new Decimal(ASK).mul(TICK).mul("0.04")).toFixed(),
    );
    // Each order's fee is truncated by itself.
    const fee = sum((trade) => trade.commission);
    expect(new Decimal(preview?.takerFeeQuote ?? 0).minus(fee).abs().toNumber()).toBeLessThan(1e-5);
  });

  it("stops at the worst price, and names what stays open", async () => {
    const stage = await holding(60);
    stage.counterparty.rests("BUY", 10, BID);
    stage.counterparty.rests("BUY", 500, BID - 400);
    await stage.passes(3_000);
    expect(previewOf(stage, 5)).toMatchObject({
      expectedPrice: "59999",
      slippageBps: 0,
      slippageQuote: "0",
      unfilledBase: "0.05",
      why: "the book holds no more within the worst price",
    });
  });

  it("leaves out our own orders, and stops before those that the owner placed by hand", async () => {
    const stage = await holding(-60);
    stage.wants({ bid: null, ask: ASK + 10, lots: 10 });
    stage.counterparty.rests("SELL", 20, ASK + 10);
    stage.owner.rests("SELL", 30, ASK + 40);
    stage.counterparty.rests("SELL", 90, ASK + 60);
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual([`SELL 10 @ ${ASK + 10}`]);
    expect(previewOf(stage)).toMatchObject({
      touchPrice: "60002",
      expectedPrice: "60002",
      unfilledBase: "0.04",
    });
  });

  it("says why nothing would be traded", async () => {
    const flat = new Stage();
    await flat.botStarts();
    expect(previewOf(flat)).toBeUndefined();

    const stage = await holding(60);
    stage.neighbourLeaves("BUY");
    await stage.passes(3_000);
    expect(previewOf(stage)).toMatchObject({
      expectedPrice: null,
      unfilledBase: "0.06",
      why: "the book has no price to bound an order by",
    });
  });

  it("counts the orders that fit into its time", async () => {
    const stage = await holding(400, { maxOrderBase: "0.002" });
    stage.counterparty.rests("BUY", 900, BID);
    await stage.passes(3_000);
    expect(previewOf(stage, 50, 2)).toMatchObject({
      sliceBase: "0.002",
      slices: 200,
      unfilledBase: "0.16",
      why: "a flatten gives up after 120 s, 120 orders of this size",
    });
  });
});

describe("a preview of a halt and a resume", () => {
  it("counts the orders that go, and names the halts that end and those that stay", async () => {
    const stage = new Stage();
    await stage.botStarts();
    const { bot } = stage.rig;
    const open = stage.quotes().length;
    expect(open).toBe(2);
    expect(previewCommand(bot, { command: "halt", reason: "news" }, undefined)).toMatchObject({
      command: "halt",
      markets: [{ marketId: MARKET, ordersCancelled: open, positionBase: "0" }],
      haltsEnded: [],
      haltsKept: [],
    });
    expect(stage.halts()).toEqual([]);

    bot.command({ command: "halt", reason: "news" });
    bot.command({ command: "halt", marketId: MARKET, reason: "this market" });
    await stage.passes(3_000);
    const told = (marketId?: string) => {
      const resume = { command: "resume" as const, ...(marketId && { marketId }) };
      const { haltsEnded, haltsKept } = previewCommand(bot, resume, undefined);
      const why = (halts: readonly { readonly why: string }[]) => halts.map((halt) => halt.why);
      return [why(haltsEnded), why(haltsKept)];
    };
    expect(told()).toEqual([["news", "this market"], []]);
    expect(told(MARKET)).toEqual([["this market"], ["news"]]);
    bot.command({ command: "resume", marketId: MARKET });
    await stage.passes(3_000);
    expect(told()).toEqual([["news"], []]);
  });
});
