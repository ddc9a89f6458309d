import { describe, expect, it } from "vitest";
import { ladderRows } from "../../../assets/cockpit/depth-levels.js";
import type { FrameLevel, OwnQuote } from "../../../assets/cockpit/frame.js";

const levels = (count: number): readonly FrameLevel[] =>
  Array.from({ length: count }, (_, index) => ({
    price: (100 - index).toFixed(1),
    amountBase: "1.0",
  }));

const bid = (price: string, amountBase = "0.5"): OwnQuote => {
  return {
    clientId: `bid at ${price}`,
    side: "BUY",
    price,
    amountBase,
    distanceBps: 0,
    phase: "open",
    ageMs: 0,
    level: 0,
  };
};

describe("the depth ladder", () => {
  it("marks our part of a level, as the book shows it", () => {
    const book = [{ price: "100.0", amountBase: "2.0", ownBase: "0.4" }, ...levels(3).slice(1)];
    const rows = ladderRows("BUY", book, [bid("100.0")], 5, 2);
    expect(rows.map(({ ownBase }) => ownBase)).toEqual(["0.4", undefined, undefined]);
    expect(rows[0]).toMatchObject({ distanceBps: 0, isBeyond: false });
  });

  it("shows an order beyond the last level at the edge, with its distance from the touch", () => {
    const rows = ladderRows("BUY", levels(20), [bid("50.0")], 5, 2);
    expect(rows).toHaveLength(5);
    expect(rows.at(-1)).toMatchObject({
      price: "50.0",
      ownBase: "0.5",
      amountBase: undefined,
      isBeyond: true,
      distanceBps: 5_000,
    });
    expect(rows.at(-2)?.price).toBe("97.0");
  });

  it("says how many orders lie between when more are beyond than have a place", () => {
    const quotes = ["80.0", "79.0", "78.0", "77.0"].map((price) => bid(price));
    const rows = ladderRows("BUY", levels(20), quotes, 6, 2);
    expect(rows.map(({ price }) => price)).toEqual([
      "100.0",
      "99.0",
      "98.0",
      "97.0",
      "80.0",
      "77.0",
    ]);
    expect(rows.at(-1)).toMatchObject({ hidden: 2, isBeyond: true });
  });

  it("puts an order that the book does not show yet where its price belongs", () => {
    const rows = ladderRows("BUY", levels(4), [bid("98.5")], 8, 2);
    expect(rows.map(({ price }) => price)).toEqual(["100.0", "99.0", "98.5", "98.0", "97.0"]);
    expect(rows[2]).toMatchObject({ amountBase: undefined, isBeyond: false, ownBase: "0.5" });
  });

  it("loses no order of ours in an empty book", () => {
    expect(ladderRows("SELL", [], [{ ...bid("101.0"), side: "SELL" }], 5, 2)).toMatchObject([
      { price: "101.0", ownBase: "0.5" },
    ]);
    expect(ladderRows("SELL", [], [], 5, 2)).toEqual([]);
  });
});
