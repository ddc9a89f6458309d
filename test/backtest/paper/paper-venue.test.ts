import { Subject } from "rxjs";
import { describe, expect, it, onTestFinished } from "vitest";
import { rulesOfFile } from "../../../src/backtest/config/backtest-rules.js";
import { type PaperModels, PaperVenue } from "../../../src/backtest/paper/paper-venue.js";
import type { BotConfig } from "../../../src/bot/config/config.js";
import { botSchema } from "../../../src/bot/config/config-schema.js";
import type { Hex, MarketId, Side } from "../../../src/core/units.js";
import { VirtualClock } from "../../../src/core/virtual-clock.js";
import type { TimeInForce, VenueOrder } from "../../../src/exchange/records.js";
import type { Action, Outcome, PlaceAction, VenueEvent } from "../../../src/exchange/venue.js";

const START = Date.UTC(2026, 0, 5, 12);
/** What the exchange's clock is ahead of this machine's. */
const AHEAD_MS = 700;
const FEED_MS = 3;
const MARKETS = ["btcusdc", "ethusdc"] as const;
const MODELS: PaperModels = { queue: "risk-averse", orderLatencyMs: 20, responseLatencyMs: 10, creditQuote: "100000" };
const GRID = { tickSizeQuote: "0.1", stepSizeBase: "0.001", makerFeeRate: "0.0001", takerFeeRate: "0.0005" };

/** A paper venue over a live market that a test tells, and what the bot heard of it: by when, after the start. */
class PaperStage {
  readonly clock = new VirtualClock(START);
  readonly live = new Subject<VenueEvent>();
  readonly asked: Action[] = [];
  readonly heard: { readonly atMs: number; readonly event: VenueEvent }[] = [];
  readonly venue: PaperVenue;
  #sequence = 1;
  #ids = 0;

  /** @param agreed fee rates that the bot signs. */
  constructor(agreed: { readonly makerFeeRate?: string; readonly takerFeeRate?: string } = {}) {
    const config = botSchema.parse({
      exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1", ...agreed },
      account: { keyEnv: "KEY" },
      quotes: { timeInForce: "POST_ONLY" },
      markets: Object.fromEntries(
        MARKETS.map((id) => [id, { strategy: "ladder", params: {}, limits: { maxPositionBase: "1", maxOrderBase: "0.1" } }]),
      ),
      risk: { maxDrawdownQuote: "1000" },
    }) as unknown as BotConfig;
    const market = { ...GRID, maxLeverage: 20, liquidationThreshold: 0.03, maxOpenOrders: 200 };
    const rules = rulesOfFile(
      { markets: { btcusdc: market, ethusdc: market }, liquidationPriceOff: 0.01, insuranceFeeRate: 0.01 },
      MARKETS,
      "/",
    );
    this.venue = new PaperVenue({
      live: { events$: this.live, submit: (action) => this.asked.push(action), resubscribe: () => {}, close: () => {} },
      config,
      rules,
      models: MODELS,
      clock: this.clock,
      levelOf: () => 0,
      exchangeNowMs: () => this.clock.nowMs() + AHEAD_MS,
    });
    this.venue.events$.subscribe((event) => this.heard.push({ atMs: this.clock.nowMs() - START, event }));
    onTestFinished(() => this.venue.close());
    this.live.next({ type: "stream", stream: "market", state: "up", reason: "subscribed" });
    for (const marketId of MARKETS) {
      this.trade(marketId, "BUY", 600_001, 1);
      this.live.next({ type: "book-snapshot", marketId, sequence: 1, bids: [600_000, 5, 599_990, 5], asks: [600_001, 5, 600_010, 5] });
    }
  }

  /** A trade as the exchange stamped it, a feed's delay ago. */
  trade(marketId: MarketId, taker: Side, ticks: number, lots: number): void {
    const timeMs = this.clock.nowMs() + AHEAD_MS - FEED_MS;
    this.#ids += 1;
    this.live.next({ type: "public-trade", marketId, id: String(this.#ids), ticks, lots, timeMs, isBuyerMaker: taker === "SELL" });
  }

  book(marketId: MarketId, bids: readonly number[], asks: readonly number[]): void {
    this.#sequence += 1;
    this.live.next({ type: "book-update", marketId, beginSequence: this.#sequence, endSequence: this.#sequence, bids, asks });
  }

  mark(marketId: MarketId, markQuote: number, fundingRate: number, nextFundingMs: number): void {
    const mark = BigInt(markQuote) * 1_000_000n;
    this.live.next({ type: "market-state", marketId, mark, index: mark, fundingRate, nextFundingMs });
  }

  place(marketId: MarketId, side: Side, ticks: number, lots: number, timeInForce: TimeInForce = "GTC", lifeMs = 0): number {
    this.#ids += 1;
    const hash: Hex = `0x${this.#ids.toString(16).padStart(64, "0")}`;
    const zero: Hex = `0x${"00".repeat(20)}`;
    const action: PlaceAction = {
      kind: "place",
      actionId: this.#ids,
      timestampMs: 0,
      marketId,
      side,
      type: "LIMIT",
      ticks,
      lots,
      timeInForce,
      expirationMs: timeInForce === "GTT" ? this.clock.nowMs() + AHEAD_MS + lifeMs : 0,
      order: { perp: zero, signer: zero, paperAmount: 0n, creditAmount: 0n, info: hash },
      hash,
    };
    this.venue.submit(action);
    return this.#ids;
  }

  /** The answer to a request, and when it was heard. */
  answer(id: number): { readonly atMs: number; readonly outcome: Outcome } | undefined {
    for (const { atMs, event } of this.heard) if (event.type === "answer" && event.actionId === id) return { atMs, outcome: event.outcome };
    return undefined;
  }

  /** What the bot heard of its orders: when, what is open, what was filled, and their status. */
  get updates(): (Pick<VenueOrder, "availableLots" | "filledLots" | "status"> & { readonly atMs: number })[] {
    return this.heard.flatMap(({ atMs, event }) => {
      if (event.type !== "order-update") return [];
      const { availableLots, filledLots, status } = event.order;
      return [{ atMs, availableLots, filledLots, status }];
    });
  }

  get fills(): (readonly [market: MarketId, side: Side, ticks: number, lots: number, isMaker: boolean])[] {
    return this.heard.flatMap(({ event }) =>
      event.type === "trade-update"
        ? [[event.trade.marketId, event.trade.side, event.trade.ticks, event.trade.lots, event.trade.isMaker] as const]
        : [],
    );
  }
}

describe("a paper venue", () => {
  it("answers after both latencies, and passes nothing on but what anybody may ask", async () => {
    const stage = new PaperStage();
    const id = stage.place("btcusdc", "BUY", 599_990, 2);
    stage.venue.submit({ kind: "question", actionId: 900, timestampMs: 0, ask: "time" });
    stage.venue.submit({ kind: "question", actionId: 901, timestampMs: 0, ask: "balances" });
    stage.venue.submit({ kind: "cancel-all", actionId: 902, timestampMs: 0, marketId: "ethusdc" });
    await stage.clock.runFor(100);
    expect(stage.answer(id)).toMatchObject({
      outcome: { result: "accepted", order: { availableLots: 2, createdAtMs: START + AHEAD_MS + 20 } },
    });
    // The feed's own delay passes before anything of that instant is known here.
    expect(stage.answer(id)?.atMs).toBeGreaterThanOrEqual(30);
    expect(stage.answer(id)?.atMs).toBeLessThanOrEqual(30 + FEED_MS);
    expect(stage.answer(901)?.outcome).toMatchObject({ result: "answered", ask: "balances" });
    expect(stage.asked.map(({ actionId }) => actionId)).toEqual([900]);
    expect(stage.heard.filter(({ event }) => event.type === "stream" && event.stream === "account")).toHaveLength(1);
  });

  it("ends a GTT order at its own instant by the exchange's clock, and not before, however still the market is", async () => {
    const stage = new PaperStage();
    const id = stage.place("btcusdc", "BUY", 599_995, 2, "GTT", 60_500);
    await stage.clock.runFor(60_400);
    expect(stage.answer(id)?.outcome).toMatchObject({ result: "accepted" });
    expect(stage.updates).toEqual([]);
    stage.place("btcusdc", "SELL", 600_020, 1);
    await stage.clock.runFor(400);
    expect(stage.updates).toMatchObject([{ availableLots: 0, filledLots: 0, status: "EXPIRED" }]);
    // A trade at its price comes too late for it.
    stage.trade("btcusdc", "SELL", 599_990, 50);
    await stage.clock.runFor(100);
    expect(stage.fills).toEqual([]);
  });

  // As a live exchange does: the rates stand in the order.
  it("charges the fees that the bot signs where they were agreed on, and else the market's", async () => {
    const feeOf = async (stage: PaperStage): Promise<readonly bigint[]> => {
      stage.place("btcusdc", "BUY", 600_001, 5, "IOC");
      await stage.clock.runFor(100);
      return stage.heard.flatMap(({ event }) => (event.type === "trade-update" ? [event.trade.commission] : []));
    };
    // 5 lots of 0.001 at 60,000.1 are 300.0005.
    expect(await feeOf(new PaperStage())).toEqual([150_000n]);
    expect(await feeOf(new PaperStage({ makerFeeRate: "0.0004", takerFeeRate: "0.001" }))).toEqual([300_000n]);
  });

  it("fills an IOC by what is there and lets the rest go, and a FOK wholly or not at all", async () => {
    const stage = new PaperStage();
    const taking = stage.place("btcusdc", "BUY", 600_001, 8, "IOC");
    await stage.clock.runFor(100);
    expect(stage.answer(taking)?.outcome).toMatchObject({ result: "accepted" });
    expect(stage.fills).toEqual([["btcusdc", "BUY", 600_001, 5, false]]);
    expect(stage.updates.at(-1)).toMatchObject({ availableLots: 0, filledLots: 5, status: "EXPIRED" });
    stage.place("ethusdc", "SELL", 600_000, 6, "FOK");
    await stage.clock.runFor(100);
    expect(stage.fills).toHaveLength(1);
    stage.place("ethusdc", "SELL", 599_990, 6, "FOK");
    await stage.clock.runFor(100);
    expect(stage.fills.slice(1)).toEqual([
      ["ethusdc", "SELL", 600_000, 5, false],
      ["ethusdc", "SELL", 599_990, 1, false],
    ]);
  });

  it("refuses a post-only order that would take by the book of its arrival, not of its sending", async () => {
    const stage = new PaperStage();
    stage.place("btcusdc", "BUY", 600_005, 2, "POST_ONLY");
    await stage.clock.runFor(10);
    // Meanwhile the offers go up: it arrives before a book in which it rests.
    stage.book("btcusdc", [], [600_001, 0]);
    await stage.clock.runFor(90);
    expect(stage.updates).toEqual([]);
    stage.trade("btcusdc", "SELL", 600_004, 1);
    await stage.clock.runFor(50);
    expect(stage.fills).toEqual([["btcusdc", "BUY", 600_005, 2, true]]);
    stage.place("btcusdc", "BUY", 600_010, 2, "POST_ONLY");
    await stage.clock.runFor(100);
    expect(stage.fills).toHaveLength(1);
    expect(stage.updates.at(-1)).toMatchObject({ availableLots: 0, filledLots: 0 });
  });

  it("charges an order that may take as a taker where a trade passes it before the live book has been told anew", async () => {
    const stage = new PaperStage();
    stage.place("btcusdc", "BUY", 599_995, 2);
    await stage.clock.runFor(100);
    stage.trade("btcusdc", "SELL", 599_990, 1);
    await stage.clock.runFor(50);
    stage.place("btcusdc", "BUY", 599_994, 2);
    await stage.clock.runFor(100);
    for (const lots of [1, 2]) {
      stage.book("btcusdc", [599_980, lots], []);
      await stage.clock.runFor(50);
    }
    stage.trade("btcusdc", "SELL", 599_990, 1);
    await stage.clock.runFor(50);
    expect(stage.fills).toEqual([
      ["btcusdc", "BUY", 599_995, 2, false],
      ["btcusdc", "BUY", 599_994, 2, true],
    ]);
  });

  it("keeps its markets apart, and one account for both", async () => {
    const stage = new PaperStage();
    for (const marketId of MARKETS) {
      stage.place(marketId, "BUY", 599_995, 2, "POST_ONLY");
      stage.place(marketId, "SELL", 600_005, 2, "POST_ONLY");
    }
    await stage.clock.runFor(100);
    stage.trade("btcusdc", "SELL", 599_990, 1);
    await stage.clock.runFor(50);
    stage.trade("ethusdc", "BUY", 600_010, 1);
    await stage.clock.runFor(50);
    expect(stage.fills).toEqual([
      ["btcusdc", "BUY", 599_995, 2, true],
      ["ethusdc", "SELL", 600_005, 2, true],
    ]);
    const accounts = stage.heard.flatMap(({ event }) => (event.type === "account-update" ? [event.positions] : []));
    expect(accounts.at(-1)?.map(({ marketId, lots }) => [marketId, lots])).toEqual([
      ["btcusdc", 2],
      ["ethusdc", -2],
    ]);
  });

  it("pays funding once when a market goes on to its next, by the mark and the position of that instant", async () => {
    const stage = new PaperStage();
    const due = START + AHEAD_MS + 1_000;
    const incomes = () => stage.heard.flatMap(({ event }) => (event.type === "income-update" ? event.incomes : []));
    stage.mark("btcusdc", 60_000, 0.001, due);
    stage.place("btcusdc", "BUY", 600_001, 5, "IOC");
    await stage.clock.runFor(900);
    stage.mark("btcusdc", 61_000, 0.002, due);
    await stage.clock.runFor(200);
    expect(incomes()).toEqual([]);
    stage.mark("btcusdc", 62_000, 0.005, due + 8 * 3_600_000);
    stage.mark("btcusdc", 62_000, 0.005, due + 8 * 3_600_000);
    await stage.clock.runFor(100);
    // 0.005 base at a mark of 62,000 and the rate that was told for it, 0.002: a long pays.
    expect(incomes()).toMatchObject([{ type: "FUNDING_FEE", marketId: "btcusdc", amount: -620_000n }]);
    await stage.clock.runFor(1_000);
    expect(incomes()).toHaveLength(1);
  });

  // A cut line costs live: its cancels are lost, and its quotes are filled by what nobody tells. Paper that takes them down has every outage for nothing.
  it("loses what is sent while nothing comes from the exchange, and fills what the market has passed when it is heard again", async () => {
    const stage = new PaperStage();
    const id = stage.place("btcusdc", "BUY", 599_995, 2);
    await stage.clock.runFor(1_500);
    const order = stage.answer(id)?.outcome as { readonly result: "accepted"; readonly order: VenueOrder };
    const cancel = (actionId: number): void =>
      stage.venue.submit({
        kind: "cancel",
        actionId,
        timestampMs: 0,
        marketId: "btcusdc",
        orderId: order.order.id,
        hash: order.order.hash,
      });
    cancel(900);
    await stage.clock.runFor(1_000);
    expect(stage.answer(900)).toBeUndefined();
    await stage.clock.runFor(2_000);
    expect(stage.answer(900)).toMatchObject({ atMs: 3_500, outcome: { result: "unknown", cause: "timeout" } });
    // One that left shortly before the line is back arrives: after what the market did meanwhile.
    cancel(901);
    await stage.clock.runFor(500);
    stage.live.next({ type: "book-snapshot", marketId: "btcusdc", sequence: 9, bids: [599_900, 5], asks: [599_990, 5] });
    await stage.clock.runFor(100);
    expect(stage.fills).toEqual([["btcusdc", "BUY", 599_995, 2, true]]);
    expect(stage.answer(901)?.outcome).toMatchObject({ result: "rejected", code: 2011 });
  });

  it("takes a stream that is down for a line that is, until a book is told anew", async () => {
    const stage = new PaperStage();
    stage.live.next({ type: "stream", stream: "market", state: "down", reason: "nothing arrived" });
    const id = stage.place("btcusdc", "BUY", 599_995, 2, "POST_ONLY");
    await stage.clock.runFor(1_000);
    stage.live.next({ type: "stream", stream: "market", state: "up", reason: "subscribed" });
    await stage.clock.runFor(500);
    expect(stage.answer(id)).toBeUndefined();
    stage.live.next({ type: "book-snapshot", marketId: "btcusdc", sequence: 9, bids: [599_900, 5], asks: [599_990, 5] });
    await stage.clock.runFor(100);
    // It met that book, and would have taken.
    expect(stage.updates).toMatchObject([{ filledLots: 0, status: "EXPIRED" }]);
  });

  it("says no more once it is closed", async () => {
    const stage = new PaperStage();
    stage.place("btcusdc", "BUY", 599_995, 2);
    const heard = stage.heard.length;
    stage.venue.close();
    await stage.clock.runFor(1_000);
    stage.trade("btcusdc", "SELL", 599_000, 10);
    expect(stage.heard).toHaveLength(heard);
  });
});
