import { describe, expect, it, type TestContext } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { Hex } from "#core/units.js";
import { createHedgeOrderKey } from "#hedge/hedge-order-key.js";
import { MarketHedger } from "#hedge/market-hedger.js";
import { storedHedgeSchema } from "#hedge/stored-hedge.js";
import { until } from "../exchange/local-server.js";
import { readFault } from "../simulator/faults/served-faults.js";
import { dialectWorld, openVenue, SYMBOL, TAG } from "./dialect-world.js";

const ACCOUNT: Hex = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const runtime = createLiveRuntime();
const SETTLE_EVERY_MS = 20;
/** Far beyond what an answer takes on a busy machine, so that only the faults are too late. */
const REQUEST_TIMEOUT_MS = 1_200;
/** Longer than any request of a fault here may be under way. */
const QUIET_MS = 2_800;

/** A hedger on the real ccxt, at an exchange that speaks the dialect under faults. */
async function hedgedWorld({ onTestFinished }: Pick<TestContext, "onTestFinished">) {
  const world = await dialectWorld({}, {}, ACCOUNT);
  onTestFinished(() => world.stop());
  let persisted: string | undefined;
  let actionId = 0;
  /** The largest position that the exchange has had, in lots. */
  let highest = 0;
  const target = { lots: 0 };
  const positionLots = () => world.exchange.positionLots(ACCOUNT, "btcusdc");
  const connect = async () => {
    const { host } = world.proxy;
    const { venue } = await openVenue(host, {
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      acceptanceWindowMs: 2_000,
    });
    const contract = venue.contracts.get(SYMBOL);
    if (contract === undefined) throw new Error("the contract was not read");
    const hedger = new MarketHedger({
      venue: "dialect",
      contract,
      settings: {
        style: "taker",
        minClipLots: contract.minLots,
        maxUnhedgedLots: 10,
        maxUnhedgedMs: 1000,
        maxSlippageBps: 20,
      },
      reconcileMs: 1000,
      acceptanceWindowMs: venue.acceptanceWindowMs,
      clock: runtime.clock,
      tag: TAG,
      createKey: () => createHedgeOrderKey(TAG, runtime.random),
      nextActionId: () => ++actionId,
      submit: (action) => venue.submit(action),
      stored: persisted === undefined ? undefined : storedHedgeSchema.parse(JSON.parse(persisted)),
      persist: (text) => {
        persisted = text;
      },
      record: () => {},
      notify: () => {},
    });
    const settle = () => {
      highest = Math.max(highest, positionLots());
      hedger.settle({ targetLots: target.lots, mayRest: true });
    };
    const events = venue.events$.subscribe((event) => {
      hedger.onEvent(event);
      settle();
    });
    const timer = setInterval(settle, SETTLE_EVERY_MS);
    const kill = () => {
      clearInterval(timer);
      events.unsubscribe();
      venue.close();
    };
    onTestFinished(kill);
    venue.start();
    await until(() => hedger.awayReason === undefined);
    return { hedger, kill };
  };
  return {
    world,
    connect,
    target,
    positionLots,
    highestLots: () => highest,
    add: (fault: Readonly<Record<string, unknown>>) =>
      world.injector.schedule.add(readFault({ interface: "binance-usdm", forMs: 1_000, ...fault })),
    /** Waits until the position is the target, and stays so. */
    async isHedged() {
      await until(() => positionLots() === target.lots);
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      highest = Math.max(highest, positionLots());
    },
  };
}

const PLACE = { endpoints: ["POST /fapi/v1/order"] };

describe("a hedge through ccxt, when the answer to its order", () => {
  it.concurrent.for([
    ["is lost with the request, is not given up: the fill is hedged", { kind: "request-lost" }],
    ["is lost, is not made a second time: a fill is hedged once", { kind: "answer-lost" }],
    [
      "comes after the bot gave it up, is not made a second time",
      { kind: "answer-delayed", delayMs: { min: 1_600, max: 1_800 } },
    ],
    [
      "is late as its request is, is made once",
      { kind: "request-delayed", delayMs: { min: 1_400, max: 1_600 } },
    ],
    ["cannot be read, is not made a second time", { kind: "answer-garbled" }],
    ["is a refusal by the rate limit, is made later", { kind: "storm-429", retryAfterSeconds: 1 }],
    ["is a 5xx and the order was made, is not doubled", { kind: "storm-5xx", actedShare: 1 }],
    ["is a 5xx and no order was made, is made later", { kind: "storm-5xx", actedShare: 0 }],
    [
      "never comes, for the connection was lost after the order was made, is not doubled",
      { kind: "connection-lost", actedShare: 1 },
    ],
    [
      "never comes, for the connection was lost before it, is made later",
      { kind: "connection-lost", actedShare: 0 },
    ],
  ] as const)("%s", async ([, fault], context) => {
    const rig = await hedgedWorld(context);
    await rig.connect();
    rig.add({ ...PLACE, ...fault });
    rig.target.lots = 20;
    await rig.isHedged();
    expect(rig.positionLots()).toBe(20);
    expect(rig.highestLots()).toBe(20);
  });

  it.concurrent.for([
    ["the frames of its fills are lost", { kind: "frame-lost" }],
    ["the frames of its fills come twice", { kind: "frame-repeated" }],
    ["the frames of its fills change places", { kind: "frames-swapped" }],
    ["the streams end while it fills", { kind: "stream-dropped" }],
  ] as const)("is told by a stream, and %s: a fill is hedged once", async ([, fault], context) => {
    const rig = await hedgedWorld(context);
    const { hedger } = await rig.connect();
    rig.add(fault);
    rig.target.lots = 20;
    await rig.isHedged();
    await until(() => hedger.awayReason === undefined && hedger.positionLots === 20);
    rig.target.lots = 5;
    await rig.isHedged();
    expect(rig.positionLots()).toBe(5);
    expect(rig.highestLots()).toBe(20);
  });

  it.concurrent("is that of a second copy, which the exchange has made after the first one had ended, is undone", async (context) => {
    const rig = await hedgedWorld(context);
    await rig.connect();
    // The client id is unique among open orders only, and an order that took has ended.
    rig.add({ ...PLACE, kind: "request-duplicated", delayMs: { min: 1, max: 50 } });
    rig.target.lots = 20;
    await until(() => rig.highestLots() === 40);
    await rig.isHedged();
    expect(rig.positionLots()).toBe(20);
  });

  it.concurrent("is lost with the process, is asked for by the next one: a fill is hedged once", async (context) => {
    const rig = await hedgedWorld(context);
    const first = await rig.connect();
    rig.add({ ...PLACE, kind: "answer-lost" });
    rig.target.lots = 20;
    await until(() => first.hedger.ordersLeft.length > 0);
    first.kill();
    await rig.connect();
    await rig.isHedged();
    expect(rig.positionLots()).toBe(20);
    expect(rig.highestLots()).toBe(20);
  });
});
