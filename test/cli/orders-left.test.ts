import { describe, expect, it } from "vitest";
import { ordersLeftText } from "../../src/cli/orders-left.js";

const CANCEL = "npx marketwright cancel-all bot.yaml";
const order = (n: number) => ({ marketId: "btcusdc", hash: `0x${n}`, phase: "open" }) as const;

describe("what a second Ctrl-C leaves at the exchange", () => {
  it("is named, order by order, with the command that cancels it", () => {
    expect(ordersLeftText([order(1), order(2)], CANCEL)).toBe(
      `orders that may still fill are left: btcusdc 0x1 (open), btcusdc 0x2 (open); ${CANCEL} cancels them`,
    );
  });

  it("is counted where it is more than a line holds", () => {
    const text = ordersLeftText(
      Array.from({ length: 23 }, (_, n) => order(n)),
      CANCEL,
    );
    expect(text).toContain("btcusdc 0x19 (open) and 3 more;");
    expect(text).not.toContain("0x20");
  });

  it("is not said to be nothing where the bot knows of none: the exchange has not been asked", () => {
    for (const orders of [undefined, []])
      expect(ordersLeftText(orders, CANCEL)).toBe(`the bot knows of no order that may still fill, but has not made sure: ${CANCEL} does`);
  });
});
