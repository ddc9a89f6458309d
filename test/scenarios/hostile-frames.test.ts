import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RunMonitor } from "#bot/run-monitor.js";
import { createLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";
import { BOTH, quotingStage } from "./quoting-stage.js";
import { MARKET, Stage } from "./stage.js";

const TEN_MEGABYTES = 10 * 1024 * 1024;
const BOOK = `${MARKET}@orderbook`;

function levels(stage: Stage): unknown {
  return stage.rig.bot.context.traders.get(MARKET)?.book.entries();
}

function sequence(stage: Stage): number {
  return stage.rig.bot.context.traders.get(MARKET)?.book.sequence ?? Number.NaN;
}

function malformed(stage: Stage): number {
  return stage.notices.filter(({ kind }) => kind === "malformed").length;
}

function frame(stream: string, data: unknown): string {
  return JSON.stringify({ stream, data });
}

function expectTheExchangesBook(stage: Stage): void {
  const { bids, asks, sequence: exchanges } = stage.exchange.book(MARKET);
  const { book } = stage.rig.bot.context.traders.get(MARKET) ?? {};
  expect(book?.entries()).toEqual({ bids: bids.flat(), asks: asks.flat() });
  expect(book?.sequence).toBe(exchanges);
}

/** Values that no exchange would send in any place. */
const nonsense = fc.constantFrom<unknown>(
  null,
  true,
  [],
  {},
  [[]],
  "",
  "abc",
  "-0x1",
  "1e5",
  "NaN",
  "-1",
  -1,
  1.5,
  1e308,
  "9".repeat(400),
  "__proto__",
);

/** Every path inside a JSON value. */
function paths(
  value: unknown,
  at: readonly (string | number)[] = [],
): (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [at];
  const inner = Object.entries(value).flatMap(([key, held]) =>
    paths(held, [...at, Array.isArray(value) ? Number(key) : key]),
  );
  return at.length === 0 ? inner : [at, ...inner];
}

function withValue(text: string, path: readonly (string | number)[], value: unknown): string {
  const whole = JSON.parse(text) as Record<string | number, unknown>;
  let at: Record<string | number, unknown> = whole;
  for (const part of path.slice(0, -1)) at = at[part] as Record<string | number, unknown>;
  const last = path.at(-1) ?? "";
  if (value === undefined) delete at[last];
  else at[last] = value;
  return JSON.stringify(whole);
}

describe("market frames that do not match the protocol", () => {
  const level = (price: unknown, amount: unknown) => [[price, amount]];
  const update = (change: Record<string, unknown>) => (stage: Stage) =>
    frame(BOOK, {
      event: "update",
      beginSequence: sequence(stage) + 1,
      endSequence: sequence(stage) + 1,
      bids: [],
      asks: [],
      ...change,
    });

  it.each<readonly [string, (stage: Stage) => string]>([
    ["half a frame", (stage) => update({})(stage).slice(0, 60)],
    ["no JSON", () => "<html>502 Bad Gateway</html>"],
    ["an empty text", () => ""],
    ["a number", () => "17"],
    ["a list", () => "[1,2,3]"],
    ["null", () => "null"],
    ["a hundred thousand brackets", () => "[".repeat(100_000)],
    ["data that is text", () => frame(BOOK, "update")],
    ["data that is null", () => `{"stream":"${BOOK}","data":null}`],
    ["no event", () => frame(BOOK, { bids: [], asks: [] })],
    ["no sequences", update({ beginSequence: undefined })],
    ["sequences as text", (stage) => update({ beginSequence: String(sequence(stage) + 1) })(stage)],
    [
      "a sequence that is no integer",
      (stage) => update({ endSequence: sequence(stage) + 1.5 })(stage),
    ],
    ["a sequence past 2^53", update({ endSequence: 2 ** 60 })],
    ["a negative sequence", update({ beginSequence: -5 })],
    [
      "sequences that run backwards",
      (stage) =>
        update({ beginSequence: sequence(stage) + 1, endSequence: sequence(stage) })(stage),
    ],
    ["levels that are no list", update({ bids: { "59990.0": "1" } })],
    ["a level of one value", update({ bids: [["59990.0"]] })],
    ["a price that is a number", update({ bids: level(59_990, "1") })],
    ["a price off the grid", update({ bids: level("59990.05", "1") })],
    ["a price of nothing", update({ bids: level("0", "1") })],
    ["a negative price", update({ bids: level("-59990.0", "1") })],
    ["a price with an exponent", update({ bids: level("6e4", "1") })],
    ["a price past every integer", update({ asks: level("9".repeat(40), "1") })],
    ["a negative amount", update({ asks: level("60010.0", "-1") })],
    ["an amount past every integer", update({ asks: level("60010.0", "9".repeat(40)) })],
    ["NaN", update({ asks: level("NaN", "NaN") })],
    [
      "a bad level after a good one",
      update({
        bids: [
          ["59999.5", "5"],
          ["x", "1"],
        ],
      }),
    ],
    [
      "a mark of nonsense",
      () =>
        frame(`${MARKET}@market`, {
          fundingRate: "x",
          nextFundingTime: 1,
          markPrice: "1",
          indexPrice: "1",
        }),
    ],
    [
      "a trade of nonsense",
      () =>
        frame(`${MARKET}@trades`, { id: {}, price: "1", amount: "1", time: 1, isBuyerMaker: "no" }),
    ],
    [
      "ten megabytes of levels",
      update({ bids: Array.from({ length: 520_000 }, () => ["59990.0", "1.000"]) }),
    ],
    ["ten megabytes of text", () => frame(BOOK, "x".repeat(TEN_MEGABYTES))],
    ["ten megabytes of no JSON", () => "x".repeat(TEN_MEGABYTES)],
  ])("%s: counted, the book does not move, quoting goes on", async (_name, hostile) => {
    const stage = await quotingStage();
    const [before, counted, placed] = [
      levels(stage),
      malformed(stage),
      stage.network.sentOf("placeOrder").length,
    ];

    expect(stage.network.inject("market", hostile(stage))).toBe(true);
    await stage.passes(20);
    expect(levels(stage)).toEqual(before);
    expect(malformed(stage)).toBe(counted + 1);

    await stage.passes(5_000);
    expect(stage.quotes()).toEqual(BOTH);
    expect(stage.network.sentOf("placeOrder")).toHaveLength(placed);
    expectTheExchangesBook(stage);
  });

  it.each<readonly [string, string]>([
    ["an event of tomorrow", frame(BOOK, { event: "checksum", value: 17 })],
    ["a stream of tomorrow", frame(`${MARKET}@liquidations`, { anything: true })],
    [
      "a book of another market",
      frame("ethusdc@orderbook", {
        event: "snapshot",
        sequence: 1,
        bids: [["1", "1"]],
        asks: [["2", "1"]],
      }),
    ],
    [
      "a stream without a market",
      frame("orderbook", {
        event: "snapshot",
        sequence: 1,
        bids: [["1", "1"]],
        asks: [["2", "1"]],
      }),
    ],
    [
      "a stream of Object's own",
      frame("__proto__@orderbook", { event: "snapshot", sequence: 1, bids: [], asks: [] }),
    ],
    ["an acknowledgement nobody waits for", '{"id":99,"result":null}'],
  ])("%s is none of ours: nothing moves", async (_name, text) => {
    const stage = await quotingStage();
    const before = levels(stage);
    stage.network.inject("market", text);
    await stage.passes(20);
    expect(levels(stage)).toEqual(before);
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual(BOTH);
  });

  it("any true frame with any one value exchanged for nonsense, or cut off anywhere", async () => {
    const stage = await quotingStage();
    const samples = stage.network.frames.market.filter((text) => text.startsWith("{"));
    expect(samples.some((text) => text.includes("snapshot"))).toBe(true);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.nat(),
        nonsense,
        fc.boolean(),
        async (which, where, value, cut) => {
          const text = samples[which % samples.length] as string;
          const places = paths(JSON.parse(text));
          const hostile = cut
            ? text.slice(0, where % text.length)
            : withValue(text, places[where % places.length] ?? [], value);
          stage.network.inject("market", hostile);
          await stage.passes(30);
        },
      ),
      { numRuns: 150, endOnFailure: true },
    );
    await stage.passes(15_000);
    expectTheExchangesBook(stage);
    expect(stage.quotes()).toEqual(BOTH);
    expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
    stage.expectAgreement();
  });
});

describe("book frames that are well formed and cannot be true", () => {
  it.each<readonly [string, (sequence: number) => Record<string, unknown>]>([
    [
      "a crossed snapshot",
      (at) => ({
        event: "snapshot",
        sequence: at + 1,
        bids: [["60500.0", "1"]],
        asks: [["60400.0", "1"]],
      }),
    ],
    [
      "an update that crosses the book",
      (at) => ({
        event: "update",
        beginSequence: at + 1,
        endSequence: at + 1,
        bids: [["60900.0", "1"]],
        asks: [],
      }),
    ],
    [
      "an update from the past",
      (at) => ({
        event: "update",
        beginSequence: at - 1,
        endSequence: at,
        bids: [["59999.5", "9"]],
        asks: [],
      }),
    ],
    [
      "an update from the future",
      (at) => ({
        event: "update",
        beginSequence: at + 7,
        endSequence: at + 9,
        bids: [["59999.5", "9"]],
        asks: [],
      }),
    ],
    [
      "the next update, which the exchange never sent",
      (at) => ({
        event: "update",
        beginSequence: at + 1,
        endSequence: at + 1,
        bids: [["59999.5", "9"]],
        asks: [],
      }),
    ],
    [
      "an update up to the last sequence of all",
      (at) => ({
        event: "update",
        beginSequence: at + 1,
        endSequence: Number.MAX_SAFE_INTEGER,
        bids: [["59999.5", "9"]],
        asks: [],
      }),
    ],
    ["an empty snapshot", () => ({ event: "snapshot", sequence: 0, bids: [], asks: [] })],
    [
      "a snapshot of another world",
      () => ({
        event: "snapshot",
        sequence: Number.MAX_SAFE_INTEGER,
        bids: [["10.0", "1"]],
        asks: [["11.0", "1"]],
      }),
    ],
  ])(
    "%s: the exchange's own book is back within seconds, in a quiet market too",
    async (_name, data) => {
      const stage = await quotingStage();
      stage.network.inject("market", frame(BOOK, data(sequence(stage))));
      await stage.passes(20_000);

      expectTheExchangesBook(stage);
      expect(stage.quotes()).toEqual(BOTH);
      expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
      stage.expectAgreement();
    },
  );
});

describe("account frames of nonsense", () => {
  it.each<readonly [string, string]>([
    ["no JSON", "<html>"],
    ["a list", "[]"],
    ["an order that is text", '{"event":"ORDER_UPDATE","timestamp":1,"order":"mine"}'],
    ["no order", '{"event":"ORDER_UPDATE","timestamp":1}'],
    ["an order without a market", '{"event":"ORDER_UPDATE","timestamp":1,"order":{}}'],
    ["no trade", '{"event":"TRADE_UPDATE","trade":null}'],
    ["no balances", '{"event":"ACCOUNT_UPDATE","positions":[]}'],
    ["incomes that are no list", '{"event":"INCOME_UPDATE","incomes":{}}'],
    ["ten megabytes", JSON.stringify({ event: "ORDER_UPDATE", order: "x".repeat(TEN_MEGABYTES) })],
  ])("%s: counted, and nothing else", async (_name, text) => {
    const stage = await quotingStage();
    const counted = malformed(stage);
    stage.network.inject("account", text);
    await stage.passes(100);
    expect(malformed(stage)).toBe(counted + 1);
    expect(stage.quotes()).toEqual(BOTH);
    stage.expectAgreement();
  });

  it("an event of tomorrow, and an order of another market, are none of ours", async () => {
    const stage = await quotingStage();
    const counted = malformed(stage);
    const order = stage.network.frames.account.find((text) => text.includes("ORDER_UPDATE")) ?? "";
    stage.network.inject("account", '{"event":"FLASH_UPDATE","anything":[1]}');
    stage.network.inject("account", order.replaceAll(`"${MARKET}"`, '"ethusdc"'));
    await stage.passes(100);
    expect(malformed(stage)).toBe(counted);
    stage.expectAgreement();
  });

  it("any true frame with any one value exchanged for nonsense, or cut off anywhere: it ends with what the exchange has", async () => {
    const stage = await quotingStage();
    const samples = stage.network.frames.account.filter((text) => text.startsWith("{"));
    for (const event of ["ORDER_UPDATE", "TRADE_UPDATE", "ACCOUNT_UPDATE", "INCOME_UPDATE"])
      expect(
        samples.some((text) => text.includes(event)),
        event,
      ).toBe(true);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.nat(),
        nonsense,
        fc.boolean(),
        async (which, where, value, cut) => {
          const text = samples[which % samples.length] as string;
          const places = paths(JSON.parse(text));
          const hostile = cut
            ? text.slice(0, where % text.length)
            : withValue(text, places[where % places.length] ?? [], value);
          stage.network.inject("account", hostile);
          await stage.passes(30);
        },
      ),
      { numRuns: 200, endOnFailure: true },
    );
    await stage.passes(65_000);
    expect(stage.quotes()).toEqual(BOTH);
    expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
    stage.expectAgreement();
  });
});

describe("the log", () => {
  it("says a kind of malformed frame once a minute, and how many it left out; the metric has them all", async () => {
    const stage = new Stage();
    const lines: Record<string, unknown>[] = [];
    const metrics = new Metrics();
    const log = createLog(
      { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
      { level: "info", clock: stage.clock },
    );
    const monitor = new RunMonitor(metrics, log, stage.clock, () => {});
    stage.listeners.push((notice) => monitor.onBotEvent(notice));
    await stage.botStarts();
    monitor.attach(stage.rig.bot);

    for (let count = 0; count < 200; count++) {
      stage.network.inject("market", `{"stream":"${BOOK}","data":${count}`);
      stage.network.inject("account", "[]");
      await stage.passes(250);
    }
    const malformedLines = () => lines.filter(({ msg }) => String(msg).startsWith("malformed"));
    expect(malformedLines().map(({ msg }) => msg)).toEqual([
      "malformed stream multiple",
      "malformed stream account",
    ]);

    await stage.passes(20_000);
    stage.network.inject("market", "{");
    await stage.passes(100);
    expect(malformedLines().at(-1)).toMatchObject({
      msg: "malformed stream multiple",
      moreBefore: 199,
    });
    expect(monitor.malformed).toBe(401);
    expect(await metrics.registry.metrics()).toMatch(
      /marketwright_malformed_\w+\{[^}]*stream multiple[^}]*\} 201/,
    );
    expect(stage.quotes()).toEqual(BOTH);
  });
});
