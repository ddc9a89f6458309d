import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { VirtualClock } from "#core/virtual-clock.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { exchangeFaultNames } from "#simulator/exchange-fault-names.js";
import { type FaultAdminServer, serveFaultAdmin } from "#simulator/fault-admin-server.js";
import { FaultSchedule } from "#simulator/fault-schedule.js";
import { usdmFaultNames } from "#simulator/usdm-fault-names.js";
import { START_MS } from "../reference-client.js";
import { readFault } from "./served-faults.js";

const CONFIG = parseExchangeConfig({ markets: { btcusdc: {} } });
const SPOKEN = [exchangeFaultNames(CONFIG), usdmFaultNames(CONFIG)];

let admin: FaultAdminServer | undefined;

afterEach(async () => {
  await admin?.close();
  admin = undefined;
});

async function opened() {
  const clock = new VirtualClock(START_MS);
  const schedule = new FaultSchedule(clock, 1);
  admin = await serveFaultAdmin(schedule, SPOKEN, 0);
  const { url } = admin;
  const ask = async (method: string, path = "", body?: unknown) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return [answer.status, await answer.json()];
  };
  return { clock, schedule, url, ask };
}

describe("the admin endpoint of faults", () => {
  it("adds a fault for a time, lists it with its counts, and ends it", async () => {
    const { clock, schedule, ask } = await opened();
    const fault = {
      kind: "storm-429",
      probability: 1,
      fromMs: 0,
      forMs: 1000,
      endpoints: ["/v1/order"],
    };
    const added = { id: 1, state: "active", changesInMs: 1000, seen: 0, struck: 0, ...fault };
    expect(await ask("POST", "", fault)).toEqual([201, added]);
    schedule.strike("storm-429", () => true);
    schedule.strike("storm-429", () => false);
    await clock.runFor(400);
    const struck = { ...added, changesInMs: 600, seen: 1, struck: 1 };
    expect(await ask("GET")).toEqual([200, { faults: [struck] }]);
    const ended = { ...struck, state: "ended", changesInMs: null };
    expect(await ask("DELETE", "/1")).toEqual([200, ended]);
    expect(await ask("GET")).toEqual([200, { faults: [ended] }]);
    expect(schedule.strike("storm-429", () => true)).toBeUndefined();
    expect(schedule.isIdle).toBe(true);
  });

  it("ends all faults, and those whose time is over by itself", async () => {
    const { clock, schedule, ask } = await opened();
    await ask("POST", "", { kind: "frame-lost", forMs: 10 });
    await ask("POST", "", { kind: "answer-lost" });
    await ask("POST", "", { kind: "frame-garbled", fromMs: 5000 });
    await clock.runFor(10);
    const [, { faults }] = (await ask("DELETE")) as [number, { faults: { id: number }[] }];
    expect(faults.map(({ id }) => id)).toEqual([2, 3]);
    expect(schedule.list().map(({ state }) => state)).toEqual(["ended", "ended", "ended"]);
    expect(await ask("DELETE")).toEqual([200, { faults: [] }]);
  });

  it.each([
    ["no JSON", "{", "body", "{"],
    ["a list", "[]", "body", []],
    ["a text", '"answer-lost"', "body", "answer-lost"],
    // The exchange cannot send these (RFC 6455, 7.4), and would end instead.
    ["close code 1004", { kind: "stream-closed", code: 1004 }, "code", 1004],
    ["close code 1005", { kind: "stream-closed", code: 1005 }, "code", 1005],
    ["close code 1006", { kind: "stream-closed", code: 1006 }, "code", 1006],
    ["close code 1015", { kind: "stream-closed", code: 1015 }, "code", 1015],
    ["close code 1016", { kind: "stream-closed", code: 1016 }, "code", 1016],
    ["close code 2999", { kind: "stream-closed", code: 2999 }, "code", 2999],
    ["an unknown kind", { kind: "answer-late" }, "kind", "answer-late"],
    ["no kind", { probability: 0.5 }, "kind", undefined],
    ["a probability above 1", { kind: "answer-lost", probability: 2 }, "probability", 2],
    ["a probability of 0", { kind: "answer-lost", probability: 0 }, "probability", 0],
    ["a time of 0", { kind: "answer-lost", forMs: 0 }, "forMs", 0],
    ["a path without /", { kind: "answer-lost", endpoints: ["order"] }, "endpoints.0", "order"],
    [
      "endpoints of frames",
      { kind: "frame-lost", endpoints: ["/v1/order"] },
      "endpoints",
      ["/v1/order"],
    ],
    ["streams of requests", { kind: "answer-lost", streams: ["account"] }, "streams", ["account"]],
    ["no address", { kind: "answer-lost", accounts: ["alice"] }, "accounts.0", "alice"],
    [
      "bounds in the wrong order",
      { kind: "answer-delayed", delayMs: { min: 9, max: 8 } },
      "delayMs.max",
      8,
    ],
  ])("refuses %s with field, value and expectation", async (_what, body, field, value) => {
    const { schedule, ask } = await opened();
    expect(await ask("POST", "", body)).toEqual([
      400,
      {
        error: {
          message: expect.stringContaining(field),
          field,
          ...(value === undefined ? {} : { value }),
          expected: expect.stringMatching(/\w/),
        },
      },
    ]);
    expect(schedule.isIdle).toBe(true);
  });

  it.each([
    ["endpoints", { kind: "answer-lost", endpoints: ["POST /v1/ordr"] }, "POST /v1/order"],
    ["endpoints", { kind: "answer-lost", endpoints: ["/fapi/v1/oder"] }, "/fapi/v1/order"],
    ["streams", { kind: "frame-lost", streams: ["btcusdc@ordrbook"] }, "btcusdc@orderbook"],
    ["streams", { kind: "frame-lost", streams: ["BTCUSDC@depth@100ms"] }, "btcusdc@depth@100ms"],
    ["streams", { kind: "frame-lost", streams: ["acount"] }, "account"],
    [
      "endpoints",
      { kind: "answer-lost", interface: "exchange", endpoints: ["/v1/orderbok"] },
      "/v1/orderbook",
    ],
  ])("refuses a wrong name under %s in %j and names the nearest", async (key, body, nearest) => {
    const { schedule, ask } = await opened();
    const [status, { error }] = (await ask("POST", "", body)) as [
      number,
      { readonly error: Readonly<Record<string, string>> },
    ];
    expect([status, error.field]).toEqual([400, `${key}.0`]);
    expect(error.message).toContain(`did you mean ${nearest}?`);
    expect(schedule.isIdle).toBe(true);
  });

  it("refuses names of another interface than the fault's, and a kind that it has not", async () => {
    const { ask } = await opened();
    const usdm = { interface: "binance-usdm" };
    expect(
      await ask("POST", "", { kind: "answer-lost", ...usdm, endpoints: ["POST /v1/withdraw"] }),
    ).toMatchObject([
      400,
      { error: { field: "endpoints.0", expected: "a path such as POST /fapi/v1/order" } },
    ]);
    expect(await ask("POST", "", { kind: "snapshot-late", ...usdm })).toMatchObject([
      400,
      { error: { field: "kind", expected: "answer-delayed, with the endpoint of the book" } },
    ]);
    expect(await ask("POST", "", { kind: "answer-lost", interface: "binance" })).toMatchObject([
      400,
      { error: { field: "interface", value: "binance" } },
    ]);
    expect(await ask("POST", "", { kind: "snapshot-late" })).toMatchObject([201, {}]);
  });

  it("names the ids that there are, and what it answers", async () => {
    const { ask } = await opened();
    expect(await ask("DELETE", "/7")).toMatchObject([
      404,
      { error: { field: "id", value: "7", expected: "no id, since there is no fault" } },
    ]);
    await ask("POST", "", { kind: "answer-lost" });
    expect(await ask("DELETE", "/7")).toMatchObject([404, { error: { expected: "one of 1" } }]);
    expect(await ask("PUT")).toMatchObject([404, { error: { value: "PUT /faults" } }]);
  });

  it("says of a body that is too large how large it may be", async () => {
    const { ask } = await opened();
    const body = JSON.stringify({ kind: "answer-lost", accounts: ["0".repeat(70_000)] });
    expect(await ask("POST", "", body)).toMatchObject([
      413,
      { error: { field: "body", expected: "at most 65536 bytes" } },
    ]);
  });

  it("repeats an id that is not a number as it was sent", async () => {
    const { ask } = await opened();
    await ask("POST", "", { kind: "answer-lost" });
    for (const id of ["all", "1e0", "01", "-1"])
      expect(await ask("DELETE", `/${id}`)).toMatchObject([404, { error: { value: id } }]);
  });

  it("keeps a hundred faults at most", async () => {
    const { schedule, ask } = await opened();
    for (let count = 0; count < 100; count++) schedule.add(readFault({ kind: "answer-lost" }));
    expect(await ask("POST", "", { kind: "answer-lost" })).toMatchObject([
      400,
      { error: { field: "faults", value: 101 } },
    ]);
  });

  it.each([
    ["a page's Origin", { origin: "http://127.0.0.1:8621" }, "Origin"],
    ["a browser's own header", { "sec-fetch-site": "same-origin" }, "Origin"],
    ["a foreign Host", { host: "attacker.example" }, "Host"],
  ])("refuses a request with %s, also one that reads", async (_what, headers, field) => {
    const { schedule, url } = await opened();
    for (const method of ["GET", "POST", "DELETE"]) {
      const body = await new Promise<string>((resolve, reject) => {
        const sent = request(url, { method, headers }, (answer) => {
          expect(answer.statusCode).toBe(403);
          answer.setEncoding("utf8").on("data", resolve);
        });
        sent.on("error", reject);
        sent.end(method === "POST" ? '{"kind":"answer-lost"}' : "");
      });
      expect(JSON.parse(body).error.field).toBe(field);
    }
    expect(schedule.isIdle).toBe(true);
  });
});
