import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseWire } from "#exchange/wire-parse.js";

const answer = z.object({
  orders: z.array(z.object({ side: z.enum(["BUY", "SELL"]), timestampMs: z.int() })),
});

describe("an answer of the exchange that is not what the protocol says", () => {
  it.each<[string, unknown, string]>([
    [
      "a wrong number",
      { orders: [{ side: "BUY", timestampMs: 1.5 }] },
      ".orders.0.timestampMs: not what the protocol says (got 1.5); expected a whole number",
    ],
    [
      "no choice",
      { orders: [{ side: "HOLD" }] },
      '.orders.0.side: not what the protocol says (got "HOLD"); expected one of BUY, SELL',
    ],
    ["nothing", {}, ".orders: not what the protocol says; expected a list"],
    ["another answer", [], ": not what the protocol says; expected a mapping"],
  ])(
    "is refused with the place, the value and what would be right: %s",
    (_what, value, message) => {
      expect(() => parseWire(answer, value, "openOrders")).toThrow(
        expect.objectContaining({ name: "FormatError", message: `openOrders${message}` }),
      );
    },
  );
});
