import { setTimeout as sleep } from "node:timers/promises";
import type { Order } from "ccxt";
import { afterEach, describe, expect, it } from "vitest";
import { CcxtUnderFaults, type FaultyDialect, OTHER, SYMBOL, TRADER } from "./ccxt-under-faults.js";

const worlds = new CcxtUnderFaults();

afterEach(() => worlds.close());

const DEPTH = "btcusdc@depth@100ms";

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(2);
}

/** A world whose book moves, and whose book ccxt follows. */
async function followed(): Promise<FaultyDialect> {
  const world = await worlds.open();
  world.movesBook();
  await world.client.watchOrderBook(SYMBOL);
  return world;
}

/** Watches until ccxt throws. */
async function failureOf({ client }: FaultyDialect): Promise<string> {
  try {
    for (;;) await client.watchOrderBook(SYMBOL);
  } catch (error) {
    const { name, message } = error as Error;
    return `${name}: ${message}`;
  }
}

/** True once the book of ccxt is that of the exchange after all faults have ended. */
async function followsAgain({ client, injector }: FaultyDialect): Promise<boolean> {
  injector.schedule.endAll();
  for (;;) {
    const book = await client.watchOrderBook(SYMBOL).catch(() => undefined);
    if (book !== undefined) return book.bids[0]?.[0] === 30_000;
  }
}

describe("ccxt on the dialect: the book's stream under a fault", () => {
  it.each([
    ["upgrade-refused", {}, "NetworkError: Unexpected server response: 503"],
    ["upgrade-lost", {}, "failed due to a connection timeout"],
  ])("%s: it does not open, and opens after the fault", async (kind, keys, failure) => {
    const world = await worlds.open();
    world.movesBook();
    world.add({ kind, ...keys });
    expect(await failureOf(world)).toContain(failure);
    expect(await followsAgain(world)).toBe(true);
  });

  it("upgrade-delayed: it opens late", async () => {
    const world = await worlds.open();
    world.movesBook();
    world.add({ kind: "upgrade-delayed", delayMs: { min: 50, max: 50 } });
    expect((await world.client.watchOrderBook(SYMBOL)).bids[0]?.[0]).toBe(30_000);
    expect(world.injector.schedule.list()).toMatchObject([{ seen: 1, struck: 1 }]);
  });

  it.each([
    ["stream-dropped", {}, "closing code 1006"],
    ["stream-closed", { code: 1012 }, "closing code 1012"],
  ])("%s: it ends, and can be opened again", async (kind, keys, failure) => {
    const world = await followed();
    world.add({ kind, streams: [DEPTH, "btcusdc@depth"], ...keys });
    expect(await failureOf(world)).toContain(failure);
    expect(await followsAgain(world)).toBe(true);
  });

  it("stream-stalled: nothing more arrives, and nothing says so, while the book moves", async () => {
    const world = await followed();
    world.add({ kind: "stream-stalled" });
    await until(() => world.injector.schedule.list()[0]?.struck === 1);
    const { nonce } = await world.client.fetchOrderBook(SYMBOL);
    let next: unknown = "nothing";
    void world.client.watchOrderBook(SYMBOL).then(
      (book) => {
        next = book.nonce;
      },
      (error: Error) => {
        next = error.name;
      },
    );
    const sequence = () => world.exchange.book("btcusdc").sequence;
    await until(() => sequence() > Number(nonce) + 10);
    expect(next).toBe("nothing");
    expect(await followsAgain(world)).toBe(true);
  });

  it.each(["frame-lost", "frames-swapped"])(
    "%s: the gap between u and pu is found",
    async (kind) => {
      const world = await followed();
      world.add({ kind, probability: 0.5, streams: [DEPTH, "btcusdc@depth"] });
      expect(await failureOf(world)).toContain("ChecksumError");
      expect(await followsAgain(world)).toBe(true);
    },
  );

  it("frame-repeated: the second copy changes nothing", async () => {
    const world = await followed();
    world.add({ kind: "frame-repeated" });
    const nonces: number[] = [];
    while (nonces.length < 4)
      nonces.push(Number((await world.client.watchOrderBook(SYMBOL)).nonce));
    expect(nonces).toEqual([...nonces].sort((a, b) => a - b));
    expect(world.injector.schedule.list()[0]?.struck).toBeGreaterThan(2);
  });

  it("frame-garbled: ccxt throws what is no error of an exchange", async () => {
    const world = await followed();
    world.add({ kind: "frame-garbled" });
    expect(await failureOf(world)).toMatch(/^TypeError|^SyntaxError|^ChecksumError/);
    expect(await followsAgain(world)).toBe(true);
  });
});

/** A world whose trader's user stream is open, with everything that ccxt reads from it. */
async function withUserStream() {
  const world = await worlds.open();
  const { client } = world;
  const seen: { readonly orders: Order[]; readonly trades: string[] } = { orders: [], trades: [] };
  const follow = async <Item>(read: () => Promise<readonly Item[]>, take: (item: Item) => void) => {
    try {
      for (;;) for (const item of await read()) take(item);
    } catch {
      // The client is closed at the end.
    }
  };
  void follow(
    () => client.watchOrders(SYMBOL),
    (order) => seen.orders.push({ ...order }),
  );
  void follow(
    () => client.watchMyTrades(SYMBOL),
    ({ id }) => seen.trades.push(String(id)),
  );
  // The stream is open once it reports an order.
  while (seen.orders.length === 0) {
    const probe = await client.createOrder(SYMBOL, "limit", "buy", 0.01, 28_000);
    await client.cancelOrder(String(probe.id), SYMBOL);
    await sleep(20);
  }
  await sleep(50);
  return { ...world, seen };
}

describe("ccxt on the dialect: the user stream under a fault", () => {
  it("frames-swapped: an order that was cancelled is seen as open for ever", async () => {
    const { client, add, seen, exchange } = await withUserStream();
    add({ kind: "frames-swapped", streams: ["account"], accounts: [TRADER] });
    const { id } = await client.createOrder(SYMBOL, "limit", "buy", 0.01, 29_000);
    await client.cancelOrder(String(id), SYMBOL);
    const statuses = () => seen.orders.filter((order) => order.id === id).map((one) => one.status);
    // ccxt may give both changes at once, as the state after them.
    await until(() => statuses().includes("open"));
    expect(statuses().at(-1)).toBe("open");
    expect(exchange.openOrders(TRADER)).toEqual([]);
  });

  it("frame-lost: a fill is never reported, and REST has it", async () => {
    const { client, add, seen, injector } = await withUserStream();
    add({ kind: "frame-lost", streams: ["account"] });
    const { id } = await client.createOrder(SYMBOL, "market", "buy", 0.02);
    expect(injector.schedule.list()[0]?.struck).toBeGreaterThan(1);
    injector.schedule.endAll();
    const last = await client.createOrder(SYMBOL, "limit", "buy", 0.01, 29_000);
    await until(() => seen.orders.some((order) => order.id === last.id));
    expect(seen.trades).toEqual([]);
    expect(seen.orders.filter((order) => order.id === id)).toEqual([]);
    expect(await client.fetchMyTrades(SYMBOL)).toMatchObject([{ order: id, amount: 0.02 }]);
  });

  it("frame-repeated: a fill is reported twice under one id, and the exchange has one", async () => {
    const { client, add, seen, injector } = await withUserStream();
    add({ kind: "frame-repeated", streams: ["account"] });
    await client.createOrder(SYMBOL, "market", "buy", 0.02);
    await until(() => seen.trades.length > 0);
    expect(injector.schedule.list()[0]?.struck).toBeGreaterThan(1);
    const trades = await client.fetchMyTrades(SYMBOL);
    expect(trades).toHaveLength(1);
    expect([...new Set(seen.trades)]).toEqual([trades[0]?.id]);
  });

  it("is spared by a fault for another account, or for a public stream", async () => {
    const { client, add, seen, injector } = await withUserStream();
    add({ kind: "frame-lost", streams: ["account"], accounts: [OTHER] });
    add({ kind: "frame-lost", streams: [DEPTH] });
    await client.createOrder(SYMBOL, "market", "buy", 0.02);
    await until(() => seen.trades.length === 1);
    expect(injector.schedule.list()).toMatchObject([{ seen: 0 }, { seen: 0 }]);
  });
});
