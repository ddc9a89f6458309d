import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { usdmWorld } from "./usdm-world.js";

const symbol = "BTCUSDC";

describe("the depth stream", () => {
  it("gives the engine's book again to whoever follows it from a REST snapshot", async () => {
    const step = fc.record({
      side: fc.constantFrom("BUY", "SELL"),
      steps: fc.integer({ min: -4, max: 4 }),
      lots: fc.integer({ min: 1, max: 300 }),
      cancels: fc.boolean(),
      waitMs: fc.constantFrom(0, 60, 150),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 25 }),
        fc.nat(),
        async (steps, at) => {
          const { alice, bob, clock, exchange } = usdmWorld();
          const stream = alice.stream("/public/ws/btcusdc@depth@100ms");
          const snapshotAt = at % steps.length;
          // biome-ignore lint/suspicious/noExplicitAny: whatever the wire carries, as a foreign client would have it.
          let snapshot: any;
          for (const [place, { side, steps: away, lots, cancels, waitMs }] of steps.entries()) {
            const client = lots % 2 === 0 ? alice : bob;
            const price = String(30_000 + away);
            client.place(side as "BUY" | "SELL", (lots / 1000).toFixed(3), price);
            if (cancels) client.signed("DELETE", "/v1/allOpenOrders", { symbol });
            if (place === snapshotAt) snapshot = alice.send("GET", "/v1/depth", { symbol }).json;
            await clock.runFor(waitMs);
          }
          await clock.runFor(200);

          const book = {
            b: new Map<string, string>(snapshot.bids),
            a: new Map<string, string>(snapshot.asks),
          };
          let last: number | undefined;
          for (const event of stream.take()) {
            if (event.u < snapshot.lastUpdateId) continue;
            if (last === undefined) expect(event.U).toBeLessThanOrEqual(snapshot.lastUpdateId);
            else expect(event.pu).toBe(last);
            last = event.u;
            for (const side of ["b", "a"] as const) {
              for (const [price, quantity] of event[side]) {
                if (Number(quantity) === 0) book[side].delete(price);
                else book[side].set(price, quantity);
              }
            }
          }
          const { bids, asks } = exchange.book("btcusdc");
          const shown = (levels: readonly (readonly [number, number])[]) =>
            levels.map(([ticks, lots]) => `${ticks / 10} ${lots / 1000}`).sort();
          const own = (levels: ReadonlyMap<string, string>) =>
            [...levels].map(([price, quantity]) => `${Number(price)} ${Number(quantity)}`).sort();
          expect([own(book.b), own(book.a)]).toEqual([shown(bids), shown(asks)]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("sends only the nearest levels where that is asked for, and the touch when it changes", async () => {
    const { alice, bob, clock } = usdmWorld();
    const depth = alice.stream("/stream?streams=btcusdc@depth5@100ms/btcusdc@bookTicker");
    for (let step = 0; step < 8; step += 1) bob.place("BUY", "0.1", String(30_000 + step));
    bob.place("BUY", "0.1", "29000");
    await clock.runFor(150);
    const messages = depth.take();

    const touches = messages.filter(({ stream }) => stream === "btcusdc@bookTicker");
    expect(touches).toHaveLength(8);
    expect(touches.at(-1).data).toMatchObject({
      e: "bookTicker",
      b: "30007.0",
      B: "0.100",
      a: "0",
    });
    const [levels] = messages.filter(({ stream }) => stream === "btcusdc@depth5@100ms");
    expect(levels.data.b.map(([price]: string[]) => price)).toEqual([
      "30007.0",
      "30006.0",
      "30005.0",
      "30004.0",
      "30003.0",
    ]);
  });

  it("answers requests to change streams, and ignores names that are none", async () => {
    const { alice, bob, clock } = usdmWorld();
    const stream = alice.stream("/market/ws/0");
    stream.request("SUBSCRIBE", ["btcusdc@aggTrade", "dogeusdt@aggTrade"], 7);
    stream.request("LIST_SUBSCRIPTIONS", [], 8);
    stream.request("JUMP", [], 9);
    bob.place("BUY", "0.1", "30000");
    alice.place("SELL", "0.1", "30000");
    stream.request("UNSUBSCRIBE", ["btcusdc@aggTrade"], 10);
    bob.place("BUY", "0.1", "30000");
    alice.place("SELL", "0.1", "30000");
    stream.request("SUBSCRIBE", ["btcusdc@markPrice@1s", "btcusdc@kline_1m"], 11);
    await clock.runFor(1100);
    const [subscribed, list, error, trade, unsubscribed, ...later] = stream.take();

    expect(subscribed).toEqual({ result: null, id: 7 });
    expect(list).toEqual({ result: ["btcusdc@aggTrade"], id: 8 });
    expect(error).toMatchObject({ error: { code: 2 } });
    expect(trade).toMatchObject({ e: "aggTrade", s: symbol, p: "30000.0", q: "0.100", m: true });
    expect(unsubscribed).toEqual({ result: null, id: 10 });
    expect(later).toMatchObject([{ id: 11 }, { e: "markPriceUpdate", s: symbol, p: "30000" }]);
  });
});
