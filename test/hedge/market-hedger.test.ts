import { describe, expect, it } from "vitest";
import { HedgerRig } from "./hedger-rig.js";
import { TIMEOUT_MS, WINDOW_MS } from "./model-venue.js";

/** A hedger that is ready, at a venue without a position. */
async function readyRig(...settings: ConstructorParameters<typeof HedgerRig>): Promise<HedgerRig> {
  const rig = new HedgerRig(...settings);
  await rig.isReady();
  return rig;
}

const MAKER = { style: "maker-then-taker" } as const;

describe("a hedge without faults", () => {
  it("takes what the market's position needs, at once, and closes it again", async () => {
    const rig = await readyRig();
    rig.wants(-10);
    await rig.passes(100);
    rig.expectHedged();
    rig.wants(0);
    await rig.passes(3_000);
    rig.expectHedged();
    expect(rig.placed()).toEqual(["SELL 10 IOC", "BUY 10 IOC"]);
    expect(rig.hedger.state).toBe("hedged");
  });

  it("takes the rest of an order that filled in part, without haste where nobody sells", async () => {
    const rig = await readyRig();
    rig.venue.depthLots = 4;
    rig.wants(10);
    await rig.passes(2_000);
    rig.expectHedged();
    expect(rig.placed()).toEqual(["BUY 10 IOC", "BUY 6 IOC", "BUY 2 IOC"]);
    rig.venue.depthLots = 0;
    rig.wants(20);
    await rig.passes(20_000);
    expect(rig.placed().length, "ever longer pauses").toBeLessThan(15);
    rig.venue.depthLots = 100;
    await rig.passes(6_000);
    rig.expectHedged();
  });

  it("rests first, follows the touch, and takes what has rested for too long", async () => {
    const rig = await readyRig(MAKER);
    rig.wants(10);
    await rig.passes(1_000);
    expect(rig.placed()).toEqual(["BUY 10 POST_ONLY"]);
    rig.venue.resting(3);
    await rig.passes(500);
    expect(rig.hedger.positionLots).toBe(3);
    rig.venue.quotes(600_004, 600_010);
    await rig.passes(1_000);
    expect(rig.placed()).toEqual(["BUY 10 POST_ONLY", "BUY 7 POST_ONLY"]);
    await rig.passes(4_000);
    rig.expectHedged();
    expect(rig.placed().at(-1)).toBe("BUY 7 IOC");
  });

  it("does not send an order again and again that the venue ends at once, as one that would take", async () => {
    const rig = await readyRig({ ...MAKER, maxUnhedgedMs: 60_000 });
    // The touch that the hedger has is old: each of its orders would take.
    rig.venue.askTicks = 599_990;
    rig.wants(10);
    await rig.passes(10_000);
    expect(rig.placed().length).toBeLessThan(12);
  });

  it("leaves no order while the bot stops, and takes what is left", async () => {
    const rig = await readyRig(MAKER);
    rig.wants(10);
    await rig.passes(500);
    rig.mayRest = false;
    await rig.passes(2_000);
    rig.expectHedged();
  });
});

describe("a place", () => {
  it("whose answer is lost, and that filled, is not sent again", async () => {
    const rig = await readyRig();
    rig.venue.next("place", { lost: "answer" });
    rig.venue.streamFate = () => ({ isLost: true });
    rig.wants(-10);
    await rig.passes(1_000);
    expect(rig.hedger.mayFill("SELL"), "it counts at full size").toBe(10);
    await rig.passes(9_000);
    rig.expectHedged();
    expect(rig.placed()).toHaveLength(1);
  });

  it("that never arrives is sent again only after the venue's last chance to accept it", async () => {
    const rig = await readyRig();
    rig.venue.next("place", { lost: "request" });
    const sentAtMs = rig.clock.monotonicMs();
    let secondAtMs = 0;
    rig.atPoint = () => {
      if (secondAtMs === 0 && rig.placed().length > 1) secondAtMs = rig.clock.monotonicMs();
    };
    rig.wants(-10);
    await rig.passes(10_000);
    rig.expectHedged();
    expect(rig.placed()).toHaveLength(2);
    expect(secondAtMs - sentAtMs).toBeGreaterThan(WINDOW_MS);
    expect(rig.noticesOf("order").map(({ order }) => order.phase)).toEqual([
      "unknown",
      "lost",
      "open",
      "ended",
    ]);
  });

  it("that is refused is not in the position, and is tried again ever later", async () => {
    const rig = await readyRig();
    rig.venue.requestFate = ({ kind }) =>
      kind === "place"
        ? { refusal: { result: "rejected", code: "-2019", message: "margin is insufficient" } }
        : {};
    rig.wants(-10);
    await rig.passes(20_000);
    expect(rig.hedger.mayFill("SELL")).toBe(0);
    expect(rig.placed().length).toBeGreaterThan(4);
    expect(rig.placed().length).toBeLessThan(15);
    rig.venue.requestFate = () => ({});
    await rig.passes(6_000);
    rig.expectHedged();
  });

  it("that a proxy doubles, and whose second copy is refused, fills once", async () => {
    const rig = await readyRig();
    rig.venue.next("place", { isTwice: true });
    rig.wants(-10);
    await rig.passes(3_000);
    rig.expectHedged();
    expect(rig.placed()).toHaveLength(1);
  });

  it.each([WINDOW_MS - 100, TIMEOUT_MS])(
    "that arrives %d ms late is found and not doubled",
    async (thereMs) => {
      const rig = await readyRig();
      rig.venue.streamFate = () => ({ isLost: true });
      rig.venue.next("place", { thereMs, backMs: 1_000 });
      rig.wants(-10);
      await rig.passes(10_000);
      rig.expectHedged();
      expect(rig.placed()).toHaveLength(1);
    },
  );

  it("that the venue no longer knows once it has ended is found by its fills", async () => {
    const rig = await readyRig();
    rig.venue.forgetsEnded = true;
    rig.venue.streamFate = () => ({ isLost: true });
    rig.venue.next("place", { lost: "answer" });
    rig.wants(-10);
    await rig.passes(10_000);
    rig.expectHedged();
    expect(rig.placed()).toHaveLength(1);
  });

  it("whose fills come before its answer counts each once", async () => {
    const rig = await readyRig();
    rig.venue.next("place", { backMs: 900 });
    rig.wants(-10);
    await rig.passes(500);
    expect(rig.hedger.positionLots).toBe(-10);
    await rig.passes(3_000);
    rig.expectHedged();
  });

  it("whose fills only a question brings counts each once", async () => {
    const rig = await readyRig();
    rig.venue.streamFate = ({ type }) => ({ isLost: type === "fill" });
    rig.wants(-10);
    await rig.passes(50);
    expect(rig.hedger.positionLots, "by the report of the order").toBe(-10);
    await rig.passes(5_000);
    rig.expectHedged();
    expect(rig.hedger.profit?.trading, "half the spread on ten lots").toBe(-500_000n);
  });

  it("that is answered with another size does not stop the hedge in silence", async () => {
    const rig = await readyRig();
    const { key: _key, ...other } = {
      key: "",
      symbol: rig.hedger.contract.symbol,
      side: "SELL" as const,
      lots: 11,
      filledLots: 0,
      isOpen: true,
      status: "open",
    };
    rig.venue.streamFate = () => ({ isLost: true });
    const { submit } = rig.venue;
    rig.venue.submit = (action) => {
      if (action.kind === "place") {
        const order = { ...other, key: action.key };
        rig.venue.next("place", { refusal: { result: "order", order } });
      }
      submit.call(rig.venue, action);
    };
    rig.wants(-10);
    await rig.passes(500);
    rig.venue.submit = submit;
    await rig.passes(10_000);
    expect(rig.noticesOf("warning").length).toBeGreaterThan(0);
    rig.expectHedged();
  });
});

describe("a cancel", () => {
  it("that is lost is sent again after the order was found open", async () => {
    const rig = await readyRig(MAKER);
    rig.wants(10);
    await rig.passes(500);
    rig.venue.next("cancel", { lost: "request" });
    rig.wants(0);
    await rig.passes(10_000);
    rig.expectHedged();
    expect(rig.venue.sentOf("cancel")).toHaveLength(2);
  });

  it("that finds nothing because the order filled leaves the fill in the position", async () => {
    const rig = await readyRig(MAKER);
    rig.wants(10);
    await rig.passes(500);
    rig.venue.streamFate = () => ({ isLost: true });
    rig.venue.resting(10);
    rig.wants(0);
    await rig.passes(10_000);
    expect(rig.hedger.positionLots).toBe(rig.venue.positionLots);
    expect(rig.venue.positionLots, "and it is closed").toBe(0);
    expect(rig.placed()).toEqual(["BUY 10 POST_ONLY", "SELL 10 POST_ONLY", "SELL 10 IOC"]);
  });

  it("whose answer is lost does not free the order before its end is known", async () => {
    const rig = await readyRig(MAKER);
    rig.wants(10);
    await rig.passes(500);
    rig.venue.streamFate = () => ({ isLost: true });
    rig.venue.next("cancel", { lost: "answer" });
    rig.wants(5);
    await rig.passes(300);
    expect(rig.hedger.mayFill("BUY")).toBe(10);
    await rig.passes(20_000);
    rig.expectHedged();
  });

  it("is asked about only as often as a venue allows that refuses the question", async () => {
    const rig = await readyRig(MAKER);
    rig.wants(10);
    await rig.passes(500);
    rig.venue.streamFate = () => ({ isLost: true });
    rig.venue.next("cancel", { lost: "answer" });
    rig.venue.requestFate = ({ kind }) =>
      kind === "order"
        ? { refusal: { result: "not-sent", message: "banned", retryAfterMs: 30_000 } }
        : {};
    rig.wants(0);
    await rig.passes(20_000);
    expect(rig.venue.sentOf("order")).toHaveLength(1);
  });
});

describe("a stream", () => {
  it("that is lost and back hedges what happened meanwhile, once", async () => {
    const rig = await readyRig();
    rig.wants(-10);
    rig.venue.streamIsLost();
    rig.wants(-25);
    await rig.passes(5_000);
    expect(rig.hedger.awayReason).toBe("its streams are down: the line was cut");
    rig.venue.streamIsUp();
    await rig.passes(5_000);
    rig.expectHedged();
    expect(rig.noticesOf("away").map(({ isAway }) => isAway)).toEqual([false, true, false]);
  });

  it("that is lost leaves no order resting at a price that nobody looks after", async () => {
    const rig = await readyRig({ ...MAKER, maxUnhedgedMs: 60_000 });
    rig.wants(10);
    await rig.passes(500);
    rig.venue.streamIsLost();
    await rig.passes(3_000);
    expect([...rig.venue.orders.values()].filter(({ isOpen }) => isOpen)).toEqual([]);
  });

  it("that lost a fill an hour ago does not lose its money, though newer fills are known", async () => {
    const rig = await readyRig({ ...MAKER, maxUnhedgedMs: 600_000 });
    rig.venue.requestFate = ({ kind }) => (kind === "cancel" ? { lost: "request" } : {});
    rig.wants(10);
    await rig.passes(500);
    rig.venue.streamIsLost();
    rig.venue.resting(4);
    await rig.passes(3_600_000);
    rig.venue.streamIsUp();
    await rig.passes(5);
    rig.venue.resting(6);
    await rig.passes(10_000);
    rig.expectHedged();
    expect(rig.hedger.profit?.trading, "half the spread on ten lots").toBe(500_000n);
    expect(JSON.parse(rig.stored ?? "").orders, "every fill was read").toEqual([]);
  });

  it("that repeats and delays its messages changes nothing twice", async () => {
    const rig = await readyRig();
    let count = 0;
    rig.venue.streamFate = () => ({ isTwice: true, delayMs: (count++ * 7919) % 1_500 });
    for (const target of [-10, 5, -3, 0]) {
      rig.wants(target);
      await rig.passes(1_000);
    }
    await rig.passes(10_000);
    rig.expectHedged();
  });

  it("that brings what cannot be read is followed by questions", async () => {
    const rig = await readyRig();
    await rig.passes(3_000);
    const before = rig.venue.sentOf("account").length;
    rig.venue.events$.next({ type: "malformed", where: "stream", reason: "not JSON" });
    await rig.passes(1_000);
    expect(rig.venue.sentOf("account").length).toBe(before + 1);
  });
});

describe("a position that no order of the bot explains", () => {
  it("is adopted at the start without a trade, and has no profit", async () => {
    const rig = new HedgerRig();
    rig.venue.otherTrades("SELL", 7);
    await rig.passes(60_000);
    rig.wants(-7);
    await rig.isReady();
    await rig.passes(3_000);
    expect(rig.placed()).toEqual([]);
    expect(rig.hedger.positionLots).toBe(-7);
    expect(rig.hedger.profit?.total).toBe(0n);
  });

  it("and the orders there are found again if the state directory was lost", async () => {
    const rig = await readyRig({ ...MAKER, maxUnhedgedMs: 600_000 });
    rig.wants(10);
    await rig.passes(500);
    rig.isKilled();
    rig.stored = undefined;
    rig.venue.resting(4);
    rig.starts();
    await rig.passes(2);
    rig.venue.resting(1);
    await rig.passes(20_000);
    rig.venue.resting(10);
    await rig.passes(20_000);
    rig.expectHedged();
    expect(rig.noticesOf("position-adopted").map(({ toLots }) => toLots)).toEqual([5]);
    expect(JSON.parse(rig.stored ?? "").orders, "every fill was read").toEqual([]);
  });

  it("is counted by its fill if another client traded, and is hedged away", async () => {
    const rig = await readyRig();
    rig.venue.otherTrades("BUY", 7);
    await rig.passes(3_000);
    expect(rig.placed()).toEqual(["SELL 7 IOC"]);
    expect(rig.venue.positionLots).toBe(0);
    expect(rig.noticesOf("position-adopted")).toEqual([]);
  });

  it.each(["taker", "maker-then-taker"] as const)(
    "is adopted after three rounds with a notice if no fill shows it (%s)",
    async (style) => {
      const rig = await readyRig({ style, maxUnhedgedMs: 600_000 });
      // With an order that rests, where the style has one.
      rig.wants(3);
      await rig.passes(1_000);
      rig.venue.otherTrades("BUY", 7, false);
      await rig.passes(30_000);
      expect(rig.noticesOf("position-adopted")).toHaveLength(1);
      rig.wants(rig.venue.positionLots);
      await rig.passes(15_000);
      expect(rig.hedger.awayReason).toBeUndefined();
      expect(rig.hedger.positionLots).toBe(rig.venue.positionLots);
      expect(rig.hedger.ordersLeft).toEqual([]);
    },
  );

  it("is closed once if a settlement fails there and the market has lost its fill too", async () => {
    const rig = await readyRig();
    rig.wants(-10);
    await rig.passes(1_000);
    rig.wants(0);
    await rig.passes(1_000);
    rig.expectHedged();
    expect(rig.placed()).toEqual(["SELL 10 IOC", "BUY 10 IOC"]);
  });

  it("is hedged again once if the venue takes a fill back", async () => {
    const rig = await readyRig();
    rig.wants(-10);
    await rig.passes(1_000);
    const [fill] = rig.venue.fills;
    if (fill === undefined) throw new Error("nothing filled");
    rig.venue.streamFate = () => ({ isTwice: true });
    rig.venue.takesBack(fill);
    await rig.passes(5_000);
    expect(rig.placed()).toEqual(["SELL 10 IOC", `SELL ${fill.lots} IOC`]);
    expect(rig.venue.positionLots).toBe(-10);
    expect(rig.hedger.positionLots).toBe(-10);
    expect(rig.noticesOf("position-adopted")).toEqual([]);
  });
});
