import { expect } from "vitest";
import { ReferenceClient, START_MS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { expectRecord } from "../tables.js";
import { type Fields, Trader, trade, worlds } from "./world.js";

const world = worlds();
const BTC = { marketId: "btcusdc" };
const INCOME_TYPES =
  "DEPOSIT WITHDRAWAL LIQUIDATED LIQUIDATE TAKER_FEE MAKER_FEE BUY SELL FUNDING_FEE COMMISSION BONUS SYSTEM SETTLEMENT".split(
    " ",
  );

/** The code of a refused private read, 200 for one that was answered. */
async function codes(trader: Trader, path: string, list: readonly Fields[]): Promise<number[]> {
  const found: number[] = [];
  for (const fields of list) {
    const { status, json } = await trader.call("GET", path, fields);
    found.push(status === 200 ? 200 : json.code);
  }
  return found;
}

const WRONG_LIMITS = ["501", "0", "-1", "text", "1.5"].map((limit) => ({ ...BTC, limit }));
/**
 * The parameters that every list of one market refuses: its limits, an unknown market, none, and an
 * empty range.
 */
const REFUSED: readonly Fields[] = [
  ...WRONG_LIMITS,
  { marketId: "nope" },
  {},
  { ...BTC, startTime: "2", endTime: "2" },
  { ...BTC, startTime: "noon" },
];
const REFUSALS = [...WRONG_LIMITS.map(() => 1111), 1112, 1111, 1113, 1111];

conforms(
  "R1",
  "exchange",
  "registering opens an account once; again it is 2018, in any spelling of the address",
  async () => {
    const { alice, carol } = await world({}, { registered: false });
    expect((await alice.call("GET", "/v1/balances")).json).toMatchObject({ code: 1010 });
    const first = await alice.call("POST", "/v1/account");
    expect([first.status, first.json.address]).toEqual([200, alice.address]);
    expect((await alice.call("GET", "/v1/balances")).status).toBe(200);
    expect((await alice.call("POST", "/v1/account")).json).toMatchObject({
      code: 2018,
      codeText: "Duplicated account",
    });
    expect(
      (await alice.call("POST", "/v1/account", { account: alice.address.toLowerCase() })).json,
    ).toMatchObject({ code: 2018 });
    expect((await carol.call("POST", "/v1/account")).status).toBe(200);
  },
);

conforms(
  "R2",
  "exchange",
  "an account is read by its address; an address that is none is 1110",
  async () => {
    const { alice } = await world();
    expect(await alice.ask("/v1/account")).toEqual({ address: alice.address, createdAt: START_MS });
    for (const account of ["0xno", "0x12", alice.address.slice(2), `${alice.address}0`, "me"]) {
      expect((await alice.call("GET", "/v1/account", { account })).json).toMatchObject({
        code: 1110,
        codeText: "Invalid account address",
      });
    }
  },
);

conforms(
  "R8",
  "exchange",
  "history orders of one market, their range half open, their limit checked",
  async () => {
    const { alice, clock } = await world({ markets: { btcusdc: {}, ethusdc: {} } });
    for (let second = 0; second < 5; second += 1) {
      const { id } = (await alice.place("BUY", `${30_000 + second}`, "0.1")).json;
      await alice.cancel(id);
      await clock.runFor(1000);
    }
    const other = (await alice.place("BUY", "3000", "0.1", { marketId: "ethusdc" })).json;
    await alice.cancel(other.id, "ethusdc");
    const seconds = async (fields: Fields) =>
      (await alice.ask("/v1/historyOrders", { ...BTC, ...fields })).map(
        ({ price }: { price: string }) => Number(price) - 30_000,
      );
    const at = (second: number, offset = 0) => String(START_MS + second * 1000 + offset);
    expect(await seconds({})).toEqual([0, 1, 2, 3, 4]);
    expect(await seconds({ startTime: at(1), endTime: at(3) })).toEqual([1, 2]);
    expect(await seconds({ startTime: at(1, 1), endTime: at(3, 1) })).toEqual([2, 3]);
    expect(await seconds({ startTime: at(1), limit: "2" })).toEqual([1, 2]);
    expect(await seconds({ limit: "2" })).toEqual([3, 4]);
    expect(await alice.ask("/v1/historyOrders", { marketId: "ethusdc" })).toMatchObject([
      { id: other.id },
    ]);
    expect(await codes(alice, "/v1/historyOrders", REFUSED)).toEqual(REFUSALS);
  },
);

conforms("R9", "exchange", "one history order by market and id, of the account's own", async () => {
  const { alice, bob } = await world({ markets: { btcusdc: {}, ethusdc: {} } });
  const { id } = (await alice.place("BUY", "30000", "0.1")).json;
  const at = { ...BTC, orderId: String(id) };
  expect(await alice.ask("/v1/order", at)).toMatchObject({ code: 2011 });
  await alice.cancel(id);
  expect(await alice.ask("/v1/order", at)).toMatchObject({ id, status: "CANCELED" });
  expect(await bob.ask("/v1/order", at)).toMatchObject({ code: 2011 });
  expect(
    await codes(alice, "/v1/order", [
      { ...at, marketId: "ethusdc" },
      { ...at, marketId: "nope" },
      BTC,
      { orderId: String(id) },
      { ...BTC, orderId: "x" },
    ]),
  ).toEqual([2011, 1112, 1111, 1111, 1111]);
});

conforms("R10", "exchange", "one open order, by id, by market, by both or by neither", async () => {
  const { alice, bob } = await world({ markets: { btcusdc: {}, ethusdc: {} } });
  const btc = (await alice.place("BUY", "30000", "0.1")).json.id;
  const eth = (await alice.place("BUY", "3000", "0.1", { marketId: "ethusdc" })).json.id;
  const found = async (fields: Fields) => (await alice.ask("/v1/openOrder", fields)).id;
  expect(await found({ orderId: String(btc) })).toBe(btc);
  expect(await found({ ...BTC, orderId: String(btc) })).toBe(btc);
  expect(await found(BTC)).toBe(btc);
  expect(await found({ marketId: "ethusdc" })).toBe(eth);
  expect([btc, eth]).toContain(await found({}));
  expect(
    await alice.ask("/v1/openOrder", { marketId: "ethusdc", orderId: String(btc) }),
  ).toMatchObject({ code: 2011 });
  expect(await bob.ask("/v1/openOrder", {})).toMatchObject({ code: 2011 });
  expect(await codes(alice, "/v1/openOrder", [{ marketId: "nope" }, { orderId: "x" }])).toEqual([
    1112, 1111,
  ]);
});

conforms("R11", "exchange", "open orders of a market, or of all", async () => {
  const { alice, bob } = await world({ markets: { btcusdc: {}, ethusdc: {} } });
  const btc = (await alice.place("BUY", "30000", "0.1")).json.id;
  const eth = (await alice.place("BUY", "3000", "0.1", { marketId: "ethusdc" })).json.id;
  const ids = async (fields: Fields) =>
    (await alice.ask("/v1/openOrders", fields)).map(({ id }: { id: number }) => id);
  expect(await ids({})).toEqual([btc, eth]);
  expect(await ids(BTC)).toEqual([btc]);
  expect(await ids({ marketId: "ethusdc" })).toEqual([eth]);
  expect(await bob.ask("/v1/openOrders")).toEqual([]);
  expect(await codes(alice, "/v1/openOrders", [{ marketId: "nope" }])).toEqual([1112]);
});

conforms(
  "R12",
  "exchange",
  "user trades have their range half open, ascend from an id, and take the two never together",
  async () => {
    const { alice, bob, clock } = await world();
    for (let second = 0; second < 5; second += 1) {
      await trade(alice, bob, "BUY", `${30_000 + second}`, "0.1");
      await clock.runFor(1000);
    }
    const list = async (fields: Fields) => alice.ask("/v1/userTrades", { ...BTC, ...fields });
    const seconds = async (fields: Fields) =>
      (await list(fields)).map(({ price }: { price: string }) => Number(price) - 30_000);
    const at = (second: number, offset = 0) => String(START_MS + second * 1000 + offset);
    expect(await seconds({})).toEqual([0, 1, 2, 3, 4]);
    expect(await seconds({ startTime: at(1), endTime: at(3) })).toEqual([1, 2]);
    expect(await seconds({ startTime: at(1, 1), endTime: at(3, 1) })).toEqual([2, 3]);
    expect(await seconds({ limit: "2" })).toEqual([3, 4]);
    const fromId = String((await list({}))[2].id);
    expect(await seconds({ fromId })).toEqual([2, 3, 4]);
    expect(await seconds({ fromId, limit: "1" })).toEqual([2]);
    const both = [
      { ...BTC, fromId, startTime: at(0) },
      { ...BTC, fromId, endTime: at(9) },
    ];
    expect(await codes(alice, "/v1/userTrades", both)).toEqual([1111, 1111]);
    expect(await codes(alice, "/v1/userTrades", REFUSED)).toEqual(REFUSALS);
  },
);

conforms("R13", "exchange", "incomes of each type or of ALL, their range half open", async () => {
  const { alice, bob, clock } = await world({ settlement: { delayMs: 0 } });
  await clock.runFor(1000);
  await trade(alice, bob, "BUY", "30000", "0.1");
  await clock.runFor(1000);
  await trade(alice, bob, "SELL", "30000", "0.1");
  await clock.runFor(1000);
  const types = async (fields: Fields) =>
    (await alice.ask("/v1/incomes", { ...BTC, ...fields })).map(
      ({ type }: { type: string }) => type,
    );
  const at = (second: number, offset = 0) => String(START_MS + second * 1000 + offset);
  expect(await types({})).toEqual(["DEPOSIT", "BUY", "TAKER_FEE", "SELL", "TAKER_FEE"]);
  expect(await types({ type: "ALL" })).toEqual(await types({}));
  for (const type of INCOME_TYPES) {
    expect([type, await types({ type })]).toEqual([
      type,
      (await types({})).filter((one: string) => one === type),
    ]);
  }
  expect(await types({ startTime: at(1), endTime: at(2) })).toEqual(["BUY", "TAKER_FEE"]);
  expect(await types({ startTime: at(1, 1) })).toEqual(["SELL", "TAKER_FEE"]);
  expect(await types({ type: "TAKER_FEE", limit: "1" })).toEqual(["TAKER_FEE"]);
  expect(
    await codes(alice, "/v1/incomes", [
      ...REFUSED,
      { ...BTC, type: "BRIBE" },
      { ...BTC, type: "buy" },
    ]),
  ).toEqual([...REFUSALS, 1111, 1111]);
});

conforms("R14", "exchange", "balances come with the positions", async () => {
  const { alice, bob } = await world();
  await trade(alice, bob, "BUY", "30000", "0.1");
  const answer = await alice.ask("/v1/balances");
  expectRecord(answer, "balancesAnswer");
  expect(answer).toMatchObject({
    balances: { netValue: "99999.1" },
    positions: [{ marketId: "btcusdc", size: "0.1" }],
  });
});

conforms(
  "R15",
  "exchange",
  "positions are a list: empty before the first, closed ones as the venue chooses",
  async () => {
    for (const closedPositions of ["latest", "omit"] as const) {
      const { alice, bob } = await world({ choices: { closedPositions } });
      expect(await alice.ask("/v1/positions")).toEqual([]);
      await trade(alice, bob, "BUY", "30000", "0.1");
      expect(await alice.ask("/v1/positions")).toMatchObject([
        { marketId: "btcusdc", status: "OPEN" },
      ]);
      await trade(alice, bob, "SELL", "30000", "0.1");
      const closed = (await alice.ask("/v1/positions")).map(
        ({ status }: { status: string }) => status,
      );
      expect(closed).toEqual(closedPositions === "latest" ? ["CLOSED"] : []);
    }
  },
);

conforms(
  "AU1",
  "exchange",
  "no private endpoint answers who has not signed, or has no account",
  async () => {
    const { alice, exchange, clock, server } = await world();
    const stranger = new Trader(
      new ReferenceClient(exchange, () => clock.nowMs(), `0x${"7".repeat(64)}`),
      server,
    );
    const { id } = (await alice.place("BUY", "30000", "0.1")).json;
    const paths = [
      "GET account",
      "GET historyOrders",
      "GET order",
      "GET openOrder",
      "GET openOrders",
      "GET userTrades",
      "GET incomes",
      "GET balances",
      "GET positions",
      "POST order",
      "POST order/build",
      "DELETE order",
      "DELETE allOpenOrders",
    ];
    for (const path of paths) {
      const [method = "", name] = path.split(" ");
      const fields = {
        ...BTC,
        account: alice.address,
        orderId: String(id),
        timestamp: String(clock.nowMs()),
      };
      const bare = await alice.deliver(method, `/v1/${name}`, { ...BTC, orderId: String(id) });
      const unsigned = await alice.deliver(method, `/v1/${name}`, fields);
      const foreign = await stranger.call(method, `/v1/${name}`, { ...BTC, orderId: String(id) });
      expect([path, bare.status, bare.json.code, unsigned.json.code, foreign.json.code]).toEqual([
        path,
        401,
        1010,
        1010,
        1010,
      ]);
    }
    expect(
      (await alice.deliver("POST", "/v1/account", { account: alice.address })).json,
    ).toMatchObject({ code: 1010 });
    expect(await alice.ask("/v1/openOrders")).toMatchObject([{ id }]);
  },
);
