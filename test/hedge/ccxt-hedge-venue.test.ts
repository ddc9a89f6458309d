import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../exchange/local-server.js";
import { IS_CCXT_INSTALLED } from "../reference/sources/ccxt-installed.js";
import { dialectWorld, type HedgeSession, newKey, openVenue, SYMBOL } from "./dialect-world.js";

let world: Awaited<ReturnType<typeof dialectWorld>>;
let session: HedgeSession;

beforeEach(async () => {
  world = await dialectWorld();
  session = await openVenue(world.proxy.host);
});

afterEach(async () => {
  session.venue.close();
  await world.stop();
});

const place = (more: object = {}) => ({
  kind: "place" as const,
  symbol: SYMBOL,
  key: newKey(),
  side: "BUY" as const,
  lots: 20,
  ticks: 300_010,
  timeInForce: "IOC" as const,
  isReduceOnly: false,
  ...more,
});

describe.skipIf(!IS_CCXT_INSTALLED)("a hedge venue through the real ccxt, at the dialect", () => {
  it("knows the contract in the venue's own lots and ticks", () => {
    const contract = session.venue.contracts.get(SYMBOL);
    expect(contract).toMatchObject({
      symbol: SYMBOL,
      baseAsset: "BTC",
      quoteAsset: "USDC",
      minNotional: 500_000_000n,
    });
    expect(contract?.instrument.stepSize).toBe("0.001");
    expect(contract?.instrument.tickSize).toBe("0.1");
  });

  it("is up once both streams are open, and then has a touch though the book is quiet", async () => {
    session.venue.start();
    await until(() => session.of("touch").length > 0);
    expect(session.events[0]).toMatchObject({ type: "stream", state: "up" });
    expect(session.of("touch")[0]).toEqual({
      type: "touch",
      symbol: SYMBOL,
      bidTicks: 300_000,
      bidLots: 1000,
      askTicks: 300_010,
      askLots: 1000,
    });
    world.maker.place("SELL", "30000.5", "0.5");
    await until(() => session.of("touch").length > 1);
    expect(session.of("touch")[1]).toMatchObject({ askTicks: 300_005, askLots: 500 });
  });

  it("has the next funding rate and its time, for a strategy that is paid by both legs", async () => {
    session.venue.start();
    await until(() => session.of("funding-rate").length > 0);
    const [announced] = session.of("funding-rate");
    expect(announced).toMatchObject({ symbol: SYMBOL, fundingRate: expect.any(Number) });
    expect(announced?.nextFundingMs).toBeGreaterThan(Date.now());
    expect(Math.abs(announced?.fundingRate ?? 1)).toBeLessThan(0.01);
  });

  it("takes with IOC, and reports the order and its fill once each by answer and stream", async () => {
    session.venue.start();
    await session.up();
    const order = place();
    const outcome = await session.submit(order);
    expect(outcome).toEqual({
      result: "order",
      order: {
        key: order.key,
        symbol: SYMBOL,
        side: "BUY",
        lots: 20,
        filledLots: 20,
        isOpen: false,
        status: "FILLED",
      },
    });
    await until(() => session.of("fill").length > 0);
    const [{ fill }] = session.of("fill") as [ReturnType<typeof session.of<"fill">>[number]];
    expect(fill).toMatchObject({
      key: order.key,
      side: "BUY",
      lots: 20,
      quote: 60_002_000_000n,
      fee: 18_000_600n,
      feeAsset: "USDC",
      isMaker: false,
      isReversed: false,
    });
    await until(() => session.of("order").some(({ order: { isOpen } }) => !isOpen));
    const fills = await session.submit({ kind: "fills", symbol: SYMBOL, sinceMs: 0 });
    expect(fills).toEqual({ result: "fills", fills: [fill], isWhole: true });
    const account = await session.submit({ kind: "account", symbol: SYMBOL });
    expect(account).toMatchObject({
      result: "account",
      account: { positionLots: { [SYMBOL]: 20 } },
    });
  });

  it("ends the rest of an IOC order that is filled in part", async () => {
    const order = place({ lots: 1500 });
    expect(await session.submit(order)).toMatchObject({
      result: "order",
      order: { lots: 1500, filledLots: 1000, isOpen: false },
    });
  });

  it("rests with POST_ONLY, finds the order by its key and among the open ones, and cancels it", async () => {
    const order = place({ ticks: 299_000, timeInForce: "POST_ONLY" });
    const { key } = order;
    expect(await session.submit(order)).toMatchObject({
      order: { key, isOpen: true, filledLots: 0 },
    });
    expect(await session.submit({ kind: "order", symbol: SYMBOL, key })).toMatchObject({
      result: "order",
      order: { key, isOpen: true },
    });
    expect(await session.submit({ kind: "open-orders", symbol: SYMBOL })).toMatchObject({
      result: "open-orders",
      orders: [{ key }],
    });
    expect(await session.submit({ kind: "cancel", symbol: SYMBOL, key })).toMatchObject({
      result: "order",
      order: { key, isOpen: false, status: "CANCELED" },
    });
    expect(await session.submit({ kind: "open-orders", symbol: SYMBOL })).toEqual({
      result: "open-orders",
      orders: [],
    });
  });

  it("is refused with POST_ONLY where it would take", async () => {
    expect(await session.submit(place({ timeInForce: "POST_ONLY" }))).toMatchObject({
      result: "rejected",
      code: "-5022",
    });
  });

  it("says absent, and no more, of an order that the venue does not know", async () => {
    const key = newKey();
    const outcomes = [
      await session.submit({ kind: "cancel", symbol: SYMBOL, key }),
      await session.submit({ kind: "order", symbol: SYMBOL, key }),
    ];
    expect(outcomes).toMatchObject([{ result: "absent" }, { result: "absent" }]);
  });

  it("does not list the orders of another bot on the account as its own", async () => {
    const key = newKey(0x1234);
    await session.submit(place({ key, ticks: 299_000, timeInForce: "POST_ONLY" }));
    expect(await session.submit({ kind: "open-orders", symbol: SYMBOL })).toEqual({
      result: "open-orders",
      orders: [],
    });
  });

  it("names the orders of fills that an earlier run has made", async () => {
    const own = place();
    const foreign = place({ key: newKey(0x1234) });
    await session.submit(own);
    await session.submit(foreign);
    const restarted = await openVenue(world.proxy.host);
    const fills = await restarted.submit({ kind: "fills", symbol: SYMBOL, sinceMs: 0 });
    restarted.venue.close();
    expect(fills).toMatchObject({
      result: "fills",
      fills: [{ key: own.key }, { key: undefined }],
      isWhole: true,
    });
  });

  it("knows nothing of a place whose answer is lost, and finds its fill by the key", async () => {
    world.proxy.answers = ({ method }) => method !== "POST";
    const order = place();
    expect(await session.submit(order)).toMatchObject({ result: "unknown" });
    expect(await session.submit({ kind: "order", symbol: SYMBOL, key: order.key })).toMatchObject({
      result: "order",
      order: { filledLots: 20, isOpen: false },
    });
  });

  it("opens both streams again after the connections are cut, and misses nothing after that", async () => {
    session.venue.start();
    await session.up();
    world.proxy.cut();
    await session.up(2);
    expect(session.of("stream").map(({ state }) => state)).toEqual(["up", "down", "up"]);
    await session.submit(place());
    await until(() => session.of("fill").length === 1);
  });

  it("sends nothing after it was closed, and leaves no connection open", async () => {
    session.venue.start();
    await session.up();
    session.venue.close();
    // A request that was written before may still arrive.
    await until(() => world.proxy.connections.size === 0);
    const { length } = world.proxy.requests;
    session.venue.submit({ ...place(), actionId: 99 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(world.proxy.requests.length).toBe(length);
  });
});
