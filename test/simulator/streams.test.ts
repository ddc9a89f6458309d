import { describe, expect, it } from "vitest";
import { encode, type ReferenceClient, traders } from "./reference-client.js";
import { StreamReader } from "./stream-reader.js";

function accountPath(client: ReferenceClient, more = ""): string {
  const { signature, timestamp } = client.signed();
  return `/v1/single/account@${client.address}?timestamp=${timestamp}&signature=${signature}${more}`;
}

const EVERY_CHANGE = { streams: { bookIntervalMs: 0 } };

describe("the order book stream", () => {
  it("starts with a snapshot and goes on with contiguous updates of absolute amounts, zero deleting a level", () => {
    const { exchange, alice, bob } = traders(EVERY_CHANGE);
    alice.place("BUY", "30000", "0.1");
    const reader = new StreamReader(exchange, "/v1/single/btcusdc@orderbook");
    const [snapshot] = reader.take();
    expect(snapshot).toMatchObject({ event: "snapshot", bids: [["30000", "0.1"]], asks: [] });
    bob.place("BUY", "30000", "0.2");
    const { id } = alice.place("SELL", "30010", "0.5").json;
    alice.cancel(id);
    const updates = reader.take();
    expect(updates).toMatchObject([
      { bids: [["30000", "0.3"]] },
      { asks: [["30010", "0.5"]] },
      { asks: [["30010", "0"]] },
    ]);
    let previous = snapshot.sequence;
    for (const update of updates) {
      expect(update.beginSequence).toBe(previous + 1);
      expect(update).not.toHaveProperty("sequence");
      previous = update.endSequence;
    }
    expect(exchange.book("btcusdc").sequence).toBe(previous);
  });

  it("gathers the changes of an interval into one update", async () => {
    const { exchange, alice, clock } = traders({ streams: { bookIntervalMs: 25 } });
    const reader = new StreamReader(exchange, "/v1/single/btcusdc@orderbook");
    const [{ sequence }] = reader.take();
    for (const price of ["30000", "30001", "30002"]) {
      alice.place("BUY", price, "0.1");
    }
    await clock.runFor(24);
    expect(reader.take()).toEqual([]);
    await clock.runFor(1);
    expect(reader.take()).toMatchObject([
      { beginSequence: sequence + 1, endSequence: sequence + 3 },
    ]);
  });

  it("gives a late reader a snapshot that the next update continues, and the early one no gap", async () => {
    const { exchange, alice, clock } = traders({ streams: { bookIntervalMs: 25 } });
    const early = new StreamReader(exchange, "/v1/single/btcusdc@orderbook");
    const start = early.take()[0].sequence;
    alice.place("BUY", "30000", "0.1");
    const late = new StreamReader(exchange, "/v1/single/btcusdc@orderbook");
    const snapshot = late.take()[0];
    alice.place("BUY", "30001", "0.1");
    await clock.runFor(25);
    const [first, second] = early.take();
    expect([first.beginSequence, first.endSequence, second.beginSequence]).toEqual([
      start + 1,
      start + 1,
      start + 2,
    ]);
    expect(snapshot.sequence).toBe(start + 1);
    expect(late.take()).toMatchObject([{ beginSequence: start + 2, bids: [["30001", "0.1"]] }]);
  });
});

describe("combined streams", () => {
  it("wrap every event, and are changed live with an acknowledgement that carries the id", async () => {
    const { exchange, alice, bob, clock } = traders(EVERY_CHANGE);
    const reader = new StreamReader(exchange, "/v1/multiple?streams=btcusdc@trades/btcusdc@market");
    expect(reader.take()).toMatchObject([{ stream: "btcusdc@market" }]);
    reader.connection.receive('{"id":7,"method":"SUBSCRIBE","params":["btcusdc@orderbook"]}');
    expect(reader.take()).toMatchObject([
      { id: 7, result: null },
      { stream: "btcusdc@orderbook", data: { event: "snapshot" } },
    ]);
    alice.place("SELL", "30000", "0.1");
    bob.place("BUY", "30000", "0.1");
    expect(reader.take().filter(({ stream }) => stream === "btcusdc@trades")).toMatchObject([
      {
        data: {
          price: "30000",
          amount: "0.1",
          quoteAmount: "3000",
          isBuyerMaker: false,
          status: "CREATED",
        },
      },
    ]);
    reader.connection.receive(
      '{"id":8,"method":"UNSUBSCRIBE","params":["btcusdc@orderbook","btcusdc@trades"]}',
    );
    expect(reader.take()).toEqual([{ id: 8, result: null }]);
    alice.place("SELL", "30000", "0.1");
    expect(reader.take()).toEqual([]);
    await clock.runFor(1000);
    expect(reader.take()).toMatchObject([
      { stream: "btcusdc@market", data: { markPrice: "30000", lastTradePrice: "30000" } },
    ]);
  });

  it("report the error of a request, and continue", () => {
    const { exchange } = traders();
    const reader = new StreamReader(exchange, "/v1/multiple");
    reader.connection.receive('{"id":1,"method":"SUBSCRIBE","params":["nope@orderbook"]}');
    reader.connection.receive('{"id":2,"method":"SUBSCRIBE","params":["btcusdc@depth"]}');
    reader.connection.receive('{"id":3,"method":"SUBSCRIBE","params":["account@0x00"]}');
    reader.connection.receive('{"id":4,"method":"UNSUBSCRIBE","params":["btcusdc@kline3M"]}');
    reader.connection.receive(
      '{"id":5,"method":"SUBSCRIBE","params":["btcusdc@trades","btcusdc@kline1Mo"]}',
    );
    expect(reader.take()).toMatchObject([
      { id: 1, code: 1112, codeText: "Invalid market id" },
      { id: 2, code: 1111, codeText: "Bad params", message: "unknown stream btcusdc@depth" },
      { id: 3, code: 1111 },
      { id: 4, code: 1111 },
      { id: 5, result: null },
      { id: 5, code: 1111, message: "unknown stream btcusdc@kline1Mo" },
    ]);
    expect(reader.closed).toBeUndefined();
    const single = new StreamReader(exchange, "/v1/single/btcusdc@trades");
    single.connection.receive('{"id":1,"method":"SUBSCRIBE","params":["btcusdc@market"]}');
    expect(single.take()).toMatchObject([
      { id: 1, code: 1111, message: "streams can be changed only on /multiple" },
    ]);
  });

  it("subscribe to the known names of a list and return an error for each unknown one, so that a missing book is noticed", () => {
    const { exchange, alice } = traders(EVERY_CHANGE);
    const reader = new StreamReader(exchange, "/v1/multiple");
    const params = ["nope@market", "btcusdc@orderbook", "btcusdc@depth", "btcusdc@market"];
    reader.connection.receive(JSON.stringify({ id: 9, method: "SUBSCRIBE", params }));
    alice.place("BUY", "30000", "0.1");
    const frames = reader.take();
    expect(frames.slice(0, 3)).toEqual([
      { id: 9, result: null },
      {
        id: 9,
        code: 1112,
        codeText: "Invalid market id",
        message: "unknown stream nope@market: unknown market nope",
      },
      { id: 9, code: 1111, codeText: "Bad params", message: "unknown stream btcusdc@depth" },
    ]);
    expect(frames.slice(3).map(({ stream, data }) => [stream, data.event])).toEqual([
      ["btcusdc@orderbook", "snapshot"],
      ["btcusdc@market", undefined],
      ["btcusdc@orderbook", "update"],
    ]);
    reader.connection.receive(JSON.stringify({ id: 10, method: "UNSUBSCRIBE", params }));
    expect(reader.take().map(({ id, code }) => [id, code])).toEqual([
      [10, undefined],
      [10, 1112],
      [10, 1111],
    ]);
    alice.place("BUY", "29000", "0.1");
    expect(reader.take()).toEqual([]);
  });

  it("named in an address are treated alike; an address without any known name is refused", () => {
    const { exchange } = traders();
    const reader = new StreamReader(
      exchange,
      "/v1/multiple?streams=btcusdc@orderbook/nope@market/btcusdc@depth",
    );
    expect(reader.take()).toMatchObject([
      { id: 0, code: 1112, message: expect.stringContaining("nope@market") },
      { id: 0, code: 1111, message: expect.stringContaining("btcusdc@depth") },
      { stream: "btcusdc@orderbook" },
    ]);
    expect(
      () => new StreamReader(exchange, "/v1/multiple?streams=nope@market/btcusdc@depth"),
    ).toThrow(/^400 .*1112.*nope@market/);
    expect(() => new StreamReader(exchange, "/v1/single/btcusdc@depth")).toThrow(
      /^400 .*1111.*btcusdc@depth/,
    );
  });

  it("accept @trade for @trades, the name in the events, and send a trade once to a client that asked for both", () => {
    const { exchange, alice, bob } = traders();
    const reader = new StreamReader(exchange, "/v1/multiple?streams=btcusdc@trade");
    const single = new StreamReader(exchange, "/v1/single/btcusdc@trade");
    reader.connection.receive(
      '{"id":1,"method":"SUBSCRIBE","params":["btcusdc@trades","btcusdc@trade"]}',
    );
    const meet = () => {
      alice.place("SELL", "30000", "0.1");
      bob.place("BUY", "30000", "0.1");
    };
    meet();
    const [acknowledgement, ...trades] = reader.take();
    expect(acknowledgement).toEqual({ id: 1, result: null });
    expect(trades).toMatchObject([{ stream: "btcusdc@trades", data: { price: "30000" } }]);
    expect(single.take()).toMatchObject([{ price: "30000" }]);
    reader.connection.receive('{"id":2,"method":"UNSUBSCRIBE","params":["btcusdc@trade"]}');
    meet();
    expect(reader.take()).toEqual([{ id: 2, result: null }]);
  });

  it.each(["/", "/v1", "/v1/", "/v1/multiple/"])(
    "are served to a client that dials %s and subscribes afterwards",
    (path) => {
      const { exchange } = traders();
      const reader = new StreamReader(exchange, path);
      expect(reader.take()).toEqual([]);
      reader.connection.receive('{"id":1,"method":"SUBSCRIBE","params":["btcusdc@orderbook"]}');
      expect(reader.take()).toMatchObject([
        { id: 1, result: null },
        { stream: "btcusdc@orderbook", data: { event: "snapshot" } },
      ]);
      expect(() => new StreamReader(exchange, "/v2")).toThrow(/unknown stream/);
    },
  );

  it.each([
    ["{", 0, "the message is not valid JSON"],
    ["", 0, "the message is not valid JSON"],
    [
      '{"method":"SUBSCRIBE","params":["btcusdc@trades"],"id":1,"id":2}',
      0,
      "id is in the message twice",
    ],
    ["[1]", 0, "the message is not a JSON object"],
    ["null", 0, "the message is not a JSON object"],
    [
      '{"method":"SUBSCRIBE","params":["btcusdc@trades"]}',
      0,
      "id is not a whole number from 1 to 2^64 - 1",
    ],
    [
      '{"id":0,"method":"SUBSCRIBE","params":["btcusdc@trades"]}',
      0,
      "id is not a whole number from 1 to 2^64 - 1",
    ],
    [
      '{"id":"7","method":"SUBSCRIBE","params":["btcusdc@trades"]}',
      0,
      "id is not a whole number from 1 to 2^64 - 1",
    ],
    [
      '{"id":18446744073709551616,"method":"SUBSCRIBE","params":["btcusdc@trades"]}',
      0,
      "id is not a whole number from 1 to 2^64 - 1",
    ],
    [
      '{"id":-9007199254740993,"method":"SUBSCRIBE","params":["btcusdc@trades"]}',
      0,
      "id is not a whole number from 1 to 2^64 - 1",
    ],
    [
      '{"id":1.5,"method":"SUBSCRIBE","params":["btcusdc@trades"]}',
      0,
      "id is not a whole number from 1 to 2^64 - 1",
    ],
    [
      '{"id":7,"method":"subscribe","params":["btcusdc@trades"]}',
      7,
      "method is neither SUBSCRIBE nor UNSUBSCRIBE",
    ],
    ['{"id":7,"params":["btcusdc@trades"]}', 7, "method is neither SUBSCRIBE nor UNSUBSCRIBE"],
    [
      '{"id":7,"method":"SUBSCRIBE","params":"btcusdc@trades"}',
      7,
      "params is not a list of stream names",
    ],
    ['{"id":7,"method":"SUBSCRIBE","params":[]}', 7, "params is not a list of stream names"],
    [
      '{"id":7,"method":"SUBSCRIBE","params":["btcusdc@trades",1]}',
      7,
      "params is not a list of stream names",
    ],
    ['{"id":7,"method":"SUBSCRIBE"}', 7, "params is not a list of stream names"],
  ])("answer %j under id %i, and have subscribed to nothing", (message, id, reason) => {
    const { exchange, alice, bob } = traders(EVERY_CHANGE);
    const reader = new StreamReader(exchange, "/v1/multiple");
    reader.connection.receive(message);
    expect(reader.take()).toEqual([{ id, code: 1111, codeText: "Bad params", message: reason }]);
    alice.place("SELL", "30000", "0.1");
    bob.place("BUY", "30000", "0.1");
    expect(reader.take()).toEqual([]);
  });

  it.each(["9007199254740993", "1795430000123456789", "18446744073709551615"])(
    "are answered under an id of up to 64 bits with every digit of it: %s",
    (id) => {
      // Otherwise a client that numbers requests by nanoseconds would be refused, or mistake
      // another's response for its own.
      const { exchange } = traders(EVERY_CHANGE);
      const reader = new StreamReader(exchange, "/v1/multiple");
      reader.connection.receive(`{"id":${id},"method":"SUBSCRIBE","params":["btcusdc@trades"]}`);
      reader.connection.receive(`{"id": ${id} ,"method":"SUBSCRIBE","params":["nope@trades"]}`);
      expect(reader.texts).toEqual([
        `{"id":${id},"result":null}`,
        expect.stringMatching(`^{"id":${id},"code":1112,`),
      ]);
    },
  );

  it("are at most fifty on a connection", () => {
    const markets = Object.fromEntries(
      Array.from({ length: 51 }, (_, place) => [`m${place + 100}`, {}]),
    );
    const { exchange } = traders({ markets });
    const names = Object.keys(markets).map((id) => `${id}@trades`);
    expect(() => new StreamReader(exchange, `/v1/multiple?streams=${names.join("/")}`)).toThrow(
      /1111/,
    );
    const reader = new StreamReader(
      exchange,
      `/v1/multiple?streams=${names.slice(0, 50).join("/")}`,
    );
    reader.connection.receive(`{"id":1,"method":"SUBSCRIBE","params":["${names[50]}"]}`);
    expect(reader.take()).toMatchObject([{ id: 1, code: 1111 }]);
  });
});

describe("the account stream", () => {
  it("reports an order's life: accepted, matched, settled, with its trade, incomes and balances", async () => {
    const { exchange, alice, bob, clock } = traders();
    const reader = new StreamReader(exchange, accountPath(alice));
    alice.place("SELL", "30000", "0.1");
    expect(reader.take()).toMatchObject([
      { event: "ORDER_UPDATE", order: { status: "NEW", availableAmount: "0.1" } },
      { event: "ACCOUNT_UPDATE", balances: { frozenMargin: "150" } },
    ]);
    bob.place("BUY", "30000", "0.1");
    expect(reader.take()).toMatchObject([
      { event: "ORDER_UPDATE", order: { status: "PARTIAL_FILLED", pendingAmount: "0.1" } },
      {
        event: "TRADE_UPDATE",
        trade: { status: "CREATED", isMaker: true, isBuyer: false, commission: "-0.3" },
      },
      { event: "ACCOUNT_UPDATE", positions: [{ side: "SHORT", size: "0.1" }] },
    ]);
    await clock.runFor(2000);
    expect(reader.take()).toMatchObject([
      {
        event: "ORDER_UPDATE",
        order: { status: "FILLED", filledAmount: "0.1", pendingAmount: "0" },
      },
      { event: "TRADE_UPDATE", trade: { status: "SETTLED" } },
      {
        event: "INCOME_UPDATE",
        incomes: [
          { type: "SELL", amount: "3000" },
          { type: "MAKER_FEE", amount: "0.3" },
        ],
      },
      { event: "ACCOUNT_UPDATE" },
    ]);
  });

  it("keeps orders and trades to one market when asked", () => {
    const { exchange, alice } = traders({ markets: { btcusdc: {}, ethusdc: {} } });
    const reader = new StreamReader(exchange, accountPath(alice, "&marketId=ethusdc"));
    alice.place("BUY", "30000", "0.1");
    expect(reader.take().map(({ event }) => event)).toEqual(["ACCOUNT_UPDATE"]);
    alice.place("BUY", "3000", "0.1", { marketId: "ethusdc" });
    expect(reader.take().map(({ event }) => event)).toEqual(["ORDER_UPDATE", "ACCOUNT_UPDATE"]);
  });

  it("is refused unsigned, signed by another, late, or by the unregistered", () => {
    const { exchange, alice, bob, clock } = traders();
    const open = (path: string) => () => new StreamReader(exchange, path);
    expect(open(`/v1/single/account@${alice.address}`)).toThrow(/401.*1010/);
    expect(open(accountPath(alice).replace(alice.address, bob.address))).toThrow(/1012/);
    const late = encode({ ...alice.signed({ timestamp: String(clock.nowMs() - 5001) }) });
    expect(open(`/v1/single/account@${alice.address}?${late}`)).toThrow(/1011/);
    expect(open("/v1/single/account@0x12?timestamp=1&signature=0x")).toThrow(/1110/);
    expect(open(accountPath(alice, "&marketId=dogeusdc"))).toThrow(/1112/);
    expect(open("/v1/elsewhere")).toThrow(/1111/);
  });

  it("accepts the address in the spelling that was signed", () => {
    const { exchange, alice } = traders();
    const lower = alice.address.toLowerCase();
    const { signature, timestamp } = alice.signed({ account: lower });
    const reader = new StreamReader(
      exchange,
      `/v1/single/account@${lower}?timestamp=${timestamp}&signature=${signature}`,
    );
    alice.place("BUY", "30000", "0.1");
    expect(reader.take()).toHaveLength(2);
  });
});
