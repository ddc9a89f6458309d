import { describe, expect, it } from "vitest";
import { isFinalPhase, type OrderEvent, type OrderPhase } from "#account/order.js";
import { advance, createAdoptedOrder } from "#account/order-machine.js";
import { venueOrder } from "./exchange-story.js";
import {
  AT,
  CANCEL_SENT,
  LOTS,
  PHASES,
  rejected,
  report,
  run,
  SENT,
  UNKNOWN,
} from "./order-events.js";

const EVENTS = {
  sent: SENT,
  withdrawn: { kind: "withdrawn", atMs: AT, text: "superseded" },
  accepted: report({}, "answer"),
  "rejected by code": rejected(2012),
  "a code that proves nothing": { kind: "unknown", atMs: AT, code: 2016, text: "" },
  "429": rejected(429),
  "no answer": UNKNOWN,
  matched: report({ pendingLots: 6, status: "PARTIAL_FILLED" }),
  "matched whole": report({ pendingLots: 10, status: "FILLED" }),
  settled: report({ filledLots: 6, status: "PARTIAL_FILLED" }),
  "settlement failed": report({ failedLots: 6, status: "PARTIAL_FILLED" }),
  "cancelled with fills": report({ filledLots: 6, canceledLots: 4, status: "CANCELED" }),
  expired: report({ filledLots: 6, expiredLots: 4, status: "EXPIRED" }),
  lost: { kind: "lost", atMs: AT },
  "cancel sent": CANCEL_SENT,
  "cancel accepted": { kind: "cancel-accepted", atMs: AT },
  "cancel rejected": { kind: "cancel-rejected", atMs: AT, actionId: 7 },
  "cancel unknown": { kind: "cancel-unknown", atMs: AT, actionId: 7 },
} as const satisfies Record<string, OrderEvent>;

type Cell = `${OrderPhase} ${number}`;

/**
 * The table of docs/ideas/orders.md: the phase and the lots that may still fill, for every phase
 * (row) and event (column).
 */
const TABLE: Record<keyof typeof EVENTS, Record<OrderPhase, Cell>> = {
  sent: row(["sent 10", "sent 10", "unknown 10", "open 10", "partly-filled 6", "cancelling 6"]),
  withdrawn: row([
    "rejected 0",
    "rejected 0",
    "rejected 0",
    "open 10",
    "partly-filled 6",
    "cancelling 6",
  ]),
  accepted: row(
    ["open 10", "open 10", "open 10", "open 10", "partly-filled 6", "cancelling 6"],
    "open 10",
  ),
  "rejected by code": row([
    "rejected 0",
    "rejected 0",
    "rejected 0",
    "open 10",
    "partly-filled 6",
    "cancelling 6",
  ]),
  "a code that proves nothing": row([
    "unknown 10",
    "unknown 10",
    "unknown 10",
    "open 10",
    "partly-filled 6",
    "cancelling 6",
  ]),
  "429": row([
    "rejected 0",
    "rejected 0",
    "rejected 0",
    "open 10",
    "partly-filled 6",
    "cancelling 6",
  ]),
  "no answer": row([
    "unknown 10",
    "unknown 10",
    "unknown 10",
    "open 10",
    "partly-filled 6",
    "cancelling 6",
  ]),
  matched: row(
    [
      "partly-filled 4",
      "partly-filled 4",
      "partly-filled 4",
      "partly-filled 4",
      "partly-filled 4",
      "cancelling 4",
    ],
    "partly-filled 4",
  ),
  "matched whole": row(
    ["filled 0", "filled 0", "filled 0", "filled 0", "filled 0", "filled 0"],
    "filled 0",
  ),
  settled: row(
    [
      "partly-filled 4",
      "partly-filled 4",
      "partly-filled 4",
      "partly-filled 4",
      "partly-filled 4",
      "cancelling 4",
    ],
    "partly-filled 4",
  ),
  "settlement failed": row(
    [
      "partly-filled 4",
      "partly-filled 4",
      "partly-filled 4",
      "partly-filled 4",
      "partly-filled 4",
      "cancelling 4",
    ],
    "partly-filled 4",
  ),
  "cancelled with fills": row(
    ["cancelled 0", "cancelled 0", "cancelled 0", "cancelled 0", "cancelled 0", "cancelled 0"],
    "cancelled 0",
  ),
  expired: row(
    ["expired 0", "expired 0", "expired 0", "expired 0", "expired 0", "expired 0"],
    "expired 0",
  ),
  lost: row(["intended 10", "lost 0", "lost 0", "lost 0", "lost 0", "lost 0"]),
  "cancel sent": row([
    "intended 10",
    "sent 10",
    "unknown 10",
    "cancelling 10",
    "cancelling 6",
    "cancelling 6",
  ]),
  "cancel accepted": row([
    "intended 10",
    "sent 10",
    "unknown 10",
    "cancelling 10",
    "cancelling 6",
    "cancelling 6",
  ]),
  "cancel rejected": row([
    "intended 10",
    "sent 10",
    "unknown 10",
    "open 10",
    "partly-filled 6",
    "partly-filled 6",
  ]),
  "cancel unknown": row([
    "intended 10",
    "sent 10",
    "unknown 10",
    "open 10",
    "partly-filled 6",
    "cancelling 6",
  ]),
};

function row(
  live: readonly [Cell, Cell, Cell, Cell, Cell, Cell],
  revived?: Cell,
): Record<OrderPhase, Cell> {
  const [first, second, third, fourth, fifth, sixth] = live;
  return {
    intended: first,
    sent: second,
    unknown: third,
    open: fourth,
    "partly-filled": fifth,
    cancelling: sixth,
    filled: "filled 0",
    cancelled: "cancelled 0",
    expired: "expired 0",
    failed: "failed 0",
    rejected: revived ?? "rejected 0",
    lost: revived ?? "lost 0",
  };
}

describe("every phase with every event", () => {
  for (const [name, event] of Object.entries(EVENTS)) {
    for (const [phase, order] of Object.entries(PHASES)) {
      const expected = TABLE[name as keyof typeof EVENTS][phase as OrderPhase];
      // A report that contradicts a final one: the fill wins, as the convergence property below
      // states.
      const contradicts =
        event.kind === "report" && ["filled", "cancelled", "expired", "failed"].includes(phase);
      it(`${phase}: ${name} -> ${contradicts ? "stays final" : expected}`, () => {
        expect(order.phase).toBe(phase);
        const { order: after } = advance(order, event);
        if (contradicts) expect([isFinalPhase(after.phase), after.mayFillLots]).toEqual([true, 0]);
        else expect(`${after.phase} ${after.mayFillLots}`).toBe(expected);
        const { availableLots, pendingLots, filledLots, failedLots, canceledLots, expiredLots } =
          after;
        expect(
          availableLots + pendingLots + filledLots + failedLots + canceledLots + expiredLots,
        ).toBe(LOTS);
        expect(after.matchedLots).toBe(pendingLots + filledLots);
        expect(after.finalAtMs !== undefined).toBe(isFinalPhase(after.phase));
      });
    }
  }
});

describe("the outcomes that protect a trader", () => {
  it("applies a stream update before the HTTP response, and the response then changes nothing", () => {
    const early = run(PHASES.sent, report({ pendingLots: 3, status: "PARTIAL_FILLED" }));
    expect(advance(early, report({}, "answer"))).toEqual({ order: early, changes: [] });
  });

  it("trusts the stream over a refusal that arrives after it", () => {
    expect(run(PHASES.sent, report(), rejected(2012)).phase).toBe("open");
  });

  it("revives an order that was presumed rejected or lost, and reports it", () => {
    for (const dead of [PHASES.rejected, PHASES.lost]) {
      const { order, changes } = advance(
        dead,
        report({ pendingLots: 2, status: "PARTIAL_FILLED" }),
      );
      expect([order.phase, order.mayFillLots, order.matchedLots]).toEqual(["partly-filled", 8, 2]);
      expect(changes.map((c) => c.change)).toEqual(["revived", "phase", "matched"]);
      expect(order.finalAtMs).toBeUndefined();
    }
  });

  it("counts an order with an answered cancel until the exchange shows its end, with all earlier fills", () => {
    const accepted = run(PHASES.cancelling, { kind: "cancel-accepted", atMs: AT });
    expect([accepted.mayFillLots, accepted.matchedLots]).toEqual([6, 4]);
    const told = run(accepted, report({ pendingLots: 7, canceledLots: 3, status: "CANCELED" }));
    expect([told.phase, told.mayFillLots, told.matchedLots]).toEqual(["cancelled", 0, 7]);
  });

  it("does not resend an answered cancel after a late update, but does after a later query shows the order open", () => {
    const accepted = run(PHASES.open, CANCEL_SENT, { kind: "cancel-accepted", atMs: AT });
    expect(run(accepted, report()).cancel).toBe("accepted");
    const listed = {
      kind: "report",
      source: "open-orders",
      order: venueOrder(1),
      atMs: AT + 50,
    } as const;
    expect(run(accepted, { ...listed, queriedAtMs: AT - 1 }).cancel).toBe("accepted");
    const { order, changes } = advance(accepted, { ...listed, queriedAtMs: AT + 1 });
    expect([order.phase, order.mayFillLots]).toEqual(["open", 10]);
    expect(changes.map((c) => c.change)).toContain("revived");
  });

  it("reopens an order with an accepted cancel and known amounts", () => {
    const accepted = run(PHASES.cancelling, { kind: "cancel-accepted", atMs: AT });
    const asked: OrderEvent = {
      kind: "report",
      atMs: AT + 9,
      queriedAtMs: AT + 5,
      source: "open-orders",
      order: venueOrder(1, { pendingLots: 4 }),
    };
    const { order, changes } = advance(accepted, asked);
    expect([order.phase, order.mayFillLots, changes[0]]).toEqual([
      "partly-filled",
      6,
      { change: "revived", from: "cancelling" },
    ]);
  });

  it("keeps an order at full size after a 2011 until the history shows its end", () => {
    const accepted = run(PHASES.open, CANCEL_SENT, { kind: "cancel-accepted", atMs: AT });
    expect([accepted.phase, accepted.mayFillLots]).toEqual(["cancelling", 10]);
    expect(run(accepted, report({ filledLots: 10, status: "FILLED" }, "history")).phase).toBe(
      "filled",
    );
  });

  it("does not let the response to an older cancel override a newer one", () => {
    const again = run(PHASES.open, CANCEL_SENT, { kind: "cancel-sent", atMs: AT, actionId: 8 });
    expect(run(again, { kind: "cancel-rejected", atMs: AT, actionId: 7 }).cancel).toBe("asked");
    expect(run(again, { kind: "cancel-rejected", atMs: AT, actionId: 8 }).cancel).toBe("none");
  });

  it("moves pending to failed under its own name", () => {
    const { order, changes } = advance(PHASES.filled, report({ failedLots: 10, status: "FAILED" }));
    expect([order.phase, order.matchedLots]).toEqual(["failed", 0]);
    expect(changes).toContainEqual({ change: "settlement-failed", lots: 10 });
  });

  it("refuses impossible amounts, yet records that the exchange has the order", () => {
    for (const wrong of [
      { lots: 99 },
      { filledLots: 8, canceledLots: 5 },
      { side: "SELL" as const },
      { marketId: "ethusdc" },
    ]) {
      const { order, changes } = advance(PHASES.sent, report(wrong));
      expect([order.place, order.mayFillLots, order.matchedLots]).toEqual(["seen", 10, 0]);
      expect(changes[0]?.change).toBe("contradiction");
    }
  });

  it("treats an order with a final status as closed even if its parts do not add up", () => {
    expect(run(PHASES.open, report({ status: "CANCELED" })).canceledLots).toBe(10);
    expect(run(PHASES.open, report({ status: "EXPIRED", pendingLots: 1 })).expiredLots).toBe(9);
    expect(run(PHASES.open, report({ status: "FILLED", filledLots: 4 })).matchedLots).toBe(10);
    expect(run(PHASES.open, report({ status: "FAILED" })).failedLots).toBe(10);
  });

  it("treats an undocumented status as not final", () => {
    expect(run(PHASES.sent, report({ status: "HALTED" })).mayFillLots).toBe(10);
  });

  it("adopts an order of an earlier run as it is, without a slot", () => {
    const adopted = createAdoptedOrder(
      venueOrder(5, { filledLots: 3, status: "PARTIAL_FILLED" }),
      AT,
      false,
    );
    expect(adopted).toMatchObject({
      level: -1,
      phase: "partly-filled",
      mayFillLots: 7,
      matchedLots: 3,
      adopted: true,
    });
    expect(createAdoptedOrder(venueOrder(5, { filledLots: 30 }), AT, false)).toBeUndefined();
  });
});
