import { describe, expect, it } from "vitest";
import type { RecordedFill, RecordedOrder } from "#backtest/recorded-orders.js";
import { RerunFillExplainer } from "#backtest/rerun-fill-explainer.js";
import type { RerunMarket, RerunOrder } from "#backtest/rerun-session.js";
import type { ReplayFill } from "#backtest/run-observer.js";
import { BTC } from "../record/sample-run.js";

const AT_US = 60_000_000;
const MS = 1_000;
const PRICE = 600_000;
/** When the quotes of the two first differed. */
const DIVERGED_US = AT_US - 5_000 * MS;
const BECAUSE = "the two planned different quotes from 1970-01-01T00:00:55.000000Z on";

/**
 * The order of the rerun at the price: of five lots, sent a second before the fill that only live
 * has.
 */
const sent = (more: Partial<RerunOrder> = {}): RerunOrder => ({
  hash: "0x1",
  side: "BUY",
  ticks: PRICE,
  lots: 5,
  level: 0,
  atUs: AT_US - 1_000 * MS,
  cancelledUs: undefined,
  ...more,
});
const again = (lots: number, atUs: number) =>
  ({ side: "BUY", ticks: PRICE, lots, atUs, cause: "queue" }) as ReplayFill;
const live = (lots: number, atUs = AT_US): RecordedFill => ({
  side: "BUY",
  ticks: PRICE,
  lots,
  atUs,
  isMaker: true,
  fee: "0",
});
const recorded = (lots: number): RecordedOrder => ({
  hash: "0x2",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  ticks: PRICE,
  lots,
  expirationMs: 0,
  level: 0,
  sentUs: AT_US - 1_000 * MS,
  acceptedUs: AT_US - 990 * MS,
  answeredUs: AT_US - 980 * MS,
  refused: undefined,
  steps: [],
  ended: undefined,
});

function onlyLive(
  orders: RerunOrder[],
  fills: ReplayFill[] = [],
  divergedUs: number | undefined = DIVERGED_US,
): string {
  const ran: RerunMarket = { intents: [], orders, fills };
  const explainer = new RerunFillExplainer(
    BTC,
    { orders: [], openingOrders: [], cancels: [], requests: [], fills: [] },
    ran,
    1_000 * MS,
    divergedUs,
  );
  const { kind, why } = explainer.explainLive({ fill: live(6), lots: 1 });
  return `${kind}: ${why}`;
}

function onlyAgain(
  placed: RecordedOrder | RecordedOrder[],
  fills: RecordedFill[],
  divergedUs: number | undefined = DIVERGED_US,
): string {
  const ran: RerunMarket = { intents: [], orders: [], fills: [] };
  const explainer = new RerunFillExplainer(
    BTC,
    { orders: [placed].flat(), openingOrders: [], cancels: [], requests: [], fills },
    ran,
    1_000 * MS,
    divergedUs,
  );
  const { kind, why } = explainer.explainReplayed({ fill: again(6, AT_US), lots: 1 });
  return `${kind}: ${why}`;
}

// A cancel that is half a millisecond late moves every later quote by a lot or two. An explanation
// by delay or queue for each of them would send the reader after a model that was never wrong.
describe("a fill that only the rerun has, or only live", () => {
  it("is explained by the replay's cancel or late order, never by the queue", () => {
    expect(onlyLive([sent({ cancelledUs: AT_US - 20 * MS })])).toBe(
      "latency: the replay sent the cancel of its order there 20.0 ms earlier",
    );
    expect(onlyLive([sent({ atUs: AT_US + 3 * MS })])).toBe(
      "latency: the replay sent its order there 3.0 ms later",
    );
    expect(onlyLive([sent()])).toBe(
      "queue: the replay had an order there, which the queue model puts further back",
    );
    // Another order that was open there decides.
    expect(onlyLive([sent({ cancelledUs: AT_US - 20 * MS }), sent()])).toMatch(/^queue/);
    expect(onlyLive([])).toBe(`earlier-difference: the replay had no order there: ${BECAUSE}`);
  });

  it("is never explained by a later difference", () => {
    const sameUntilThen = "although both had planned the same quotes until then";
    for (const divergedUs of [AT_US + 1, Number.POSITIVE_INFINITY]) {
      expect(onlyLive([], [], divergedUs)).toBe(
        `absent: the replay had no order there, ${sameUntilThen}`,
      );
      expect(onlyAgain([], [], divergedUs)).toBe(
        `absent: live had no order there, ${sameUntilThen}`,
      );
      expect(onlyAgain(recorded(5), [live(5, AT_US - 2 * MS)], divergedUs)).toMatch(
        /^absent: live filled 0.005 there 2.0 ms earlier/,
      );
    }
    expect(onlyLive([], [], AT_US)).toMatch(/^earlier-difference/);
    // Nor by an order that was refused after it.
    expect(onlyAgain({ ...recorded(5), sentUs: AT_US + 4 * MS, refused: "no margin" }, [])).toBe(
      "latency: live sent its order there 4.0 ms later",
    );
  });

  it("is explained too for amounts between the market's steps, where live's order was on a finer grid", () => {
    const explainer = new RerunFillExplainer(
      BTC,
      { orders: [], openingOrders: [], cancels: [], requests: [], fills: [] },
      { intents: [], orders: [], fills: [] },
      1_000 * MS,
      DIVERGED_US,
    );
    expect(explainer.explainLive({ fill: live(1.5), lots: 1.5 }).amount).toBe("0.0015");
    expect(onlyAgain(recorded(5), [live(1.5, AT_US - 2 * MS)])).toContain(
      "live filled 0.0015 there 2.0 ms earlier",
    );
  });

  it("is a difference of size where both filled all of their orders at once", () => {
    expect(onlyLive([sent()], [again(5, AT_US + MS)])).toBe(
      `earlier-difference: the replay filled 0.005 there 1.0 ms later, which was all of its order there: ${BECAUSE}`,
    );
    expect(onlyAgain(recorded(5), [live(5, AT_US - 2 * MS)])).toBe(
      `earlier-difference: live filled 0.005 there 2.0 ms earlier, which was all of its order there: ${BECAUSE}`,
    );
  });

  it("is explained by the queue where one of them filled a part at once", () => {
    expect(onlyLive([sent()], [again(3, AT_US)])).toBe(
      "queue: the replay filled 0.003 there 0.0 ms later; the queue model puts the rest further back",
    );
    expect(onlyAgain(recorded(5), [live(3)])).toBe(
      "queue: live filled 0.003 there 0.0 ms later; the rest was further back in the queue",
    );
  });

  // A bot that is filled and quotes there again has another open order. To say that it had nothing
  // more there hides the queue model's fault.
  it("is explained by the queue where one of them filled an order at once, and another was open there", () => {
    const another = sent({ hash: "0x3", atUs: AT_US - 200 * MS });
    expect(onlyLive([sent(), another], [again(5, AT_US - 500 * MS)])).toBe(
      "queue: the replay filled 0.005 there 500.0 ms earlier; the queue model puts the rest further back",
    );
    const recordedAnother = { ...recorded(5), hash: "0x3", sentUs: AT_US - 200 * MS };
    expect(onlyAgain([recorded(5), recordedAnother], [live(5, AT_US - 500 * MS)])).toBe(
      "queue: live filled 0.005 there 500.0 ms earlier; the rest was further back in the queue",
    );
  });

  it("is a difference of size where the other order was cancelled before it, or sent after it", () => {
    const before = { hash: "0x3", cancelledUs: AT_US - 500 * MS };
    const after = { hash: "0x4", atUs: AT_US + 400 * MS };
    const filled = [again(5, AT_US - MS)];
    expect(onlyLive([sent(before), sent(), sent(after)], filled)).toMatch(
      /^earlier-difference: .* which was all of its order there/,
    );
    // The exchange's clock may be behind the bot's.
    expect(onlyLive([sent({ atUs: AT_US - MS })], [again(5, AT_US - 2 * MS)])).toMatch(
      /^earlier-difference: .* which was all of its order there/,
    );
    const ended = {
      ...recorded(5),
      hash: "0x3",
      ended: { atUs: AT_US - 500 * MS, status: "CANCELED" },
    };
    const late = { ...recorded(5), hash: "0x4", sentUs: AT_US + 400 * MS };
    expect(onlyAgain([ended, recorded(5), late], [live(5, AT_US - MS)])).toMatch(
      /^earlier-difference: .* which was all of its order there/,
    );
  });

  it("is a difference of size too where a part of an order was filled long before", () => {
    const order = sent({ atUs: AT_US - 9_000 * MS });
    expect(onlyLive([order], [again(3, AT_US - 8_000 * MS), again(2, AT_US)])).toMatch(
      /^earlier-difference: .* which was all of its order there/,
    );
    const one = { ...recorded(5), sentUs: AT_US - 9_000 * MS };
    expect(onlyAgain(one, [live(3, AT_US - 8_000 * MS), live(2)])).toMatch(
      /^earlier-difference: .* which was all of its order there/,
    );
    // Fills of a cancelled order do not count for this one.
    const down = sent({ hash: "0x3", atUs: AT_US - 7_000 * MS, cancelledUs: AT_US - 6_000 * MS });
    const partly = [again(5, AT_US - 8_000 * MS), again(2, AT_US - 6_500 * MS), again(3, AT_US)];
    expect(onlyLive([order, down, sent({ hash: "0x4" })], partly)).toMatch(/^queue/);
  });

  it("is explained by an order that was open, not by one that the exchange had refused before", () => {
    const refused = {
      ...recorded(5),
      hash: "0x3",
      sentUs: AT_US - 9_000 * MS,
      refused: "rejected 4",
    };
    expect(onlyAgain([refused, recorded(5)], [])).toMatch(/^queue/);
    expect(onlyAgain([refused], [])).toBe(
      "earlier-difference: live its order was rejected: rejected 4",
    );
  });

  it("is explained by the cancel where it ended the rest of an order that was partly filled at once", () => {
    const cancelled = { ...recorded(5), ended: { atUs: AT_US - MS, status: "CANCELED" } };
    expect(onlyAgain(cancelled, [live(3, AT_US - 2 * MS)])).toBe(
      "latency: live its order had already ended (CANCELED)",
    );
    expect(onlyLive([sent({ cancelledUs: AT_US - MS })], [again(3, AT_US - 2 * MS)])).toMatch(
      /^latency: the replay sent the cancel/,
    );
  });

  it("is explained by its time where the other filled it outside of the window", () => {
    expect(onlyLive([sent()], [again(5, AT_US + 2_500 * MS)])).toBe(
      "time: the replay filled its order there 2.5 s later",
    );
    expect(onlyAgain(recorded(5), [live(5, AT_US + 1_500 * MS)])).toBe(
      "time: live filled the order there 1.5 s later",
    );
  });
});
