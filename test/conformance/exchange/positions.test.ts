import { expect } from "vitest";
import { conforms } from "../conforms.js";
import { expectRecord } from "../tables.js";
import { type Trader, trade, worlds } from "./world.js";

const world = worlds();
const FREE = { btcusdc: { makerFeeRate: "0", takerFeeRate: "0" } };
const position = async (trader: Trader) => (await trader.ask("/v1/positions"))[0];

conforms(
  "PO1",
  "exchange",
  "a position has every field, LONG or SHORT, OPEN or CLOSED",
  async () => {
    const { alice, bob } = await world();
    await trade(alice, bob, "BUY", "30000", "1");
    for (const trader of [alice, bob]) expectRecord(await position(trader), "position");
    expect(await position(alice)).toMatchObject({
      marketId: "btcusdc",
      side: "LONG",
      status: "OPEN",
      size: "1",
    });
    expect(await position(bob)).toMatchObject({ side: "SHORT", status: "OPEN", size: "1" });
    await trade(alice, bob, "SELL", "30000", "1");
    expectRecord(await position(alice), "position");
    expect(await position(alice)).toMatchObject({ side: "LONG", status: "CLOSED", size: "0" });
  },
);

conforms(
  "PO2",
  "exchange",
  "closedAt is null while OPEN, is the instant of closing once CLOSED, and null again after reopening",
  async () => {
    const { alice, bob, clock } = await world();
    await trade(alice, bob, "BUY", "30000", "1");
    expect(await position(alice)).toMatchObject({ status: "OPEN", closedAt: null });
    await clock.runFor(1000);
    await trade(alice, bob, "SELL", "30000", "0.4");
    expect(await position(alice)).toMatchObject({ status: "OPEN", closedAt: null });
    await clock.runFor(1000);
    await trade(alice, bob, "SELL", "30000", "0.6");
    const closedAt = clock.nowMs();
    await clock.runFor(1000);
    expect(await position(alice)).toMatchObject({ status: "CLOSED", closedAt });
    await trade(alice, bob, "SELL", "30000", "0.1");
    expect(await position(alice)).toMatchObject({ status: "OPEN", closedAt: null, side: "SHORT" });
  },
);

conforms(
  "PO3",
  "exchange",
  "lastUpdatedAt is told in balances and riskyAccounts, and not in positions",
  async () => {
    const { alice, bob, clock, setMark } = await world(
      { creditOnRegistration: "2000", markets: FREE },
      { steadyMark: true },
    );
    await trade(alice, bob, "BUY", "30000", "1");
    const updated = clock.nowMs();
    setMark(29_000);
    await clock.runFor(1500);
    const inside = (await alice.ask("/v1/balances")).positions[0];
    expectRecord(inside, "positionInside");
    expect(inside.lastUpdatedAt).toBe(updated);
    const risky = (await alice.read("/v1/riskyAccounts")).json[0].positions[0];
    expectRecord(risky, "positionInside");
    expect(risky.lastUpdatedAt).toBe(updated);
    expect(await position(alice)).not.toHaveProperty("lastUpdatedAt");
  },
);

conforms(
  "PO4",
  "exchange",
  "the figures hold over opening, adding, reducing, flipping and closing a long",
  async () => {
    const { alice, bob, clock, setMark } = await world({}, { steadyMark: true });
    const after = async (side: "BUY" | "SELL", price: string, amount: string) => {
      await trade(alice, bob, side, price, amount);
      return position(alice);
    };
    expect(await after("BUY", "30000", "1")).toMatchObject({
      side: "LONG",
      size: "1",
      maxSize: "1",
      entryPrice: "30000",
      exitPrice: "0",
      sumOpen: "1",
      sumClose: "0",
      realizedPnl: "0",
      unrealizedPnl: "0",
    });
    expect(await after("BUY", "30300", "2")).toMatchObject({
      size: "3",
      maxSize: "3",
      entryPrice: "30200",
      sumOpen: "3",
      sumClose: "0",
    });
    setMark(30_500);
    expect(await position(alice)).toMatchObject({ unrealizedPnl: "900", realizedPnl: "0" });
    expect(await after("SELL", "30500", "1")).toMatchObject({
      size: "2",
      maxSize: "3",
      entryPrice: "30200",
      exitPrice: "30500",
      sumOpen: "3",
      sumClose: "1",
      realizedPnl: "300",
      unrealizedPnl: "600",
    });
    expect(await after("SELL", "30100", "0.5")).toMatchObject({
      size: "1.5",
      entryPrice: "30200",
      exitPrice: "30366.66666667",
      sumClose: "1.5",
      realizedPnl: "250",
    });
    expect(await after("BUY", "30500", "0.5")).toMatchObject({
      size: "2",
      maxSize: "3",
      entryPrice: "30275",
      sumOpen: "3.5",
      sumClose: "1.5",
      realizedPnl: "250",
    });
    expect(await after("SELL", "30000", "3")).toMatchObject({
      side: "SHORT",
      status: "OPEN",
      size: "1",
      maxSize: "1",
      entryPrice: "30000",
      exitPrice: "0",
      sumOpen: "1",
      sumClose: "0",
      realizedPnl: "0",
      unrealizedPnl: "-500",
    });
    await clock.runFor(1000);
    expect(await after("BUY", "29900", "1")).toMatchObject({
      side: "SHORT",
      status: "CLOSED",
      size: "0",
      maxSize: "1",
      exitPrice: "29900",
      sumOpen: "1",
      sumClose: "1",
      realizedPnl: "100",
      unrealizedPnl: "0",
      closedAt: clock.nowMs(),
    });
  },
);

conforms(
  "PO4",
  "exchange",
  "a short earns when the price falls, and what one side earns the other loses",
  async () => {
    const { alice, bob, setMark } = await world({ markets: FREE }, { steadyMark: true });
    await trade(alice, bob, "SELL", "30000", "2");
    setMark(29_400);
    expect([await position(alice), await position(bob)]).toMatchObject([
      { side: "SHORT", size: "2", entryPrice: "30000", unrealizedPnl: "1200" },
      { side: "LONG", size: "2", entryPrice: "30000", unrealizedPnl: "-1200" },
    ]);
    await trade(alice, bob, "BUY", "29500", "1");
    expect([await position(alice), await position(bob)]).toMatchObject([
      { size: "1", maxSize: "2", exitPrice: "29500", realizedPnl: "500", unrealizedPnl: "600" },
      { size: "1", maxSize: "2", exitPrice: "29500", realizedPnl: "-500", unrealizedPnl: "-600" },
    ]);
  },
);

conforms(
  "PO4",
  "exchange",
  "the liquidation price is the published contracts' own, long and short",
  async () => {
    const { alice, bob } = await world(
      {
        creditOnRegistration: "10000",
        markets: { btcusdc: { makerFeeRate: "0.0001", takerFeeRate: "0.0005" } },
      },
      { steadyMark: true },
    );
    await trade(alice, bob, "BUY", "30000", "1");
    expect(await position(alice)).toMatchObject({ side: "LONG", liquidationPrice: "20634.020618" });
    expect(await position(bob)).toMatchObject({ side: "SHORT", liquidationPrice: "38832.038834" });
  },
);

conforms(
  "PO4",
  "exchange",
  "an account is safe at its liquidation price and unsafe one unit beyond",
  async () => {
    const { alice, bob, setMark } = await world(
      { creditOnRegistration: "2000", markets: FREE },
      { steadyMark: true },
    );
    await trade(alice, bob, "BUY", "30000", "1");
    const price = Number((await position(alice)).liquidationPrice);
    setMark(Math.ceil(price * 10) / 10);
    expect((await alice.ask("/v1/balances")).balances).toMatchObject({ isSafe: true });
    setMark(Math.floor(price * 10) / 10);
    expect((await alice.ask("/v1/balances")).balances).toMatchObject({ isSafe: false });
  },
);

conforms(
  "RA1",
  "exchange",
  "accounts above 80 % of risk are listed with their positions, and those at 80 % are not",
  async () => {
    const { alice, bob, carol, clock, setMark } = await world(
      { creditOnRegistration: "2000", markets: FREE },
      { steadyMark: true },
    );
    await trade(alice, bob, "BUY", "30000", "1");
    // Net value 2,000 + mark - 30,000, maintenance 3 % of the mark: 80 % at 28,000 + x with 0.03
    // (28,000 + x) = 0.8 x.
    const edge = Math.round((0.03 * 28_000 * 10) / 0.77) / 10;
    setMark(28_000 + edge + 0.1);
    await clock.runFor(1000);
    expect((await carol.read("/v1/riskyAccounts")).json).toEqual([]);
    setMark(28_000 + edge - 0.1);
    await clock.runFor(1000);
    const [risky, ...others] = (await carol.read("/v1/riskyAccounts")).json;
    expectRecord(risky, "riskyAccount");
    expect(others).toEqual([]);
    expect(risky).toMatchObject({
      account: alice.address,
      isSafe: true,
      positions: [{ marketId: "btcusdc", side: "LONG", size: "1", status: "OPEN" }],
    });
    expect(Number(risky.risk)).toBeGreaterThan(0.8);
    expect(Number(risky.risk)).toBeLessThan(0.801);
  },
);

conforms(
  "RA1",
  "exchange",
  "the list is cached for a moment, so that isSafe may be stale",
  async () => {
    const { alice, bob, clock, setMark } = await world(
      { creditOnRegistration: "2000", markets: FREE },
      { steadyMark: true },
    );
    await trade(alice, bob, "BUY", "30000", "1");
    setMark(29_000);
    expect((await alice.read("/v1/riskyAccounts")).json).toMatchObject([{ isSafe: true }]);
    setMark(28_500);
    expect((await alice.ask("/v1/balances")).balances.isSafe).toBe(false);
    expect((await alice.read("/v1/riskyAccounts")).json).toMatchObject([{ isSafe: true }]);
    await clock.runFor(1000);
    expect((await alice.read("/v1/riskyAccounts")).json).toMatchObject([{ isSafe: false }]);
  },
);
