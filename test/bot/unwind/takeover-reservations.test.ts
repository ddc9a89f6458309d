import { describe, expect, it } from "vitest";
import { maxTakeoverLots, TakeoverReservations } from "#bot/takeover-reservations.js";

const LOT = { paperPerLot: 10n };
const MARKET = "btcusdc";

function reserved(...lots: readonly number[]): TakeoverReservations {
  const reservations = new TakeoverReservations();
  reservations.replace(
    lots.map((size, at) => ({
      jobId: `${at}`,
      marketId: MARKET,
      paper: BigInt(size) * LOT.paperPerLot,
    })),
    1_000,
  );
  return reservations;
}

/** Job ids that still take room after the exchange's position has moved by this many lots. */
function left(reservations: TakeoverReservations, moved: number): readonly string[] {
  reservations.held(MARKET, moved, LOT);
  return reservations.in(MARKET).map(({ jobId }) => jobId);
}

describe("a takeover that the exchange has reported before its receipt came", () => {
  it.each([
    ["the one of its size", [5, 8, 3], 8, ["0", "2"]],
    ["both, where it is the sum of all", [5, 8], 13, []],
    ["the smallest that the contract may have capped to it", [5, 9, 8], 6, ["0", "1"]],
    ["those that fit, where it is more than each", [5, 4, 9], 12, ["0", "1"]],
    ["none of the other side", [-5, 5], -5, ["1"]],
    ["none at all where nothing was sent on its side", [-5], 5, ["0"]],
  ] as const)("is %s: only that one no longer reserves room", (_, sizes, moved, others) => {
    expect(left(reserved(...sizes), moved)).toEqual(others);
  });

  it("stays held when pending takeovers are reported again, and counts as one change of the state directory", () => {
    const reservations = reserved(5, 8);
    const before = reservations.serial;
    left(reservations, 5);
    expect(reservations.serial).toBe(before + 1);
    expect(reservations.replace(reservations.all, 9_000).size).toBe(0);
    expect(reservations.all).toMatchObject([{ isHeld: true }, { jobId: "1" }]);
  });
});

it("a takeover is overdue ten seconds after its plan, only in its own market and not once it is held", () => {
  const reservations = reserved(5);
  expect([10_999, 11_000].map((nowMs) => reservations.isOverdue(MARKET, nowMs))).toEqual([
    false,
    true,
  ]);
  expect(reservations.isOverdue("ethusdc", 60_000)).toBe(false);
  reservations.held(MARKET, 5, LOT);
  expect(reservations.isOverdue(MARKET, 60_000)).toBe(false);
});

it("a part of a lot reserves the room of a whole one", () => {
  expect(
    [1n, 10n, 11n, -1n, -11n, 0n].map((paper) =>
      maxTakeoverLots({ jobId: "", marketId: MARKET, paper }, LOT),
    ),
  ).toEqual([1, 1, 2, -1, -2, 0]);
});
