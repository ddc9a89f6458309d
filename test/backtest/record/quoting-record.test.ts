import { describe, expect, it } from "vitest";
import { QuotingRecord } from "#backtest/quoting-record.js";
import type { OrderRefusal } from "#backtest/refusals.js";
import type { BotEvent } from "#bot/bot-event.js";
import type { QuotesIntent } from "#strategies/intent.js";

const M = "btcusdc";
const END = {
  startUs: 0,
  endUs: 100,
  views: 0,
  book: undefined as string | undefined,
  blocks: [] as readonly string[],
  refusals: [] as readonly OrderRefusal[],
};

const reason = (clamps: readonly string[] = []) => ({
  fairTicks: 1,
  reservationTicks: 1,
  halfSpreadTicks: 1,
  terms: {},
  clamps,
});
const intent = (quotes: QuotesIntent["quotes"], clamps?: readonly string[]): BotEvent => ({
  kind: "intent",
  intent: { kind: "quotes", marketId: M, viewSequence: 1, quotes, reason: reason(clamps) },
});
const wanted = intent([{ side: "BUY", level: 0, ticks: 1, lots: 1 }]);
const halted = (name: string, on: boolean, marketId: string | undefined = undefined): BotEvent => ({
  kind: "halted",
  reason: name,
  marketId,
  on,
  why: `because of ${name}`,
});
const refusal = (by: OrderRefusal["by"], count = 4): OrderRefusal => ({
  marketId: M,
  by,
  reason: "position",
  count,
  firstUs: 0,
  why: "too much",
});
const place = { kind: "place", marketId: M } as Extract<BotEvent, { kind: "dispatched" }>["action"];
const sent: BotEvent = { kind: "dispatched", action: place, causeMonotonicMs: undefined };
const answered = (result: "accepted" | "rejected"): BotEvent =>
  ({ kind: "answered", action: place, outcome: { result }, tookMs: 1 }) as unknown as BotEvent;

/** The explanation for a market without orders, after some events an instant apart. */
function whyNever(notices: readonly BotEvent[], end: Partial<typeof END> = {}): string | undefined {
  const record = new QuotingRecord();
  for (const [at, notice] of notices.entries()) record.onBotEvent(notice, at);
  return record.explainNoOrders(M, { ...END, ...end });
}

describe("a market in which no order was ever accepted", () => {
  it("is not explained where an order was accepted", () => {
    expect(whyNever([wanted, sent, answered("accepted")])).toBeUndefined();
  });

  it.each([
    [
      "a strategy that saw nothing",
      [],
      { blocks: ["a side of the book is empty"] },
      /its strategy was never called \(a side of the book is empty\)$/,
    ],
    [
      "a strategy whose book crossed",
      [],
      {
        blocks: ["book-unsynchronised: the book is not in sync with the exchange's sequence"],
        book: "the book was crossed",
      },
      /its strategy was never called \(the book was crossed\)$/,
    ],
    ["one that said nothing", [], { views: 7 }, /was called 7 times and never returned an intent$/],
    [
      "one that wanted nothing",
      [intent([], ["no estimate yet"])],
      { views: 7 },
      /its strategy planned no quotes in any of its 1 intents \(no estimate yet\)$/,
    ],
    [
      "one that was refused",
      [{ kind: "intent-refused", marketId: M, refusal: "malformed", why: "" }],
      { refusals: [refusal("bot")] },
      /the bot refused all 1 intents of its strategy \(4 x position: too much\)$/,
    ],
    [
      "one that ended",
      [halted("strategy-error", true, M)],
      { views: 1 },
      /no order was ever sent: because of strategy-error$/,
    ],
    [
      "one that a limit held back",
      [wanted, wanted],
      { refusals: [refusal("limit")] },
      /its strategy planned quotes 2 times \(4 x position: too much\)$/,
    ],
    [
      "one that a guard held back",
      [wanted, halted("stale-book", true)],
      { blocks: ["else"] },
      /its strategy planned quotes once \(it was halted for 99 % of the run by stale-book: because of stale-book\)$/,
    ],
    [
      "one that the exchange refused",
      [wanted, sent, answered("rejected")],
      { refusals: [refusal("exchange")] },
      /^the exchange accepted none of the 1 orders that were sent \(4 x position: too much\)$/,
    ],
  ] satisfies [string, BotEvent[], Partial<typeof END>, RegExp][])(
    "names the reason of %s",
    (_what, notices, end, text) => {
      expect(whyNever(notices, end)).toMatch(text);
    },
  );

  it("does not name a halt that was over before most of the run", () => {
    expect(
      whyNever([halted("stale-book", true), halted("stale-book", false), wanted], {
        blocks: ["the book is not in sync"],
      }),
    ).toBe("no order was ever sent: its strategy planned quotes once (the book is not in sync)");
  });
});
