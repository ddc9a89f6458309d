import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseWire } from "#exchange/wire-parse.js";

const answer = z.object({
  orders: z.array(z.object({ side: z.enum(["BUY", "SELL"]), timestampMs: z.int() })),
});

describe("an answer of the exchange that is does not match the protocol", () => {
  it.each<[string, unknown, string]>([
    [
      "a wrong number",
      { orders: [{ side: "BUY", timestampMs: 1.5 }] },
      ".orders.0.timestampMs: does not match the protocol (got 1.5); expected a whole number",
    ],
    [
      "no choice",
      { orders: [{ side: "HOLD" }] },
      '.orders.0.side: does not match the protocol (got "HOLD"); expected one of BUY, SELL',
    ],
    ["nothing", {}, ".orders: does not match the protocol; expected a list"],
    ["another answer", [], ": does not match the protocol; expected a mapping"],
  ])(
    "is refused with the place, the value and what would be right: %s",
    (_what, value, message) => {
      expect(() => parseWire(answer, value, "openOrders")).toThrow(
        expect.objectContaining({ name: "FormatError", message: `openOrders${message}` }),
      );
    },
  );
});
