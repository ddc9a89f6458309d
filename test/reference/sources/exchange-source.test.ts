import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { createExchangeSource } from "#reference/exchange-source.js";
import type { PriceMessage } from "#reference/price-message.js";
import { type FaultKind, FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import { EXCHANGE, START_MS } from "../../bot/recorded-run.js";

let clock: VirtualClock;
let exchange: EmbeddedExchange;
let network: FaultyNetwork;
let messages: PriceMessage[];
let close: () => void;

function open(fault?: FaultKind): void {
  const windows =
    fault === undefined
      ? []
      : [{ kind: fault, fromMs: START_MS + 2000, untilMs: START_MS + 4000, probability: 0.3 }];
  network = new FaultyNetwork(
    exchange,
    clock,
    new FaultSource(windows, seededRandom("faults")),
    "10.0.0.1",
  );
  const source = createExchangeSource(
    { exchange: { rest: "http://other.test/v1", stream: "ws://other.test/v1" }, market: "btcusdc" },
    { runtime: { clock, random: seededRandom("source") }, transport: network },
  );
  const subscription = source.subscribe((message) => messages.push(message));
  close = () => subscription.unsubscribe();
}

beforeEach(() => {
  clock = new VirtualClock(START_MS);
  exchange = configuredExchange(parseExchangeConfig(EXCHANGE), {
    clock,
    random: seededRandom("exchange"),
  });
  exchange.start();
  messages = [];
});

afterEach(() => {
  close();
  exchange.stop();
});

describe("a source from another exchange with this one's interface", () => {
  it("sends the best prices of the book", async () => {
    open();
    await clock.runFor(5000);
    const prices = messages.flatMap((one) => (one.type === "price" ? [one] : []));
    expect(prices.length).toBeGreaterThan(5);
    for (const { bid, ask } of prices) {
      expect(bid).toBeGreaterThan(50_000);
      expect(ask).toBeGreaterThan(bid);
      expect(ask - bid).toBeLessThan(600);
    }
  });

  it("is down when the connection is lost, and sends a new book's prices after it reconnects", async () => {
    open();
    await clock.runFor(3000);
    network.dropStreams("the network is down");
    await clock.runFor(50);
    expect(messages.at(-1)).toMatchObject({
      type: "down",
      reason: expect.stringContaining("the network is down"),
    });
    await clock.runFor(3000);
    expect(messages.at(-1)?.type).toBe("price");
  });

  it("is down while an update of the book is missing, until the next snapshot", async () => {
    open("frame-lost");
    await clock.runFor(10_000);
    const down = messages.filter(({ type }) => type === "down");
    expect(down.length).toBeGreaterThan(0);
    expect(down[0]).toMatchObject({
      reason: expect.stringContaining("update of the book is missing"),
    });
    expect(messages.at(-1)?.type).toBe("price");
  });

  it("sends nothing after it was unsubscribed", async () => {
    open();
    await clock.runFor(2000);
    close();
    const { length } = messages;
    await clock.runFor(5000);
    expect(messages).toHaveLength(length);
  });
});
