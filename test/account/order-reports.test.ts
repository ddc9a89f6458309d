import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OrderEvent, OwnOrder } from "#account/order.js";
import { advance, isKnownReport } from "#account/order-machine.js";
import type { VenueOrder } from "#exchange/records.js";
import { venueOrder } from "./exchange-story.js";
import { AT, CANCEL_SENT, LOTS, PHASES, rejected, run, SENT, UNKNOWN } from "./order-events.js";

/** The life of one order at the exchange: its reports in their true order. */
const trueLife = fc
  .array(
    fc.record({
      step: fc.constantFrom("match", "settle", "fail"),
      lots: fc.integer({ min: 1, max: 5 }),
    }),
    { maxLength: 12 },
  )
  .chain((steps) =>
    fc.record({
      steps: fc.constant(steps),
      end: fc.constantFrom("CANCELED", "EXPIRED", "FILLED"),
      endAfter: fc.nat(12),
    }),
  )
  .map(({ steps, end, endAfter }) => {
    let state = { pendingLots: 0, filledLots: 0, failedLots: 0, canceledLots: 0, expiredLots: 0 };
    const rest = (): number =>
      LOTS -
      state.pendingLots -
      state.filledLots -
      state.failedLots -
      state.canceledLots -
      state.expiredLots;
    let status = "NEW";
    const reports: VenueOrder[] = [venueOrder(1)];
    const tell = (): void => void reports.push(venueOrder(1, { ...state, status }));
    const close = (): void => {
      if (rest() > 0)
        state =
          end === "EXPIRED"
            ? { ...state, expiredLots: rest() }
            : { ...state, canceledLots: rest() };
      status = state.canceledLots > 0 ? "CANCELED" : state.expiredLots > 0 ? "EXPIRED" : "FILLED";
      tell();
    };
    steps.forEach(({ step, lots }, index) => {
      if (index === endAfter) close();
      if (step === "match")
        state = { ...state, pendingLots: state.pendingLots + Math.min(lots, rest()) };
      const moved = Math.min(lots, state.pendingLots);
      if (step === "settle")
        state = {
          ...state,
          pendingLots: state.pendingLots - moved,
          filledLots: state.filledLots + moved,
        };
      if (step === "fail")
        state = {
          ...state,
          pendingLots: state.pendingLots - moved,
          failedLots: state.failedLots + moved,
        };
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
    const noise = fc.constantFrom<OrderEvent>(
      SENT,
      UNKNOWN,
      rejected(2012),
      { kind: "unknown", atMs: AT, code: 2016, text: "" },
      CANCEL_SENT,
      { kind: "lost", atMs: AT },
    );
    const shuffled = trueLife.chain((life) => {
      const events: OrderEvent[] = life.map((order) => ({
        kind: "report",
        atMs: AT,
        source: "stream",
        order,
      }));
      const copies = fc.array(fc.constantFrom(...events), { maxLength: 6 });
      return fc.tuple(copies, fc.array(noise, { maxLength: 4 })).chain(([again, noises]) =>
        fc.record({
          life: fc.constant(life),
          told: fc.shuffledSubarray([...events, ...again, ...noises], {
            minLength: events.length + again.length + noises.length,
          }),
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
          expect(next.matchedLots + next.failedLots).toBeGreaterThanOrEqual(
            order.matchedLots + order.failedLots,
          );
          if (order.place === "seen" && order.availableLots === 0) expect(next.mayFillLots).toBe(0);
          const sum =
            next.availableLots +
            next.matchedLots +
            next.failedLots +
            next.canceledLots +
            next.expiredLots;
          expect(sum).toBe(LOTS);
          // A repeated report returns the same object, so that nothing is planned again for it.
          if (event.kind === "report") {
            const again = advance(next, { ...event, atMs: AT + 1, source: "history" });
            expect(again.changes).toEqual([]);
            expect(again.order).toBe(next);
          }
          order = next;
        }
        // "lost" may have come after the last report only if nothing was left to lose.
        const final =
          order.place === "lost"
            ? run(order, { kind: "report", atMs: AT, source: "stream", order: last })
            : order;
        expect(amountsOf(final)).toEqual(amountsOf(truth));
      }),
      { numRuns: 400 },
    );
  });

  // A skipped report with news would be a fill that is not counted, or an order that is cancelled
  // twice.
  it("are skipped only if they would not change the order at all", () => {
    const parts = fc.constantFrom(0, 0, 0, 4, 6, 10);
    const anyReport = fc.record({
      lots: fc.constantFrom(LOTS, LOTS, LOTS, LOTS, 4, 10.5),
      pendingLots: parts,
      filledLots: fc.constantFrom(0, 0, 4, 4.5),
      failedLots: fc.constantFrom(0, 0, 0, 4),
      canceledLots: parts,
      expiredLots: fc.constantFrom(0, 0, 0, 10),
      side: fc.constantFrom("BUY" as const, "BUY" as const, "SELL" as const),
      marketId: fc.constantFrom("btcusdc", "btcusdc", "ethusdc"),
      status: fc.constantFrom("NEW", "PARTIAL_FILLED", "FILLED", "CANCELED", "EXPIRED", "FAILED"),
    });
    const trueReport = fc.constantFrom<Partial<VenueOrder>>(
      {},
      { pendingLots: 4, status: "PARTIAL_FILLED" },
      { filledLots: 4, pendingLots: 6, status: "FILLED" },
      { canceledLots: 10, status: "CANCELED" },
      { pendingLots: 4, canceledLots: 6, status: "CANCELED" },
      { expiredLots: 10, status: "EXPIRED" },
    );
    const either = fc.oneof(trueReport, anyReport);
    const source = fc.constantFrom(
      "answer" as const,
      "stream" as const,
      "open-orders" as const,
      "history" as const,
    );
    const cancels = [CANCEL_SENT, { kind: "cancel-accepted", atMs: AT + 1 }] as const;
    let passedOver = 0;
    fc.assert(
      fc.property(
        fc.array(either, { maxLength: 3 }),
        fc.subarray([...cancels]),
        either,
        fc.boolean(),
        source,
        (told, given, other, isAgain, from) => {
          const reports = told.map(
            (part): OrderEvent => ({
              kind: "report",
              atMs: AT,
              source: "stream",
              order: venueOrder(1, part),
            }),
          );
          const order = run(PHASES.sent, ...reports, ...given);
          const report = venueOrder(1, isAgain ? told.at(-1) : other);
          if (!isKnownReport(order, report, from)) return;
          passedOver += 1;
          const after = advance(order, {
            kind: "report",
            atMs: AT + 9,
            source: from,
            order: report,
            queriedAtMs: AT + 5,
          });
          expect(after.order).toBe(order);
          expect(after.changes).toEqual([]);
        },
      ),
      { numRuns: 3000 },
    );
    expect(passedOver).toBeGreaterThan(100);
    const { open } = PHASES;
    expect(isKnownReport(open, venueOrder(1), "answer")).toBe(true);
    expect(isKnownReport(open, venueOrder(1), "open-orders")).toBe(false);
    expect(isKnownReport(PHASES.sent, venueOrder(1), "answer")).toBe(false);
    expect(isKnownReport(open, venueOrder(1, { status: "CANCELED" }), "history")).toBe(false);
    expect(
      isKnownReport(
        PHASES.cancelled,
        venueOrder(1, { canceledLots: LOTS, status: "CANCELED" }),
        "history",
      ),
    ).toBe(true);
  });
});
