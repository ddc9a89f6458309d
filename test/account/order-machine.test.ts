import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFinalPhase, type OrderEvent, type OrderPhase, type OwnOrder } from "../../src/account/order.js";
import { adoptedOrder, advance, intendedOrder } from "../../src/account/order-machine.js";
import type { VenueOrder } from "../../src/exchange/records.js";
import { placeAction, T0, venueOrder } from "./exchange-story.js";

const AT = T0 + 100;
const LOTS = 10;

const intended = intendedOrder(placeAction(1), 0, "why", false);
const run = (order: OwnOrder, ...events: OrderEvent[]): OwnOrder => events.reduce((o, event) => advance(o, event).order, order);
const report = (part: Partial<VenueOrder> = {}, source: "answer" | "stream" | "open-orders" | "history" = "stream"): OrderEvent => ({
  kind: "report",
  atMs: AT,
  source,
  order: venueOrder(1, part),
});

const SENT: OrderEvent = { kind: "sent", atMs: AT, requestTimestampMs: T0 };
const DOUBTED: OrderEvent = { kind: "doubted", atMs: AT, text: "timeout" };
const CANCEL_SENT: OrderEvent = { kind: "cancel-sent", atMs: AT, actionId: 7 };
const refused = (code: number, doubtful = false): OrderEvent => ({ kind: "refused", atMs: AT, code, text: "", doubtful });

/** Every phase, by the shortest way there. */
const PHASES: Record<OrderPhase, OwnOrder> = {
  intended,
  sent: run(intended, SENT),
  unknown: run(intended, SENT, DOUBTED),
  open: run(intended, SENT, report()),
  "partly-filled": run(intended, SENT, report({ pendingLots: 4 })),
  cancelling: run(intended, SENT, report({ pendingLots: 4 }), CANCEL_SENT),
  filled: run(intended, SENT, report({ pendingLots: 10, status: "FILLED" })),
  cancelled: run(intended, SENT, report({ canceledLots: 10, status: "CANCELED" })),
  expired: run(intended, SENT, report({ expiredLots: 10, status: "EXPIRED" })),
  failed: run(intended, SENT, report({ failedLots: 10, status: "FAILED" })),
  rejected: run(intended, SENT, refused(2012)),
  lost: run(intended, SENT, DOUBTED, { kind: "lost", atMs: AT }),
};

const EVENTS = {
  sent: SENT,
  withdrawn: { kind: "withdrawn", atMs: AT, text: "superseded" },
  accepted: report({}, "answer"),
  "refused by code": refused(2012),
  "refused in doubt": refused(2016, true),
  "429": refused(429),
  "no answer": DOUBTED,
  matched: report({ pendingLots: 6, status: "PARTIAL_FILLED" }),
  "matched whole": report({ pendingLots: 10, status: "FILLED" }),
  settled: report({ filledLots: 6, status: "PARTIAL_FILLED" }),
  "settlement failed": report({ failedLots: 6, status: "PARTIAL_FILLED" }),
  "cancelled with fills": report({ filledLots: 6, canceledLots: 4, status: "CANCELED" }),
  expired: report({ filledLots: 6, expiredLots: 4, status: "EXPIRED" }),
  lost: { kind: "lost", atMs: AT },
  "cancel sent": CANCEL_SENT,
  "cancel taken": { kind: "cancel-taken", atMs: AT },
  "cancel 2011": { kind: "cancel-gone", atMs: AT },
  "cancel refused": { kind: "cancel-refused", atMs: AT, actionId: 7 },
  "cancel unanswered": { kind: "cancel-doubted", atMs: AT, actionId: 7 },
} as const satisfies Record<string, OrderEvent>;

type Cell = `${OrderPhase} ${number}`;

/** docs/orders.md as data: the phase and what may still fill, for every phase (row) and event (column). */
const TABLE: Record<keyof typeof EVENTS, Record<OrderPhase, Cell>> = {
  sent: row(["sent 10", "sent 10", "unknown 10", "open 10", "partly-filled 6", "cancelling 6"]),
  withdrawn: row(["rejected 0", "rejected 0", "rejected 0", "open 10", "partly-filled 6", "cancelling 6"]),
  accepted: row(["open 10", "open 10", "open 10", "open 10", "partly-filled 6", "cancelling 6"], "open 10"),
  "refused by code": row(["rejected 0", "rejected 0", "rejected 0", "open 10", "partly-filled 6", "cancelling 6"]),
  "refused in doubt": row(["unknown 10", "unknown 10", "unknown 10", "open 10", "partly-filled 6", "cancelling 6"]),
  "429": row(["rejected 0", "rejected 0", "rejected 0", "open 10", "partly-filled 6", "cancelling 6"]),
  "no answer": row(["unknown 10", "unknown 10", "unknown 10", "open 10", "partly-filled 6", "cancelling 6"]),
  matched: row(
    ["partly-filled 4", "partly-filled 4", "partly-filled 4", "partly-filled 4", "partly-filled 4", "cancelling 4"],
    "partly-filled 4",
  ),
  "matched whole": row(["filled 0", "filled 0", "filled 0", "filled 0", "filled 0", "filled 0"], "filled 0"),
  settled: row(
    ["partly-filled 4", "partly-filled 4", "partly-filled 4", "partly-filled 4", "partly-filled 4", "cancelling 4"],
    "partly-filled 4",
  ),
  "settlement failed": row(
    ["partly-filled 4", "partly-filled 4", "partly-filled 4", "partly-filled 4", "partly-filled 4", "cancelling 4"],
    "partly-filled 4",
  ),
  "cancelled with fills": row(["cancelled 0", "cancelled 0", "cancelled 0", "cancelled 0", "cancelled 0", "cancelled 0"], "cancelled 0"),
  expired: row(["expired 0", "expired 0", "expired 0", "expired 0", "expired 0", "expired 0"], "expired 0"),
  lost: row(["intended 10", "lost 0", "lost 0", "lost 0", "lost 0", "lost 0"]),
  "cancel sent": row(["intended 10", "sent 10", "unknown 10", "cancelling 10", "cancelling 6", "cancelling 6"]),
  "cancel taken": row(["intended 10", "sent 0", "unknown 0", "cancelling 0", "cancelling 0", "cancelling 0"]),
  "cancel 2011": row(["intended 10", "sent 10", "unknown 10", "cancelling 10", "cancelling 6", "cancelling 6"]),
  "cancel refused": row(["intended 10", "sent 10", "unknown 10", "open 10", "partly-filled 6", "partly-filled 6"]),
  "cancel unanswered": row(["intended 10", "sent 10", "unknown 10", "open 10", "partly-filled 6", "cancelling 6"]),
};

function row(live: readonly [Cell, Cell, Cell, Cell, Cell, Cell], revived?: Cell): Record<OrderPhase, Cell> {
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

describe("every phase against everything that can happen", () => {
  for (const [name, event] of Object.entries(EVENTS)) {
    for (const [phase, order] of Object.entries(PHASES)) {
      const expected = TABLE[name as keyof typeof EVENTS][phase as OrderPhase];
      // A report that contradicts a final one: what has filled wins, which the convergence property below states.
      const contradicts = event.kind === "report" && ["filled", "cancelled", "expired", "failed"].includes(phase);
      it(`${phase}: ${name} -> ${contradicts ? "stays final" : expected}`, () => {
        expect(order.phase).toBe(phase);
        const { order: after } = advance(order, event);
        if (contradicts) expect([isFinalPhase(after.phase), after.mayFillLots]).toEqual([true, 0]);
        else expect(`${after.phase} ${after.mayFillLots}`).toBe(expected);
        const { availableLots, pendingLots, filledLots, failedLots, canceledLots, expiredLots } = after;
        expect(availableLots + pendingLots + filledLots + failedLots + canceledLots + expiredLots).toBe(LOTS);
        expect(after.matchedLots).toBe(pendingLots + filledLots);
        expect(after.finalAtMs !== undefined).toBe(isFinalPhase(after.phase));
      });
    }
  }
});

describe("what a trader would lose otherwise", () => {
  it("takes a stream update before the HTTP answer, and the answer changes nothing", () => {
    const early = run(PHASES.sent, report({ pendingLots: 3, status: "PARTIAL_FILLED" }));
    expect(advance(early, report({}, "answer"))).toEqual({ order: early, changes: [] });
  });

  it("believes the stream against a refusal that comes after it", () => {
    expect(run(PHASES.sent, report(), refused(2012)).phase).toBe("open");
  });

  it("revives an order that it took for rejected or lost, and says so", () => {
    for (const dead of [PHASES.rejected, PHASES.lost]) {
      const { order, changes } = advance(dead, report({ pendingLots: 2, status: "PARTIAL_FILLED" }));
      expect([order.phase, order.mayFillLots, order.matchedLots]).toEqual(["partly-filled", 8, 2]);
      expect(changes.map((c) => c.change)).toEqual(["revived", "phase", "matched"]);
      expect(order.finalAtMs).toBeUndefined();
    }
  });

  it("counts a fill while cancelling, and what a taken cancel may have been too late for", () => {
    const taken = run(PHASES.cancelling, { kind: "cancel-taken", atMs: AT });
    expect([taken.mayFillLots, taken.untoldLots, taken.matchedLots]).toEqual([0, 6, 4]);
    const told = run(taken, report({ pendingLots: 7, canceledLots: 3, status: "CANCELED" }));
    expect([told.phase, told.untoldLots, told.matchedLots]).toEqual(["cancelled", 0, 7]);
  });

  it("does not reopen a taken cancel for a late update, but does for an open-orders answer asked afterwards", () => {
    const taken = run(PHASES.open, CANCEL_SENT, { kind: "cancel-taken", atMs: AT });
    expect(run(taken, report()).mayFillLots).toBe(0);
    const listed = { kind: "report", source: "open-orders", order: venueOrder(1), atMs: AT + 50 } as const;
    expect(run(taken, { ...listed, askedAtMs: AT - 1 }).mayFillLots).toBe(0);
    const { order, changes } = advance(taken, { ...listed, askedAtMs: AT + 1 });
    expect([order.phase, order.mayFillLots]).toEqual(["open", 10]);
    expect(changes.map((c) => c.change)).toContain("revived");
  });

  it("reopens a taken cancel also where the amounts are those that it knows", () => {
    const taken = run(PHASES.cancelling, { kind: "cancel-taken", atMs: AT });
    const asked: OrderEvent = {
      kind: "report",
      atMs: AT + 9,
      askedAtMs: AT + 5,
      source: "open-orders",
      order: venueOrder(1, { pendingLots: 4 }),
    };
    const { order, changes } = advance(taken, asked);
    expect([order.phase, order.mayFillLots, changes[0]]).toEqual(["partly-filled", 6, { change: "revived", from: "cancelling" }]);
  });

  it("keeps an order at full size after a 2011 until the history has told", () => {
    const gone = run(PHASES.open, CANCEL_SENT, { kind: "cancel-gone", atMs: AT });
    expect([gone.phase, gone.mayFillLots]).toEqual(["cancelling", 10]);
    expect(run(gone, report({ filledLots: 10, status: "FILLED" }, "history")).phase).toBe("filled");
  });

  it("lets the answer of an older cancel not undo a newer one", () => {
    const again = run(PHASES.open, CANCEL_SENT, { kind: "cancel-sent", atMs: AT, actionId: 8 });
    expect(run(again, { kind: "cancel-refused", atMs: AT, actionId: 7 }).cancel).toBe("asked");
    expect(run(again, { kind: "cancel-refused", atMs: AT, actionId: 8 }).cancel).toBe("none");
  });

  it("moves pending to failed under its own name", () => {
    const { order, changes } = advance(PHASES.filled, report({ failedLots: 10, status: "FAILED" }));
    expect([order.phase, order.matchedLots]).toEqual(["failed", 0]);
    expect(changes).toContainEqual({ change: "settlement-failed", lots: 10 });
  });

  it("refuses amounts that cannot be this order's, yet knows that the exchange has it", () => {
    for (const wrong of [{ lots: 99 }, { filledLots: 8, canceledLots: 5 }, { side: "SELL" as const }, { marketId: "ethusdc" }]) {
      const { order, changes } = advance(PHASES.sent, report(wrong));
      expect([order.place, order.mayFillLots, order.matchedLots]).toEqual(["seen", 10, 0]);
      expect(changes[0]?.change).toBe("contradiction");
    }
  });

  it("reads a final status whose parts do not add up as nothing left open", () => {
    expect(run(PHASES.open, report({ status: "CANCELED" })).canceledLots).toBe(10);
    expect(run(PHASES.open, report({ status: "EXPIRED", pendingLots: 1 })).expiredLots).toBe(9);
    expect(run(PHASES.open, report({ status: "FILLED", filledLots: 4 })).matchedLots).toBe(10);
    expect(run(PHASES.open, report({ status: "FAILED" })).failedLots).toBe(10);
  });

  it("treats a status that nobody has documented as not final", () => {
    expect(run(PHASES.sent, report({ status: "HALTED" })).mayFillLots).toBe(10);
  });

  it("adopts an order of an earlier run as it is, without a slot", () => {
    const adopted = adoptedOrder(venueOrder(5, { filledLots: 3, status: "PARTIAL_FILLED" }), AT, false);
    expect(adopted).toMatchObject({ level: -1, phase: "partly-filled", mayFillLots: 7, matchedLots: 3, adopted: true });
    expect(adoptedOrder(venueOrder(5, { filledLots: 30 }), AT, false)).toBeUndefined();
  });
});

/** A life of one order at the exchange: the reports in their true order. */
const trueLife = fc
  .array(fc.record({ step: fc.constantFrom("match", "settle", "fail"), lots: fc.integer({ min: 1, max: 5 }) }), { maxLength: 12 })
  .chain((steps) => fc.record({ steps: fc.constant(steps), end: fc.constantFrom("CANCELED", "EXPIRED", "FILLED"), endAfter: fc.nat(12) }))
  .map(({ steps, end, endAfter }) => {
    let state = { pendingLots: 0, filledLots: 0, failedLots: 0, canceledLots: 0, expiredLots: 0 };
    const rest = (): number => LOTS - state.pendingLots - state.filledLots - state.failedLots - state.canceledLots - state.expiredLots;
    let status = "NEW";
    const reports: VenueOrder[] = [venueOrder(1)];
    const tell = (): void => void reports.push(venueOrder(1, { ...state, status }));
    const close = (): void => {
      if (rest() > 0) state = end === "EXPIRED" ? { ...state, expiredLots: rest() } : { ...state, canceledLots: rest() };
      status = state.canceledLots > 0 ? "CANCELED" : state.expiredLots > 0 ? "EXPIRED" : "FILLED";
      tell();
    };
    steps.forEach(({ step, lots }, index) => {
      if (index === endAfter) close();
      if (step === "match") state = { ...state, pendingLots: state.pendingLots + Math.min(lots, rest()) };
      const moved = Math.min(lots, state.pendingLots);
      if (step === "settle") state = { ...state, pendingLots: state.pendingLots - moved, filledLots: state.filledLots + moved };
      if (step === "fail") state = { ...state, pendingLots: state.pendingLots - moved, failedLots: state.failedLots + moved };
      if (status === "NEW" && rest() < LOTS) status = "PARTIAL_FILLED";
      if (rest() === 0 && (status === "NEW" || status === "PARTIAL_FILLED")) status = "FILLED";
      tell();
    });
    close();
    return reports;
  });

const amountsOf = (order: OwnOrder): readonly (number | string)[] => [
  order.phase,
  order.availableLots,
  order.pendingLots,
  order.filledLots,
  order.failedLots,
  order.canceledLots,
  order.expiredLots,
];

describe("reports in any order, any number of times", () => {
  it("end at the last state of the exchange, with amounts that only ever move one way", () => {
    const noise = fc.constantFrom<OrderEvent>(SENT, DOUBTED, refused(2012), refused(2016, true), CANCEL_SENT, { kind: "lost", atMs: AT });
    const shuffled = trueLife.chain((life) => {
      const events: OrderEvent[] = life.map((order) => ({ kind: "report", atMs: AT, source: "stream", order }));
      const copies = fc.array(fc.constantFrom(...events), { maxLength: 6 });
      return fc.tuple(copies, fc.array(noise, { maxLength: 4 })).chain(([again, noises]) =>
        fc.record({
          life: fc.constant(life),
          told: fc.shuffledSubarray([...events, ...again, ...noises], { minLength: events.length + again.length + noises.length }),
        }),
      );
    });
    fc.assert(
      fc.property(shuffled, ({ life, told }) => {
        const last = life.at(-1);
        if (last === undefined) throw new Error("a life has reports");
        const truth = run(PHASES.sent, { kind: "report", atMs: AT, source: "stream", order: last });
        let order = PHASES.sent;
        for (const event of told) {
          const next = advance(order, event).order;
          expect(next.filledLots).toBeGreaterThanOrEqual(order.filledLots);
          expect(next.failedLots).toBeGreaterThanOrEqual(order.failedLots);
          expect(next.matchedLots + next.failedLots).toBeGreaterThanOrEqual(order.matchedLots + order.failedLots);
          if (order.place === "seen" && order.availableLots === 0) expect(next.mayFillLots).toBe(0);
          const sum = next.availableLots + next.matchedLots + next.failedLots + next.canceledLots + next.expiredLots;
          expect(sum).toBe(LOTS);
          // Said once more, it is the very order still: nobody plans anew for it.
          if (event.kind === "report") {
            const again = advance(next, { ...event, atMs: AT + 1, source: "history" });
            expect(again.changes).toEqual([]);
            expect(again.order).toBe(next);
          }
          order = next;
        }
        // "lost" may have come after the last report only when nothing was left to lose.
        const final = order.place === "lost" ? run(order, { kind: "report", atMs: AT, source: "stream", order: last }) : order;
        expect(amountsOf(final)).toEqual(amountsOf(truth));
      }),
      { numRuns: 400 },
    );
  });
});
