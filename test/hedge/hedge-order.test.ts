import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  advanceHedgeOrder,
  createEarlierHedgeOrder,
  createHedgeOrder,
  type HedgeOrder,
  type HedgeOrderEvent,
  type HedgeOrderPhase,
  isHedgeOrderOver,
  matchedHedgeLots,
  mayFillHedgeLots,
} from "#hedge/hedge-order.js";
import { hedgePlace, KEY, orderReport } from "./hedge-records.js";

const SENT_AT = 5_000;
const WINDOW = 2_000;

const report = (...values: Parameters<typeof orderReport>): HedgeOrderEvent => ({
  kind: "report",
  report: orderReport(...values),
});
const absent = (askedAtMs: number): HedgeOrderEvent => ({
  kind: "absent",
  askedAtMs,
  acceptanceWindowMs: WINDOW,
});
const LATE = SENT_AT + WINDOW + 1;

function after(...events: readonly HedgeOrderEvent[]): HedgeOrder {
  return events.reduce(advanceHedgeOrder, createHedgeOrder(hedgePlace(), SENT_AT));
}

/** An order of ten lots in each phase, nothing filled. */
const PHASES: Readonly<Record<HedgeOrderPhase, HedgeOrder>> = {
  sent: after(),
  unknown: after({ kind: "unknown" }),
  open: after(report(0, true)),
  cancelling: after(report(0, true), { kind: "cancel-sent", atMs: 6_000 }),
  ended: after(report(0, false)),
  rejected: after({ kind: "rejected" }),
  lost: after({ kind: "unknown" }, absent(LATE), { kind: "lost" }),
};

type Cell = `${HedgeOrderPhase} ${number} ${number}`;

/** Phase, lots that have filled, and lots that may still fill. */
function cell(order: HedgeOrder): Cell {
  return `${order.phase} ${matchedHedgeLots(order)} ${mayFillHedgeLots(order)}`;
}

/** In the order of {@link PHASES}. */
type Row = readonly [Cell, Cell, Cell, Cell, Cell, Cell, Cell];

const TABLE: Readonly<Record<string, readonly [HedgeOrderEvent, Row]>> = {
  "is reported open": [
    report(0, true),
    [
      "open 0 10",
      "open 0 10",
      "open 0 10",
      "cancelling 0 10",
      "ended 0 0",
      "open 0 10",
      "open 0 10",
    ],
  ],
  "is reported open with a part filled": [
    report(4, true),
    ["open 4 6", "open 4 6", "open 4 6", "cancelling 4 6", "ended 4 0", "open 4 6", "open 4 6"],
  ],
  "is reported open though all is filled": [report(10, true), all("ended 10 0")],
  "is reported ended without a fill": [report(0, false), all("ended 0 0")],
  "is reported ended with a part filled": [report(4, false), all("ended 4 0")],
  "has a fill of a part": [
    { kind: "fill", lots: 4 },
    ["open 4 6", "open 4 6", "open 4 6", "cancelling 4 6", "ended 4 0", "open 4 6", "open 4 6"],
  ],
  "has a fill of all": [{ kind: "fill", lots: 10 }, all("ended 10 0")],
  "is refused": [
    { kind: "rejected" },
    [
      "rejected 0 0",
      "rejected 0 0",
      "open 0 10",
      "cancelling 0 10",
      "ended 0 0",
      "rejected 0 0",
      "lost 0 0",
    ],
  ],
  "gets an answer that proves nothing": [
    { kind: "unknown" },
    [
      "unknown 0 10",
      "unknown 0 10",
      "open 0 10",
      "cancelling 0 10",
      "ended 0 0",
      "rejected 0 0",
      "lost 0 0",
    ],
  ],
  "is cancelled, as far as it is sent": [
    { kind: "cancel-sent", atMs: 7_000 },
    [
      "cancelling 0 10",
      "cancelling 0 10",
      "cancelling 0 10",
      "cancelling 0 10",
      "ended 0 0",
      "rejected 0 0",
      "lost 0 0",
    ],
  ],
  "is not cancelled, as the venue refuses": [
    { kind: "cancel-rejected" },
    unchanged({ cancelling: "open 0 10" }),
  ],
  "is not found, and may still arrive": [absent(SENT_AT + WINDOW), unchanged({})],
  "is not found after it could arrive": [absent(LATE), unchanged({})],
  "is lost without having been asked for": [{ kind: "lost" }, unchanged({})],
  "is reported with another size": [report(10, false, { lots: 11 }), unchanged({})],
  "is reported on the other side": [report(10, false, { side: "SELL" }), unchanged({})],
  "is reported with more filled than it has": [report(11, false), unchanged({})],
};

function all(one: Cell): Row {
  return [one, one, one, one, one, one, one];
}

function unchanged(but: Partial<Record<HedgeOrderPhase, Cell>>): Row {
  const row = Object.entries(PHASES).map(
    ([phase, order]) => but[phase as HedgeOrderPhase] ?? cell(order),
  );
  return row as unknown as Row;
}

describe("a hedge order counts what may still fill, whatever happens in whichever phase", () => {
  for (const [name, [event, row]] of Object.entries(TABLE))
    it(`that ${name}`, () => {
      const cells = Object.values(PHASES).map((order) => cell(advanceHedgeOrder(order, event)));
      expect(cells).toEqual([...row]);
    });
});

describe("a hedge order that was not found", () => {
  it("is lost only if it was asked for after the venue's last chance to accept it", () => {
    const early = advanceHedgeOrder(PHASES.unknown, absent(SENT_AT + WINDOW));
    expect(advanceHedgeOrder(early, { kind: "lost" }).phase).toBe("unknown");
    const late = advanceHedgeOrder(PHASES.unknown, absent(LATE));
    expect(advanceHedgeOrder(late, { kind: "lost" }).phase).toBe("lost");
  });

  it("is not lost if the venue reports it, or a fill of it, after that", () => {
    for (const event of [report(0, true), { kind: "fill", lots: 4 } as const]) {
      const seen = [absent(LATE), event, { kind: "lost" } as const].reduce<HedgeOrder>(
        advanceHedgeOrder,
        PHASES.unknown,
      );
      expect(seen.phase, event.kind).toBe("open");
    }
  });

  it("is not lost within the window that begins when a restarted bot finds it", () => {
    const earlier = createEarlierHedgeOrder(
      { key: KEY, side: "BUY", lots: 10, countedLots: 4 },
      SENT_AT,
    );
    expect(cell(earlier)).toBe("unknown 4 6");
    expect(advanceHedgeOrder(earlier, absent(SENT_AT + 1)).absentAtMs).toBeUndefined();
  });
});

describe("reports and fills of a hedge order", () => {
  /** The messages of an order that is filled in parts and then ends. */
  const story = fc
    .record({
      fills: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }),
      seed: fc.infiniteStream(fc.nat(1_000)),
    })
    .map(({ fills, seed }) => {
      let filled = 0;
      const events: HedgeOrderEvent[] = [report(0, true)];
      for (const wanted of fills) {
        const lots = Math.min(wanted, 10 - filled);
        if (lots === 0) break;
        filled += lots;
        events.push({ kind: "fill", lots }, report(filled, filled < 10));
      }
      events.push(report(filled, false));
      return { events, filled, seed };
    });

  it("end in the same state in any order and however often they are repeated", () => {
    fc.assert(
      fc.property(story, ({ events, filled, seed }) => {
        const draws = [...seed.take(200)];
        const drawn = (below: number) => (draws.pop() ?? 0) % below;
        // A fill counts once by its id, so only reports are repeated.
        const sent = [...events, ...events.filter(({ kind }) => kind === "report")];
        const shuffled: HedgeOrderEvent[] = [];
        while (sent.length > 0) shuffled.push(...sent.splice(drawn(sent.length), 1));
        let order = PHASES.sent;
        let hasEnded = false;
        for (const event of shuffled) {
          order = advanceHedgeOrder(order, event);
          expect(matchedHedgeLots(order)).toBeLessThanOrEqual(10);
          expect(matchedHedgeLots(order) + mayFillHedgeLots(order)).toBeLessThanOrEqual(10);
          if (hasEnded) expect(isHedgeOrderOver(order), "an ended order opens again").toBe(true);
          hasEnded = order.phase === "ended";
        }
        expect(cell(order)).toBe(`ended ${filled} 0`);
        expect([order.reportedLots, order.countedLots]).toEqual([filled, filled]);
      }),
      { numRuns: 300 },
    );
  });

  it("bring an order back that was presumed dead, so that its fills are not hedged twice", () => {
    fc.assert(
      fc.property(
        story,
        fc.constantFrom("rejected" as const, "lost" as const),
        ({ events, filled }, phase) => {
          const order = events.reduce(advanceHedgeOrder, PHASES[phase]);
          expect(cell(order)).toBe(`ended ${filled} 0`);
        },
      ),
    );
    expect(advanceHedgeOrder(PHASES.lost, report(0, true)).absentAtMs).toBeUndefined();
  });

  it("say that nothing has changed when nothing has", () => {
    const open = PHASES.open;
    expect(advanceHedgeOrder(open, report(0, true))).toBe(open);
    expect(advanceHedgeOrder(PHASES.ended, report(0, true))).toBe(PHASES.ended);
  });
});
