import { expect } from "vitest";
import type { ExchangeClient } from "#exchange/exchange-client.js";
import { KEYS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { trade, worlds } from "../exchange/world.js";
import {
  ACCOUNT,
  BALANCES,
  BUILD,
  INCOME,
  ORDER,
  POSITION,
  POSITION_INSIDE,
  TRADED_ORDER,
  text,
  USER_TRADE,
} from "./examples.js";
import { connections, expectRead, scripted } from "./world.js";

const world = worlds();
const connected = connections();
const BTC = { marketId: "btcusdc" };
const RANGE = { startTime: 1_700_000_000_000, endTime: 1_700_000_600_000 };
const INCOME_TYPES =
  "ALL DEPOSIT WITHDRAWAL LIQUIDATED LIQUIDATE TAKER_FEE MAKER_FEE BUY SELL FUNDING_FEE COMMISSION BONUS SYSTEM SETTLEMENT".split(
    " ",
  );

/** Every private read answered by an example. */
function reader() {
  return scripted({
    "POST /v1/account": text(ACCOUNT),
    "GET /v1/account": text(ACCOUNT),
    "GET /v1/historyOrders": text([{ ...TRADED_ORDER, status: "FILLED" }]),
    "GET /v1/order": text({ ...ORDER, status: "CANCELED" }),
    "GET /v1/openOrder": text(ORDER),
    "GET /v1/openOrders": text([ORDER]),
    "GET /v1/userTrades": text([USER_TRADE]),
    "GET /v1/incomes": text([INCOME]),
    "GET /v1/balances": text({ balances: BALANCES, positions: [POSITION_INSIDE] }),
    "GET /v1/positions": text([POSITION]),
    "POST /v1/order/build": text(BUILD),
  });
}

type Asked = ReturnType<typeof reader>;
const loose = <Value>(value: unknown): Value => value as Value;
/** The parameters of a request without those that identify and sign it. */
const business = ({ last }: Asked) => {
  const { account, timestamp, signature, ...rest } = last().params;
  expect([account?.length, timestamp?.length, signature?.length]).toEqual([42, 13, 132]);
  return rest;
};

async function refusedUnsent(
  asked: Asked,
  call: (client: ExchangeClient) => Promise<unknown>,
  field: string,
): Promise<void> {
  const before = asked.sent.length;
  await expect(call(asked.client)).rejects.toMatchObject({ name: "ConfigError", field });
  expect(asked.sent).toHaveLength(before);
}

conforms(
  "PO1",
  "client",
  "reads every field of a position, and words that it does not know",
  async () => {
    const { client } = reader();
    const [position] = await client.positions();
    expectRead(position ?? {}, POSITION, "position");
    const flat = scripted({
      "GET /v1/positions": text([{ ...POSITION, side: "FLAT", status: "FROZEN" }]),
    });
    expect(await flat.client.positions()).toMatchObject([{ side: "FLAT", status: "FROZEN" }]);
  },
);

conforms(
  "PO2",
  "client",
  "gives closedAt as null while open and as its instant once closed, and does not do without it",
  async () => {
    const closed = { ...POSITION, status: "CLOSED", size: "0", closedAt: 1_700_000_000_000 };
    const { client } = scripted({ "GET /v1/positions": text([POSITION, closed]) });
    expect((await client.positions()).map(({ status, closedAt }) => [status, closedAt])).toEqual([
      ["OPEN", null],
      ["CLOSED", 1_700_000_000_000],
    ]);
    const { closedAt: _, ...without } = POSITION;
    await expect(
      scripted({ "GET /v1/positions": text([without]) }).client.positions(),
    ).rejects.toMatchObject({
      field: expect.stringContaining("closedAt"),
    });
  },
);

conforms(
  "PO3",
  "client",
  "reads lastUpdatedAt where it stands, and does without it where it does not",
  async () => {
    const { client } = reader();
    expect((await client.positions())[0]?.lastUpdatedAt).toBeUndefined();
    expect((await client.balances()).positions[0]?.lastUpdatedAt).toBe(
      POSITION_INSIDE.lastUpdatedAt,
    );
  },
);

conforms(
  "PO4",
  "client",
  "gives the figures of a position exactly over opening, adding, reducing, flipping and closing",
  async () => {
    const venue = await world(
      { markets: { btcusdc: { makerFeeRate: "0", takerFeeRate: "0" } } },
      { steadyMark: true },
    );
    const { client } = await connected(venue);
    const after = async (side: "BUY" | "SELL", price: string, amount: string) => {
      await trade(venue.alice, venue.bob, side, price, amount);
      const [
        {
          side: held,
          status,
          size,
          maxSize,
          entryPrice,
          exitPrice,
          sumOpen,
          sumClose,
          realizedPnl,
          unrealizedPnl,
        } = loose<Awaited<ReturnType<typeof client.positions>>[0]>({}),
      ] = await client.positions();
      return [
        held,
        status,
        ...[
          size,
          maxSize,
          entryPrice,
          exitPrice,
          sumOpen,
          sumClose,
          realizedPnl,
          unrealizedPnl,
        ].map(String),
      ].join(" ");
    };
    expect(await after("BUY", "30000", "1")).toBe("LONG OPEN 1 1 30000 0 1 0 0 0");
    expect(await after("BUY", "30300", "2")).toBe("LONG OPEN 3 3 30200 0 3 0 0 -600");
    expect(await after("SELL", "30500", "0.5")).toBe("LONG OPEN 2.5 3 30200 30500 3 0.5 150 -500");
    expect(await after("SELL", "30100", "1")).toBe(
      "LONG OPEN 1.5 3 30200 30233.33333333 3 1.5 50 -300",
    );
    expect(await after("SELL", "30000", "2.5")).toBe("SHORT OPEN 1 1 30000 0 1 0 0 0");
    expect(await after("BUY", "29900", "1")).toBe("SHORT CLOSED 0 1 0 29900 1 1 100 0");
    const [position] = await client.positions();
    expect(position?.realizedPnl.plus("0.1").minus("100").equals("0.1")).toBe(true);
  },
);

conforms(
  "AC1",
  "client",
  "reads an account's address and the instant of its registration",
  async () => {
    const { client } = reader();
    expectRead(await client.account(), ACCOUNT, "account");
    expectRead(await client.registerAccount(), ACCOUNT, "account");
  },
);

conforms(
  "UT1",
  "client",
  "reads every field of a user trade, rebates and profits with their sign",
  async () => {
    const { client } = reader();
    const [found] = await client.userTrades(BTC);
    expectRead(found ?? {}, USER_TRADE, "userTrade");
    expect(found?.commission.isNegative()).toBe(true);
  },
);

conforms(
  "IN1",
  "client",
  "reads every field of an income, and one that belongs to no market",
  async () => {
    const { client } = reader();
    const [income] = await client.incomes(BTC);
    expectRead(income ?? {}, INCOME, "income");
    const deposit = scripted({
      "GET /v1/incomes": text([{ ...INCOME, type: "DEPOSIT", marketId: "" }]),
    });
    expect(await deposit.client.incomes(BTC)).toMatchObject([{ type: "DEPOSIT", marketId: "" }]);
  },
);

conforms(
  "BA1",
  "client",
  "reads every field of balances, its maps by market, serialNumber as an integer",
  async () => {
    const { client } = reader();
    const { balances } = await client.balances();
    expectRead(balances, BALANCES, "balances");
    expect(String(balances.availableCreditAmounts.btcusdc?.buy)).toBe("1000.5");
    expect(String(balances.availableCreditAmounts.btcusdc?.sell)).toBe("999");
    expect(balances.perpetualBalances.btcusdc).toMatchObject({ serialNumber: 3 });
    expect([
      String(balances.perpetualBalances.btcusdc?.creditAmount),
      String(balances.perpetualBalances.btcusdc?.paperAmount),
    ]).toEqual(["-30009", "1.5"]);
    const half = {
      ...BALANCES,
      perpetualBalances: { btcusdc: { creditAmount: "0", paperAmount: "0", serialNumber: 1.5 } },
    };
    await expect(
      scripted({ "GET /v1/balances": text({ balances: half, positions: [] }) }).client.balances(),
    ).rejects.toMatchObject({
      name: "FormatError",
    });
  },
);

conforms(
  "R1",
  "client",
  "registers its own account by its own signature, and hears of one that exists as 2018",
  async () => {
    const asked = reader();
    await asked.client.registerAccount();
    expect(asked.last()).toMatchObject({ method: "POST", path: "/v1/account" });
    expect(business(asked)).toEqual({});
    const { client } = await connected(await world({}, { registered: false }));
    expect(await client.registerAccount()).toMatchObject({ address: client.address.toLowerCase() });
    await expect(client.registerAccount()).rejects.toMatchObject({
      name: "VenueError",
      code: 2018,
    });
  },
);

conforms(
  "R2",
  "client",
  "reads its own account, or the one that is named; an address that is none never leaves",
  async () => {
    const asked = reader();
    await asked.client.account();
    expect(asked.last()).toMatchObject({
      method: "GET",
      path: "/v1/account",
      params: { account: asked.client.address },
    });
    await asked.client.account({ account: ACCOUNT.address.toLowerCase() });
    expect(asked.last().params.account).toBe(ACCOUNT.address.toLowerCase());
    for (const account of ["0xno", "me", "", "0x12"])
      await refusedUnsent(asked, (client) => client.account({ account }), "account");
    const refusing = scripted({
      "GET /v1/account": {
        status: 400,
        body: '{"code":1110,"codeText":"Invalid account address","message":""}',
      },
    });
    await expect(refusing.client.account()).rejects.toMatchObject({
      code: 1110,
      codeName: "BAD_ACCOUNT_ERROR",
    });
  },
);

/** Tests the parameters that every paged read of a market sends and refuses. */
async function paged(
  asked: Asked,
  call: (
    client: ExchangeClient,
    params: { marketId: string; limit?: number; startTime?: number; endTime?: number },
  ) => Promise<unknown>,
  path: string,
): Promise<void> {
  await call(asked.client, BTC);
  expect([asked.last().method, asked.last().path, business(asked)]).toEqual(["GET", path, BTC]);
  await call(asked.client, { ...BTC, ...RANGE, limit: 500 });
  expect(business(asked)).toEqual({
    ...BTC,
    startTime: "1700000000000",
    endTime: "1700000600000",
    limit: "500",
  });
  for (const limit of [501, 0, -1])
    await refusedUnsent(asked, (client) => call(client, { ...BTC, limit }), "limit");
  await refusedUnsent(asked, (client) => call(client, { ...BTC, startTime: 1.5 }), "startTime");
  await refusedUnsent(asked, (client) => call(client, loose({})), "marketId");
}

conforms("R8", "client", "asks for history orders by market, times and limit", async () => {
  await paged(reader(), (client, params) => client.historyOrders(params), "/v1/historyOrders");
});

conforms(
  "R9",
  "client",
  "asks for one history order by market and id, and needs both",
  async () => {
    const asked = reader();
    expect(await asked.client.order({ ...BTC, orderId: "275287091667264" })).toMatchObject({
      id: "275287091667264",
      status: "CANCELED",
    });
    expect([asked.last().path, business(asked)]).toEqual([
      "/v1/order",
      { ...BTC, orderId: "275287091667264" },
    ]);
    await refusedUnsent(asked, (client) => client.order(loose(BTC)), "orderId");
    await refusedUnsent(asked, (client) => client.order(loose({ orderId: "1" })), "marketId");
  },
);

conforms(
  "R10",
  "client",
  "asks for one open order by any of its parameters, or by none",
  async () => {
    const asked = reader();
    for (const params of [{}, BTC, { orderId: "7" }, { ...BTC, orderId: "7" }]) {
      expect(await asked.client.openOrder(params)).toMatchObject({ status: "NEW" });
      expect([asked.last().path, business(asked)]).toEqual(["/v1/openOrder", params]);
    }
  },
);

conforms("R11", "client", "asks for open orders of a market or of all", async () => {
  const asked = reader();
  for (const params of [{}, BTC]) {
    expect(await asked.client.openOrders(params)).toHaveLength(1);
    expect([asked.last().path, business(asked)]).toEqual(["/v1/openOrders", params]);
  }
});

conforms(
  "R12",
  "client",
  "asks for user trades by times or from an id, and reads all of a range once",
  async () => {
    const asked = reader();
    await paged(asked, (client, params) => client.userTrades(params), "/v1/userTrades");
    await asked.client.userTrades({ ...BTC, fromId: "11", limit: 5 });
    expect(business(asked)).toEqual({ ...BTC, fromId: "11", limit: "5" });
    const venue = await world();
    for (let second = 0; second < 5; second += 1) {
      await trade(venue.alice, venue.bob, "BUY", `${30_000 + second}`, "0.1");
      await venue.clock.runFor(1000);
    }
    const { client } = await connected(venue);
    const [first] = await client.userTrades(BTC);
    const startTime = (first?.time ?? 0) + 1000;
    const prices: string[] = [];
    for await (const { price } of client.all.userTrades({
      ...BTC,
      startTime,
      endTime: startTime + 3000,
      pageSize: 2,
    }))
      prices.push(String(price));
    expect(prices).toEqual(["30001", "30002", "30003"]);
    await expect(client.userTrades({ ...BTC, fromId: "1", startTime })).rejects.toMatchObject({
      code: 1111,
    });
  },
);

conforms("R13", "client", "asks for incomes of ALL or of one of thirteen types", async () => {
  const asked = reader();
  await paged(asked, (client, params) => client.incomes(params), "/v1/incomes");
  for (const type of INCOME_TYPES) {
    await asked.client.incomes({ ...BTC, type: loose(type) });
    expect(business(asked)).toEqual({ ...BTC, type });
  }
  await refusedUnsent(asked, (client) => client.incomes({ ...BTC, type: loose("BRIBE") }), "type");
});

conforms(
  "R14",
  "client",
  "asks for balances without a parameter, and gives them with the positions",
  async () => {
    const asked = reader();
    const { balances, positions } = await asked.client.balances();
    expect([
      asked.last().path,
      business(asked),
      String(balances.netValue),
      positions.length,
    ]).toEqual(["/v1/balances", {}, "1000.123456", 1]);
  },
);

conforms(
  "R15",
  "client",
  "asks for positions without a parameter, and gives closed ones as such",
  async () => {
    const asked = reader();
    expect(await asked.client.positions()).toHaveLength(1);
    expect([asked.last().path, business(asked)]).toEqual(["/v1/positions", {}]);
    const venue = await world();
    const { client } = await connected(venue);
    expect(await client.positions()).toEqual([]);
    await trade(venue.alice, venue.bob, "BUY", "30000", "0.1");
    await trade(venue.alice, venue.bob, "SELL", "30000", "0.1");
    expect(await client.positions()).toMatchObject([{ status: "CLOSED" }]);
  },
);

conforms(
  "AU1",
  "client",
  "makes no private call without a key, and signs each with one",
  async () => {
    const keyless = scripted({}, loose({ signer: undefined }));
    const asked = reader();
    const calls: ((client: ExchangeClient) => Promise<unknown>)[] = [
      (client) => client.account(),
      (client) => client.registerAccount(),
      (client) => client.openOrders(),
      (client) => client.openOrder(),
      (client) => client.order({ ...BTC, orderId: "1" }),
      (client) => client.historyOrders(BTC),
      (client) => client.userTrades(BTC),
      (client) => client.incomes(BTC),
      (client) => client.balances(),
      (client) => client.positions(),
    ];
    for (const call of calls) {
      await expect(call(keyless.client)).rejects.toMatchObject({ name: "ConfigError" });
      await call(asked.client);
      business(asked);
    }
    expect(keyless.sent).toEqual([]);
    const venue = await world({}, { registered: false });
    const { client } = await connected(venue, KEYS[2]);
    await expect(client.balances()).rejects.toMatchObject({
      name: "VenueError",
      code: 1010,
      httpStatus: 401,
    });
  },
);
