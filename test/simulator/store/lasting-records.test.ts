import { describe, expect, it } from "vitest";
import { RunError } from "#core/errors.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { plainReader } from "#simulation/plain-reader.js";
import type { RecordChange } from "#simulator/record-store.js";
import { START_MS } from "../reference-client.js";
import { MemoryRecords } from "./memory-records.js";
import { type Input, MARKETS, made, started } from "./restarted-exchange.js";

describe("a bounded store", () => {
  it("holds no more of any list than its retention, however long the exchange trades", async () => {
    const clock = new VirtualClock(START_MS);
    const records = new MemoryRecords();
    const retention = {
      publicTrades: 500,
      historyOrders: 500,
      userTrades: 500,
      incomes: 500,
      orderHashes: 500,
      candles: 500,
    };
    const input: Input = {
      retention,
      settlement: { delayMs: 0 },
      rateLimits: { common: 0, order: 0 },
      markets: MARKETS,
    };
    const { exchange, alice, bob } = started(records, clock, input);
    for (let round = 0; round < 520; round += 1) {
      expect(alice.place("SELL", "30000", "0.01").status).toBe(200);
      expect(bob.place("BUY", "30000", "0.01").status).toBe(200);
      clock.stepWall(59_000);
      await clock.runFor(1000);
    }
    const kinds = new Map<string, number>();
    for (const key of records.texts.keys()) {
      const list = key.slice(0, key.lastIndexOf("/"));
      kinds.set(list, (kinds.get(list) ?? 0) + 1);
    }
    expect(
      [...kinds].filter(([list]) => !list.startsWith("minute/")).every(([, count]) => count <= 500),
    ).toBe(true);
    for (const full of ["hash", "trade/btcusdc", "history/00000000000000000001/btcusdc"]) {
      expect(kinds.get(full), full).toBe(500);
    }
    expect(kinds.get("bar/btcusdc/trades/1M"), "and the one under way").toBe(499);
    const back = made(records.copy(), clock, input);
    expect(back.audit()).toEqual(exchange.audit());
    expect(back.account(bob.address)?.incomes.length).toBe(500);
  });
});

describe("only committed events are published", () => {
  it("has an event in its records before a stream sends it", () => {
    const clock = new VirtualClock(START_MS);
    const records = new MemoryRecords();
    const { exchange, alice, bob } = started(records, clock, { streams: { bookIntervalMs: 0 } });
    const told: string[] = [];
    const follow = (path: string) =>
      exchange.connect(
        path,
        plainReader({
          send: (text) => {
            const message = JSON.parse(text) as Record<
              string,
              { id?: number; availableAmount?: string } & number
            >;
            told.push(String(message.event));
            const known = made(records.copy(), clock);
            if (message.order !== undefined) {
              expect(
                known
                  .openOrders(alice.address)
                  .some(({ terms }) => terms.id === String(message.order?.id)),
              ).toBe(true);
            }
            if (message.trade !== undefined) {
              expect(
                known
                  .account(alice.address)
                  ?.inMarket("btcusdc")
                  .trades.find(String(message.trade.id)),
              ).toBeDefined();
            }
            if (message.endSequence !== undefined) {
              expect(known.book("btcusdc").sequence).toBe(message.endSequence);
            }
          },
        }),
      );
    const { timestamp, signature } = alice.signed();
    follow(`/v1/single/account@${alice.address}?timestamp=${timestamp}&signature=${signature}`);
    follow("/v1/single/btcusdc@orderbook");
    alice.place("SELL", "30000", "0.5");
    bob.place("BUY", "30000", "0.2");
    expect(told).toEqual(
      expect.arrayContaining(["ORDER_UPDATE", "TRADE_UPDATE", "ACCOUNT_UPDATE", "update"]),
    );
  });

  it("stops, and neither responds nor publishes, when the store fails", () => {
    class FullRecords extends MemoryRecords {
      isFull = false;
      override commit(change: RecordChange): void {
        if (this.isFull) {
          throw new RunError("the exchange's state cannot be written", {
            expected: "MDB_MAP_FULL",
          });
        }
        super.commit(change);
      }
    }
    const records = new FullRecords();
    const clock = new VirtualClock(START_MS);
    const { exchange, alice, bob } = started(records, clock);
    const told: string[] = [];
    const { timestamp, signature } = alice.signed();
    exchange.connect(
      `/v1/single/account@${alice.address}?timestamp=${timestamp}&signature=${signature}`,
      plainReader({
        send: (text) => told.push(text),
        close: (code) => told.push(`closed ${code}`),
      }),
    );
    records.isFull = true;
    expect(() => alice.place("SELL", "30000", "0.5")).toThrow(RunError);
    expect(told).toEqual(["closed 1001"]);
    expect(exchange.isRunning).toBe(false);
    expect(bob.place("SELL", "30000", "0.5").status).toBe(503);
    expect(() => exchange.start()).toThrow(/a restart of the process/);
    expect(made(records.copy(), clock).openOrders(alice.address)).toEqual([]);
  });
});
