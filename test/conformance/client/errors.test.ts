import { expect } from "vitest";
import { VENUE_ERROR_CODES } from "#exchange/errors.js";
import { OPERATIONS } from "#exchange/operations.js";
import { DISJOINT_RATE_BUCKETS, RATE_BUCKETS } from "#exchange/rate-buckets.js";
import { RateGate } from "#exchange/rate-gate.js";
import { conforms } from "../conforms.js";
import { trade, worlds } from "../exchange/world.js";
import { EXCHANGE_INFO, ORDER, text } from "./examples.js";
import { paramsFor } from "./params-for.js";
import { connections, scripted } from "./world.js";

const world = worlds();
const connected = connections();
const BTC = { marketId: "btcusdc" };
const BID = { ...BTC, side: "BUY", amount: "0.1", price: "30000" } as const;
const refusing = (status: number, body: string) =>
  scripted({ "GET /v1/balances": { status, body } }).client.balances();
const named = (code: number) => VENUE_ERROR_CODES.find((known) => known.code === code)?.name;

conforms(
  "ER1",
  "client",
  "throws code, codeText and message of a refusal, whatever its HTTP status",
  async () => {
    for (const status of [400, 401, 404, 409, 422, 200]) {
      await expect(
        refusing(status, '{"code":1111,"codeText":"Bad params","message":"limit"}'),
      ).rejects.toMatchObject({
        name: "VenueError",
        code: 1111,
        codeText: "Bad params",
        venueMessage: "limit",
        httpStatus: status,
      });
    }
    await expect(refusing(400, '{"code":1111}')).rejects.toMatchObject({
      code: 1111,
      codeText: "",
      venueMessage: "",
    });
    await expect(refusing(400, "<html>")).rejects.toMatchObject({
      name: "VenueRequestError",
      httpStatus: 400,
    });
  },
);

conforms(
  "ER2",
  "client",
  "names the six codes of the specification, and meets each at the exchange",
  async () => {
    const texts = new Map([
      [2018, "Duplicated account"],
      [1110, "Invalid account address"],
      [1112, "Invalid market id"],
      [1012, "Invalid signature"],
      [2011, "No such order"],
      [1111, "Bad params"],
    ]);
    for (const [code, codeText] of texts) {
      await expect(refusing(400, text({ code, codeText, message: "" }))).rejects.toMatchObject({
        code,
        codeText,
        codeName: named(code),
      });
      expect(VENUE_ERROR_CODES.find((known) => known.code === code)?.codeText).toBe(codeText);
    }
    const { client } = await connected(await world());
    await expect(client.registerAccount()).rejects.toMatchObject({ code: 2018 });
    await expect(client.historyOrders({ marketId: "nope" })).rejects.toMatchObject({ code: 1112 });
    await expect(client.cancelOrder({ ...BTC, orderId: "1" })).rejects.toMatchObject({
      code: 2011,
    });
    await expect(client.userTrades({ ...BTC, fromId: "1", startTime: 1 })).rejects.toMatchObject({
      code: 1111,
    });
  },
);

conforms(
  "ER3",
  "client",
  "names every code of the protocol, an unknown one too, and repeats only what may pass",
  async () => {
    const codes = [
      1010, 1011, 1012, 1110, 1111, 1112, 1113, 2010, 2011, 2012, 2013, 2014, 2015, 2016, 2017,
      2018, 4010, 4011, 4012, 4013,
    ];
    expect(VENUE_ERROR_CODES.map(({ code }) => code)).toEqual(codes);
    for (const code of codes) {
      const answer = {
        status: code === 2010 ? 500 : 400,
        body: text({ code, codeText: "", message: "" }),
      };
      const { client, sent, clock } = scripted(
        { "GET /v1/balances": answer },
        { retry: { tries: 3, pauseMs: 10, maxPauseMs: 10 } },
      );
      const refused = client.balances().catch((error: unknown) => error);
      await clock.runFor(1000);
      expect(await refused).toMatchObject({ name: "VenueError", code, codeName: named(code) });
      expect([code, sent.length]).toEqual([code, code === 2010 ? 3 : 1]);
    }
    await expect(
      refusing(400, '{"code":4999,"codeText":"New","message":""}'),
    ).rejects.toMatchObject({
      code: 4999,
      codeName: "UNKNOWN_ERROR",
    });
  },
);

conforms(
  "ER4",
  "client",
  "hears of an unknown market as 1112 from every operation that names one",
  async () => {
    const { client } = await connected(await world());
    const names = Object.values(OPERATIONS).filter(({ parameters }) =>
      parameters.some(({ name }) => name === "marketId"),
    );
    expect(names).toHaveLength(18);
    for (const { name, parameters } of names) {
      const wanted = paramsFor(parameters, { marketId: "nope" });
      await expect(client.call(name, wanted), name).rejects.toMatchObject({
        code: 1112,
        codeName: "INVALID_MARKET_ERROR",
      });
    }
    await expect(client.place({ ...BID, marketId: "nope" })).rejects.toMatchObject({
      name: "ConfigError",
      field: expect.stringContaining("nope"),
    });
  },
);

const limits = (common: number, order: number) =>
  text({
    ...EXCHANGE_INFO,
    rateLimits: [
      { name: "COMMON", intervalSeconds: 10, limit: common },
      { name: "ORDER", intervalSeconds: 10, limit: order },
    ],
  });

conforms(
  "L1",
  "client",
  "keeps the limits of exchangeInfo, lets calls wait for their window, and cancels before the rest",
  async () => {
    const { client, sent, clock } = scripted({
      "GET /v1/exchangeInfo": limits(100, 2),
      "DELETE /v1/order": { status: 204, body: "" },
      "POST /v1/order": text(ORDER),
    });
    await client.exchangeInfo();
    const place = () =>
      client.call("placeOrder", {
        ...BID,
        orderType: "LIMIT",
        timeInForce: "GTC",
        orderSignature: "0x00",
        info: "0x00",
      });
    const calls = [place(), place(), place(), client.cancelOrder({ ...BTC, orderId: "1" })];
    await clock.runFor(9999);
    expect(sent.map(({ method }) => method)).toEqual(["GET", "POST", "POST"]);
    await clock.runFor(1);
    expect(sent.map(({ method }) => method)).toEqual(["GET", "POST", "POST", "DELETE", "POST"]);
    await Promise.all(calls);
    expect([
      RATE_BUCKETS.placeOrder,
      DISJOINT_RATE_BUCKETS.placeOrder,
      RATE_BUCKETS.balances,
    ]).toEqual([["ORDER", "COMMON"], ["ORDER"], ["COMMON"]]);
  },
);

conforms(
  "L1",
  "client",
  "is silent after 429 for as long as it was told, and after 418 altogether",
  async () => {
    let answer: { status: number; body: string; retryAfterMs?: number } = {
      status: 429,
      body: "",
      retryAfterMs: 5000,
    };
    const { client, sent, clock } = scripted({ "GET /v1/time": () => answer });
    await expect(client.time()).rejects.toMatchObject({
      httpStatus: 429,
      retryAfterMs: 5000,
      mayHaveHappened: false,
    });
    answer = { status: 200, body: '{"serverTime":1}' };
    const waiting = client.time();
    await clock.runFor(4999);
    expect(sent).toHaveLength(1);
    await clock.runFor(1);
    expect((await waiting).serverTime).toBe(1);
    answer = { status: 418, body: "", retryAfterMs: 60_000 };
    await expect(client.time()).rejects.toMatchObject({ httpStatus: 418 });
    answer = { status: 200, body: '{"serverTime":2}' };
    await expect(client.time()).rejects.toMatchObject({ name: "RateLimitError", isBan: true });
    expect(sent).toHaveLength(3);
    await clock.runFor(60_000);
    expect((await client.time()).serverTime).toBe(2);
  },
);

conforms(
  "L1",
  "client",
  "shares one budget among all that are given it, and stays within the exchange's own count",
  async () => {
    const venue = await world(
      { rateLimits: { common: 12, order: 5, intervalMs: 10_000 } },
      { registered: false },
    );
    const gate = new RateGate({ clock: venue.clock, maxWaitMs: 0 });
    const one = await connected(venue, undefined, { gate });
    const other = await connected(venue, undefined, { gate });
    const before = gate.available("time");
    await one.client.time();
    await other.client.time();
    expect(gate.available("time")).toBe(before - 2);
    let answered = 0;
    for (;;) {
      const refused = await one.client.time().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (refused !== undefined) {
        expect(refused).toMatchObject({ name: "RateLimitError", isBan: false });
        break;
      }
      answered += 1;
    }
    expect(answered).toBe(before - 2);
  },
);

conforms("V1", "client", "sends no responseType, offers none, and knows no allOrders", async () => {
  const { client, last } = scripted({
    "GET /v1/exchangeInfo": text(EXCHANGE_INFO),
    "POST /v1/order": text(ORDER),
  });
  await client.place({ ...BID, price: "2000" }).catch(() => undefined);
  expect(last().path).toBe("/v1/order");
  expect(last().params).not.toHaveProperty("responseType");
  const place = {
    ...BID,
    orderType: "LIMIT",
    timeInForce: "GTC",
    orderSignature: "0x00",
    info: "0x00",
  };
  await expect(client.call("placeOrder", { ...place, responseType: "FULL" })).rejects.toMatchObject(
    {
      name: "ConfigError",
      field: "responseType",
    },
  );
  expect(Object.values(OPERATIONS).map(({ path }) => path)).not.toContain("/v1/allOrders");
  expect(Object.values(OPERATIONS)).toHaveLength(26);
});

conforms(
  "CH1",
  "client",
  "offers nothing that settles or liquidates, and tells what the chain holds apart from what was matched",
  async () => {
    for (const { name, path } of Object.values(OPERATIONS))
      expect(`${name} ${path}`).not.toMatch(/settle|liquidat/i);
    const venue = await world({ settlement: { delayMs: 2000 } });
    const { client } = await connected(venue);
    await trade(venue.alice, venue.bob, "BUY", "30000", "1");
    const told = async () => {
      const { balances, positions } = await client.balances();
      return [String(positions[0]?.size), String(balances.perpetualBalances.btcusdc?.paperAmount)];
    };
    expect(await told()).toEqual(["1", "0"]);
    await venue.clock.runFor(2000);
    expect(await told()).toEqual(["1", "1"]);
  },
);
