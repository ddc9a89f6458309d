import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OperationName } from "#exchange/operations.js";
import { jsonText, type OddChange, oddChange, oddText, withChange } from "../support/odd-json.js";
import { sampledRuns } from "../support/sampled-runs.js";
import { BOTH, quotingStage } from "./quoting-stage.js";
import { ASK, BID } from "./stage.js";

/** Everything that a bot asks the exchange for. */
const ASKED: readonly OperationName[] = [
  "time",
  "exchangeInfo",
  "openOrders",
  "historyOrders",
  "userTrades",
  "incomes",
  "balances",
  "orderbook",
  "placeOrder",
];

type Bend = (text: string) => string;

const bend: fc.Arbitrary<Bend> = fc.oneof(
  {
    weight: 4,
    arbitrary: oddChange.map(
      (change: OddChange): Bend =>
        (text) =>
          text === "" ? "{}" : jsonText(withChange(JSON.parse(text), change)),
    ),
  },
  { weight: 1, arbitrary: oddText },
);

describe("the exchange's odd answers", () => {
  it.each(ASKED)(
    "to %s end no more than that question: afterwards the bot quotes, or says why it does not",
    async (what) => {
      await fc.assert(
        fc.asyncProperty(fc.array(bend, { minLength: 6, maxLength: 12 }), async (bends) => {
          const stage = await quotingStage();
          let count = 0;
          const end = stage.network.every(what, {
            is: "rewritten",
            body: (body) => {
              count += 1;
              return count % 3 === 0 ? body : (bends[count % bends.length]?.(body) ?? body);
            },
          });
          stage.network.drop("account");
          await stage.passes(4_000);
          stage.wants({ bid: BID - 50, ask: ASK + 50 });
          stage.counterparty.rests("BUY", 1, BID - 500);
          await stage.passes(8_000);
          end();
          stage.wants();
          await stage.passes(130_000);
          if (stage.rig.bot.tradingGuards.halts.length === 0) expect(stage.quotes()).toEqual(BOTH);
          expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
          // An amount that is wrong but plausible is booked: the exchange is the only source for
          // profit.
          stage.expectOrdersAndPosition();
        }),
        { numRuns: sampledRuns(6) },
      );
    },
  );
});
