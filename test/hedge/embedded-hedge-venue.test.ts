import { describe, expect, test } from "vitest";
import { decimalToScaled } from "#core/instrument.js";
import { isTaggedKey } from "#hedge/hedge-order-key.js";
import { EmbeddedRig, SYMBOL, TAG } from "./embedded-rig.js";

/** A price in ticks of the default market. */
const PRICE = 300_000;

async function opened(config: Record<string, unknown> = {}): Promise<EmbeddedRig> {
  const rig = new EmbeddedRig({ gasFee: { waiverMultiple: 0 }, ...config });
  rig.other("SELL", PRICE + 10, 40);
  rig.other("SELL", PRICE + 20, 40);
  rig.other("BUY", PRICE - 10, 50);
  await rig.open();
  return rig;
}

describe("orders at an exchange of this kind as hedges", () => {
  test("a hedge that takes fills what is within its price, and nothing of it rests", async () => {
    const rig = await opened();
    const order = rig.order("BUY", PRICE + 10, 60);
    const answer = await rig.ask(order);
    expect(answer).toMatchObject({ result: "order", order: { key: order.key, lots: 60 } });
    expect(rig.only("order").at(-1)).toMatchObject({
      order: { key: order.key, side: "BUY", lots: 60, filledLots: 40, isOpen: false },
    });
    expect(rig.exchange.openOrders(rig.address)).toEqual([]);
    expect(rig.exchange.positionLots(rig.address, SYMBOL)).toBe(40);
  });

  test("a match counts as a fill at once, though its settlement takes an hour", async () => {
    const rig = await opened({ settlement: { delayMs: 3_600_000 } });
    const order = rig.order("BUY", PRICE + 20, 60);
    await rig.ask(order, 100);
    expect(rig.fills.map(({ key, lots, isReversed }) => [key, lots, isReversed])).toEqual([
      [order.key, 40, false],
      [order.key, 20, false],
    ]);
  });

  test("amounts and fees of a fill are the exchange's to the unit", async () => {
    const rig = await opened();
    await rig.ask(rig.order("BUY", PRICE + 10, 3));
    const [trade] = [
      ...(rig.exchange.account(rig.address)?.markets.get(SYMBOL)?.trades.page({ limit: 5 }) ?? []),
    ];
    expect(rig.fills).toMatchObject([
      {
        quote: (trade?.trade.quote ?? 0n) * 100n,
        fee: (trade?.commission ?? 0n) * 100n,
        feeAsset: "USDC",
        isMaker: false,
      },
    ]);
    const contract = rig.venue.contracts.get(SYMBOL);
    expect(rig.fills[0]?.quote).toBe(contract?.instrument.creditFloor(PRICE + 10, 3));
  });

  test("a hedge that rests never takes, and its cancel tells the fills until then", async () => {
    const rig = await opened();
    const crossing = await rig.ask(rig.order("BUY", PRICE + 10, 5, { timeInForce: "POST_ONLY" }));
    expect(crossing).toMatchObject({ result: "order", order: { filledLots: 0 } });
    expect(rig.fills).toEqual([]);

    const resting = rig.order("SELL", PRICE, 30, { timeInForce: "POST_ONLY" });
    expect(await rig.ask(resting)).toMatchObject({ order: { isOpen: true, filledLots: 0 } });
    rig.faults.strikeUntil("frame-lost", rig.clock.nowMs() + 50);
    rig.other("BUY", PRICE, 12);
    const cancelled = await rig.ask({ kind: "cancel", key: resting.key });
    expect(cancelled).toMatchObject({
      result: "order",
      order: { key: resting.key, isOpen: false, filledLots: 12 },
    });
  });

  test("an order that ended in full answers its cancel with its fills", async () => {
    const rig = await opened();
    const order = rig.order("BUY", PRICE + 10, 7);
    await rig.ask(order);
    expect(await rig.ask({ kind: "cancel", key: order.key })).toMatchObject({
      result: "order",
      order: { isOpen: false, filledLots: 7 },
    });
  });

  test("a restarted bot finds its orders and fills by their keys, and can cancel them", async () => {
    const rig = await opened();
    const taken = rig.order("BUY", PRICE + 10, 7);
    const resting = rig.order("SELL", PRICE + 5, 9, { timeInForce: "POST_ONLY" });
    const since = rig.clock.nowMs();
    await rig.ask(taken);
    await rig.ask(resting);
    rig.kill();
    rig.other("BUY", PRICE + 5, 4);
    await rig.passes(5_000);
    await rig.open();

    const open = await rig.ask({ kind: "open-orders" });
    expect(open).toMatchObject({
      result: "open-orders",
      orders: [{ key: resting.key, filledLots: 4, isOpen: true }],
    });
    expect(isTaggedKey(resting.key, TAG)).toBe(true);
    expect(await rig.ask({ kind: "order", key: taken.key })).toMatchObject({
      result: "order",
      order: { key: taken.key, filledLots: 7, isOpen: false },
    });
    expect(await rig.ask({ kind: "fills", sinceMs: since })).toMatchObject({
      result: "fills",
      isWhole: true,
      fills: [
        { key: taken.key, lots: 7, isMaker: false },
        { key: resting.key, lots: 4, isMaker: true },
      ],
    });
    rig.kill();
    await rig.open();
    expect(await rig.ask({ kind: "cancel", key: resting.key })).toMatchObject({
      result: "order",
      order: { isOpen: false, filledLots: 4 },
    });
    expect(rig.exchange.openOrders(rig.address)).toEqual([]);
  });

  test("an order of another client has no key of the bot's tag", async () => {
    const rig = await opened();
    const foreign = rig.order("SELL", PRICE + 5, 9, {
      key: "mw-0001000000000001",
      timeInForce: "POST_ONLY",
    });
    await rig.ask(foreign);
    expect(rig.only("order").every(({ order }) => isTaggedKey(order.key, TAG))).toBe(false);
  });
});

describe("a settlement that fails", () => {
  test("reverses the fill exactly once, with the same id and fee", async () => {
    const rig = await opened({ settlement: { delayMs: 800, failureRate: 1 } });
    const since = rig.clock.nowMs();
    rig.faults.strikeUntil("frame-repeated", since + 60_000);
    const order = rig.order("BUY", PRICE + 10, 7);
    await rig.ask(order);
    const [fill, reversal, ...more] = rig.fills;
    expect(more).toEqual([]);
    expect(fill).toMatchObject({ key: order.key, lots: 7, isReversed: false });
    expect(reversal).toEqual({ ...fill, isReversed: true });
    expect(await rig.ask({ kind: "fills", sinceMs: since })).toMatchObject({
      fills: [fill, reversal],
    });
    expect(rig.exchange.positionLots(rig.address, SYMBOL)).toBe(0);
  });

  test("is found by a later question for fills, though that asks for newer ones only", async () => {
    const rig = await opened({ settlement: { delayMs: 800, failureRate: 1 } });
    await rig.ask(rig.order("BUY", PRICE + 10, 7), 100);
    rig.network.dropStreams("cut");
    rig.faults.strikeUntil("frame-lost", rig.clock.nowMs() + 5_000);
    await rig.passes(3_000);
    expect(rig.fills).toHaveLength(1);
    const later = await rig.ask({ kind: "fills", sinceMs: rig.clock.nowMs() });
    expect(later).toMatchObject({ fills: [{ isReversed: false }, { isReversed: true }] });
  });

  test("leaves no gap between an order's fills and its report", async () => {
    const rig = await opened({ settlement: { delayMs: 300, failureRate: 1 } });
    const order = rig.order("BUY", PRICE + 10, 7);
    await rig.ask(order);
    expect(await rig.ask({ kind: "order", key: order.key })).toMatchObject({
      order: { filledLots: 7 },
    });
  });
});

describe("answers that prove nothing", () => {
  test("a lost answer leaves the fate unknown, and the order is found by its key", async () => {
    const rig = await opened();
    rig.faults.strikeUntil("answer-lost", rig.clock.nowMs() + 500);
    const order = rig.order("BUY", PRICE + 10, 7);
    expect(await rig.ask(order)).toMatchObject({ result: "unknown" });
    expect(await rig.ask({ kind: "order", key: order.key })).toMatchObject({
      result: "order",
      order: { filledLots: 7 },
    });
  });

  test("an order that never arrived is absent, which alone proves nothing", async () => {
    const rig = await opened();
    rig.faults.strikeUntil("request-lost", rig.clock.nowMs() + 500);
    const order = rig.order("BUY", PRICE + 10, 7);
    expect(await rig.ask(order)).toMatchObject({ result: "unknown" });
    expect(await rig.ask({ kind: "order", key: order.key })).toMatchObject({ result: "absent" });
    expect(await rig.ask({ kind: "cancel", key: order.key })).toMatchObject({ result: "absent" });
  });

  test("a 5xx leaves the fate unknown, and a rate limit means that nothing was sent", async () => {
    const rig = await opened();
    rig.faults.strikeUntil("storm-5xx", rig.clock.nowMs() + 100);
    expect(await rig.ask(rig.order("BUY", PRICE + 10, 1))).toMatchObject({ result: "unknown" });
    rig.faults.strikeUntil("storm-429", rig.clock.nowMs() + 100);
    expect(await rig.ask(rig.order("BUY", PRICE + 10, 1))).toMatchObject({
      result: "not-sent",
      retryAfterMs: 1_000,
    });
  });

  test("a refusal with a code has changed nothing", async () => {
    const rig = await opened();
    expect(await rig.ask(rig.order("BUY", PRICE + 10, 900_000))).toMatchObject({
      result: "rejected",
    });
    expect(await rig.ask(rig.order("BUY", 0, 1))).toMatchObject({ result: "not-sent" });
  });

  test("a cancel whose question fails is not sent", async () => {
    const rig = await opened();
    const resting = rig.order("SELL", PRICE + 5, 9, { timeInForce: "POST_ONLY" });
    await rig.ask(resting);
    rig.kill();
    await rig.open();
    rig.faults.strikeUntil("answer-lost", rig.clock.nowMs() + 500);
    expect(await rig.ask({ kind: "cancel", key: resting.key })).toMatchObject({
      result: "not-sent",
    });
    expect(rig.exchange.openOrders(rig.address)).toHaveLength(1);
  });
});

describe("streams and account", () => {
  test("are up only when both streams are, and the first event says which", async () => {
    const rig = await opened();
    expect(rig.events[0]).toMatchObject({ type: "stream" });
    expect(rig.only("stream").at(-1)).toMatchObject({ state: "up" });
    expect(rig.only("touch").at(-1)).toEqual({
      type: "touch",
      symbol: SYMBOL,
      bidTicks: PRICE - 10,
      bidLots: 50,
      askTicks: PRICE + 10,
      askLots: 40,
    });
    rig.network.dropStreams("cut");
    await rig.passes(5);
    expect(rig.only("stream").at(-1)).toMatchObject({ state: "down" });
    await rig.passes(3_000);
    expect(rig.only("stream").at(-1)).toMatchObject({ state: "up" });
    expect(rig.only("touch").at(-1)).toMatchObject({ bidTicks: PRICE - 10 });
  });

  test("the touch is right again after an update was lost", async () => {
    const rig = await opened();
    rig.faults.strikeUntil("frame-lost", rig.clock.nowMs() + 300);
    rig.other("BUY", PRICE - 5, 5);
    await rig.passes(500);
    rig.other("BUY", PRICE - 4, 6);
    await rig.passes(2_000);
    expect(rig.only("touch").at(-1)).toMatchObject({ bidTicks: PRICE - 4, bidLots: 6 });
  });

  test("the touch is right again after a stream stalled, with its snapshot or in between", async () => {
    const rig = await opened();
    rig.kill();
    rig.faults.strikeUntil("stream-stalled", rig.clock.nowMs() + 400);
    await rig.open();
    expect(rig.only("touch")).toEqual([]);
    await rig.passes(3_000);
    expect(rig.only("touch").at(-1)).toMatchObject({ bidTicks: PRICE - 10 });
    rig.faults.strikeUntil("stream-stalled", rig.clock.nowMs() + 300);
    rig.other("BUY", PRICE - 5, 5);
    await rig.passes(7_000);
    expect(rig.only("touch").at(-1)).toMatchObject({ bidTicks: PRICE - 5, bidLots: 5 });
  });

  test("a step of this machine's clock refuses no order", async () => {
    const rig = await opened();
    rig.machine.skewMs = 3_600_000;
    expect(await rig.ask(rig.order("BUY", PRICE + 10, 1))).toMatchObject({ result: "order" });
    rig.network.dropStreams("cut");
    await rig.passes(2_000);
    expect(rig.only("stream").at(-1)).toMatchObject({ state: "up" });
  });

  test("more fills of one instant than a page holds are all read", async () => {
    const rig = await opened();
    const since = rig.clock.nowMs();
    for (let count = 0; count < 505; count += 1) rig.other("SELL", PRICE, 1);
    const order = rig.order("BUY", PRICE, 505);
    await rig.ask(order);
    rig.kill();
    await rig.open();
    const answer = await rig.ask({ kind: "fills", sinceMs: since });
    expect(answer).toMatchObject({ result: "fills", isWhole: true });
    const fills = answer.result === "fills" ? answer.fills : [];
    expect(new Set(fills.map(({ id }) => id)).size).toBe(505);
    expect(fills.every(({ key }) => key === order.key)).toBe(true);
  });

  test("the account's position, equity and funding are the exchange's to the unit", async () => {
    const rig = await opened({
      markets: { [SYMBOL]: { funding: { mode: "fixed", rate: "0.0001", intervalMs: 60_000 } } },
    });
    const since = rig.clock.nowMs();
    await rig.ask(rig.order("SELL", PRICE - 10, 20));
    await rig.passes(130_000);
    expect(rig.only("account-changed").map(({ reason }) => reason)).toContain("FUNDING_FEE");
    const funding = await rig.ask({ kind: "funding", sinceMs: since });
    const { incomes } = rig.exchange.account(rig.address) as NonNullable<
      ReturnType<typeof rig.exchange.account>
    >;
    const paid = incomes.page({ limit: 500 }, ({ type }) => type === "FUNDING_FEE");
    expect(paid.length).toBeGreaterThan(0);
    expect(funding).toMatchObject({
      result: "funding",
      payments: paid.map(({ id, amount }) => ({ id, amount: amount * 100n, asset: "USDC" })),
    });
    const { netValue } = rig.exchange.balances(rig.address).balances;
    expect(await rig.ask({ kind: "account" })).toMatchObject({
      result: "account",
      account: { positionLots: { [SYMBOL]: -20 }, equity: decimalToScaled(netValue, 8) },
    });
  });

  test("the next funding is reported when it changes, and not with every mark", async () => {
    const intervalMs = 60_000;
    const funding = { mode: "fixed", rate: "-0.0003", intervalMs };
    const rig = await opened({ markets: { [SYMBOL]: { funding } } });
    await rig.passes(3 * intervalMs);
    const announced = rig.only("funding-rate");
    expect(announced).toHaveLength(4);
    for (const [at, { symbol, fundingRate, nextFundingMs }] of announced.entries()) {
      expect([symbol, fundingRate]).toEqual([SYMBOL, -0.0003]);
      expect(nextFundingMs).toBe((announced[0]?.nextFundingMs ?? 0) + at * intervalMs);
    }
  });

  test("nothing is sent or answered after the close, and another market is refused", async () => {
    const rig = await opened();
    rig.venue.submit({ kind: "account", actionId: 7, symbol: "dogeusdc" });
    await rig.passes(10);
    expect(rig.only("answer").at(-1)).toMatchObject({
      actionId: 7,
      outcome: { result: "not-sent" },
    });
    const count = rig.events.length;
    rig.venue.submit({ ...rig.order("BUY", PRICE + 10, 1), actionId: 8, symbol: SYMBOL });
    rig.venue.close();
    await rig.passes(60_000);
    expect(rig.events).toHaveLength(count);
  });
});
