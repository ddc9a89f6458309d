import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DecideOptions, DecisionPoints } from "#market/decision-points.js";

const OPTIONS: DecideOptions = {
  everyMs: 1000,
  onTouchChange: true,
  onFill: true,
  onReferenceMove: true,
  minGapMs: 50,
};

/** Decision points with a decision at time 0 on a touch of 100/101. */
function decidedAtZero(changes: Partial<DecideOptions> = {}): DecisionPoints {
  const points = new DecisionPoints({ ...OPTIONS, ...changes });
  points.noteTouch({ bidTicks: 100, askTicks: 101 });
  expect(points.due(0)).toBe("start");
  points.decided(0);
  return points;
}

describe("a decision", () => {
  it("is not due before there is a book, and is due at once when there is", () => {
    const points = new DecisionPoints(OPTIONS);
    points.noteFill();
    expect([points.due(0), points.nextDueMs(0)]).toEqual([null, Number.POSITIVE_INFINITY]);
    points.noteTouch({ bidTicks: 100, askTicks: 101 });
    expect([points.due(5), points.nextDueMs(5)]).toEqual(["start", 5]);
  });

  it("is due by time when nothing happens", () => {
    const points = decidedAtZero();
    expect([points.due(999), points.nextDueMs(10)]).toEqual([null, 1000]);
    expect(points.due(1000)).toBe("timer");
    const never = decidedAtZero({ everyMs: 0 });
    expect([never.due(1e9), never.nextDueMs(10)]).toEqual([null, Number.POSITIVE_INFINITY]);
  });

  it("is due when the touch moves, and not when only the amounts do", () => {
    const points = decidedAtZero();
    points.noteTouch({ bidTicks: 100, askTicks: 101 });
    expect(points.due(60)).toBeNull();
    points.noteTouch({ bidTicks: 100, askTicks: 102 });
    expect(points.due(60)).toBe("touch");
  });

  it("is due after a fill, which comes before a move of the touch as the cause", () => {
    const points = decidedAtZero();
    points.noteTouch({ bidTicks: 99, askTicks: 101 });
    points.noteFill();
    expect(points.due(60)).toBe("fill");
    points.decided(60);
    expect(points.due(200)).toBeNull();
  });

  it("is due at once when an operator changed the parameters, without the gap", () => {
    const points = decidedAtZero({ minGapMs: 5000, everyMs: 60_000 });
    points.request(false);
    expect([points.due(1), points.nextDueMs(1)]).toEqual(["params", 1]);
    points.decided(1);
    expect(points.due(100)).toBeNull();
    points.request(true);
    expect(points.due(2)).toBe("start");
    points.decided(2);
    points.noteTouch(null);
    points.request(false);
    expect([points.due(3), points.nextDueMs(3)]).toEqual([null, Number.POSITIVE_INFINITY]);
    points.noteTouch({ bidTicks: 100, askTicks: 101 });
    expect(points.due(4)).toBe("start");
  });

  it("comes by other settings as soon as they change", () => {
    const points = decidedAtZero();
    points.noteFill();
    points.configure({
      ...OPTIONS,
      everyMs: 200,
      onFill: false,
      onReferenceMove: true,
      minGapMs: 10,
    });
    expect(points.due(60)).toBeNull();
    expect([points.due(200), points.nextDueMs(60)]).toEqual(["timer", 200]);
  });

  it("waits for the gap, then answers everything that came meanwhile once", () => {
    const points = decidedAtZero();
    points.noteTouch({ bidTicks: 99, askTicks: 101 });
    points.noteFill();
    points.noteTouch({ bidTicks: 98, askTicks: 101 });
    expect([points.due(49), points.nextDueMs(10)]).toEqual([null, 50]);
    expect(points.due(50)).toBe("fill");
    points.decided(50);
    expect([points.due(120), points.nextDueMs(120)]).toEqual([null, 1050]);
  });

  it("is not due for a touch that moved and came back within the gap", () => {
    const points = decidedAtZero();
    points.noteTouch({ bidTicks: 98, askTicks: 101 });
    points.noteTouch({ bidTicks: 100, askTicks: 101 });
    expect(points.due(60)).toBeNull();
  });

  it("is due as a start after the book was invalidated and is back, even at the same touch", () => {
    const points = decidedAtZero();
    points.noteTouch(null);
    expect([points.due(2000), points.nextDueMs(2000)]).toEqual([null, Number.POSITIVE_INFINITY]);
    points.noteTouch({ bidTicks: 100, askTicks: 101 });
    expect(points.due(2000)).toBe("start");
  });

  it("ignores the causes that are switched off", () => {
    const points = decidedAtZero({ onTouchChange: false, onFill: false });
    points.noteTouch({ bidTicks: 90, askTicks: 91 });
    points.noteFill();
    expect([points.due(500), points.nextDueMs(500)]).toEqual([null, 1000]);
  });

  it("is due exactly at the predicted time, never before, and decisions keep their gap", () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 0, max: 80 }),
      touch: fc.option(
        fc.record({
          bidTicks: fc.integer({ min: 98, max: 100 }),
          askTicks: fc.integer({ min: 101, max: 103 }),
        }),
      ),
      fill: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const points = new DecisionPoints({ ...OPTIONS, everyMs: 120 });
        let nowMs = 0;
        let lastMs = Number.NEGATIVE_INFINITY;
        for (const { afterMs, touch, fill } of steps) {
          nowMs += afterMs;
          points.noteTouch(touch);
          if (fill) points.noteFill();
          const foretoldMs = points.nextDueMs(nowMs);
          expect(points.due(nowMs) !== null).toBe(foretoldMs <= nowMs);
          if (foretoldMs < Number.POSITIVE_INFINITY) {
            if (foretoldMs > nowMs) expect(points.due(foretoldMs - 1)).toBeNull();
            expect(points.due(foretoldMs)).not.toBeNull();
          }
          if (points.due(nowMs) !== null) {
            expect(nowMs - lastMs).toBeGreaterThanOrEqual(50);
            points.decided(nowMs);
            lastMs = nowMs;
          }
        }
      }),
    );
  });
});

describe("a decision on a reference price", () => {
  it("is due when the price has moved by a tick since the last one, after the gap", () => {
    const points = decidedAtZero();
    points.noteReference(100);
    expect(points.due(60)).toBe("reference");
    points.decided(60);
    points.noteReference(100.9);
    expect(points.due(200)).toBeNull();
    points.noteReference(101);
    expect([points.due(100), points.nextDueMs(100)]).toEqual([null, 110]);
    expect(points.due(110)).toBe("reference");
  });

  it("is due at once when the price is no longer good, whatever the settings", () => {
    const points = decidedAtZero({ onReferenceMove: false, minGapMs: 5000, everyMs: 60_000 });
    points.noteReference(100);
    expect(points.due(5000)).toBeNull();
    points.request(false);
    points.decided(5000);
    points.noteReference(Number.NaN);
    expect([points.due(5001), points.nextDueMs(5001)]).toEqual(["reference", 5001]);
    points.decided(5001);
    expect(points.due(11_000)).toBeNull();
  });
});
