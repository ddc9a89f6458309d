import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { ExchangeClient } from "#exchange/exchange-client.js";
import { NetworkTransport } from "#exchange/network-transport.js";
import { Retrier } from "#exchange/retrier.js";
import { VenueError, VenueRequestError } from "#exchange/venue-errors.js";
import { json, LocalServer } from "./local-server.js";

const signer = ecdsaScheme.signer(
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
);
const ORDER = {
  marketId: "btcusdc",
  side: "BUY",
  orderType: "LIMIT",
  amount: "1",
  price: "1",
} as const;

let server: LocalServer;
let transport: NetworkTransport;

beforeEach(async () => {
  server = await LocalServer.start();
  transport = new NetworkTransport({
    restUrl: `http://${server.host}/v1`,
    streamUrl: `ws://${server.host}/v1`,
    clock: createLiveRuntime().clock,
  });
});

afterEach(async () => {
  transport.close();
  await server.stop();
});

function clientOf(tries = 3): ExchangeClient {
  return new ExchangeClient({
    transport,
    runtime: createLiveRuntime(),
    signer,
    retry: { tries, pauseMs: 1, maxPauseMs: 4 },
  });
}

/** Answers the first requests with these statuses, and then as it should. */
function failing(...statuses: readonly number[]): void {
  const left = [...statuses];
  server.onRequest = (_, response) => {
    const status = left.shift();
    if (status === undefined) json(response, { serverTime: 5 });
    else response.writeHead(status).end("not now");
  };
}

describe("repeating a request that got no answer", () => {
  it("brings a read through a server that comes back, signed anew each time", async () => {
    failing(503, 502);
    expect((await clientOf().time()).serverTime).toBe(5);
    expect(server.requests).toHaveLength(3);
    failing(500);
    await clientOf()
      .balances()
      .catch(() => undefined);
    const timestamps = server.requests
      .slice(3)
      .map(({ params }) => new URLSearchParams(params).get("timestamp"));
    expect(timestamps).toHaveLength(2);
    expect(Number(timestamps[1])).toBeGreaterThan(Number(timestamps[0]) - 1);
  });

  // A proxy before an exchange announces maintenance with a page, often with status 200. A download
  // of days ended there.
  it("brings a read through a maintenance page that is told as a success, and shows the page where it stays", async () => {
    let pages = 2;
    server.onRequest = (_, response) => {
      if (pages-- > 0)
        response
          .writeHead(200, { "content-type": "text/html" })
          .end("<html>We are back at nine.</html>");
      else json(response, { serverTime: 5 });
    };
    expect((await clientOf().time()).serverTime).toBe(5);
    expect(server.requests).toHaveLength(3);
    pages = 3;
    const error = await clientOf()
      .time()
      .catch((failure: unknown) => failure);
    expect(error).toMatchObject({
      tries: 3,
      httpStatus: 200,
      message: expect.stringMatching(/We are back at nine.*\(after 3 tries\)/),
    });
  });

  it("says after how many tries it gave up", async () => {
    failing(503, 503, 503, 503);
    const error = await clientOf()
      .time()
      .catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(VenueRequestError);
    expect(error).toMatchObject({
      tries: 3,
      httpStatus: 503,
      message: expect.stringContaining("after 3 tries"),
    });
    expect(server.requests).toHaveLength(3);
  });

  it("repeats a cancel, whose second answer may be that the order is gone", async () => {
    let asked = 0;
    server.onRequest = (_, response) => {
      asked += 1;
      if (asked === 1) response.writeHead(502).end();
      else json(response, { code: 2011, codeText: "No such order", message: "" }, 400);
    };
    await expect(
      clientOf().cancelOrder({ marketId: "btcusdc", orderId: "1" }),
    ).rejects.toMatchObject({ code: 2011, tries: 2 });
  });

  it.each([
    [
      "a place",
      (client: ExchangeClient) =>
        client.placeOrder({
          ...ORDER,
          info: `0x${"00".repeat(32)}`,
          orderSignature: `0x${"00".repeat(65)}`,
        }),
    ],
    ["a build", (client: ExchangeClient) => client.buildOrder(ORDER)],
    ["a registration", (client: ExchangeClient) => client.registerAccount()],
  ])("never repeats %s", async (_, send) => {
    for (const status of [503, 429, 500]) {
      failing(status, status);
      const client = clientOf();
      await expect(send(client)).rejects.toMatchObject({
        httpStatus: status,
        tries: 1,
        mayHaveHappened: status !== 429,
      });
    }
    expect(server.requests).toHaveLength(3);
  });

  it("takes the exchange's own refusals as they are, but for an internal error", async () => {
    server.onRequest = (_, response) =>
      json(response, { code: 1112, codeText: "Invalid market id", message: "" }, 400);
    await expect(clientOf().trades({ marketId: "nope" })).rejects.toMatchObject({
      code: 1112,
      tries: 1,
    });
    server.onRequest = (_, response) =>
      json(response, { code: 2010, codeText: "", message: "" }, 500);
    await expect(clientOf().trades({ marketId: "btcusdc" })).rejects.toMatchObject({
      code: 2010,
      tries: 3,
    });
    expect(server.requests).toHaveLength(4);
  });

  it("says of a place that failed with a code whether the order may rest all the same: placed again, it would be there twice", async () => {
    const place = {
      ...ORDER,
      info: `0x${"00".repeat(32)}`,
      orderSignature: `0x${"00".repeat(65)}`,
    };
    for (const [status, code, mayHaveHappened] of [
      [500, 2010, true],
      [400, 2010, true],
      [502, 1111, true],
      [400, 2012, false],
    ] as const) {
      server.onRequest = (_, response) =>
        json(response, { code, codeText: "", message: "" }, status);
      await expect(clientOf().placeOrder(place)).rejects.toMatchObject({
        name: "VenueError",
        code,
        mayHaveHappened,
        tries: 1,
      });
    }
    expect(server.requests).toHaveLength(4);
  });

  it("stops at once at a ban, and tells the calls after it without asking", async () => {
    failing(418, 418);
    const client = clientOf();
    await expect(client.time()).rejects.toMatchObject({ httpStatus: 418, tries: 1 });
    await expect(client.time()).rejects.toMatchObject({ name: "RateLimitError", isBan: true });
    expect(server.requests).toHaveLength(1);
  });

  it("ends with the client that is closed while it waits", async () => {
    failing(503, 503, 503);
    const client = new ExchangeClient({
      transport,
      runtime: createLiveRuntime(),
      retry: { tries: 3, pauseMs: 600_000, maxPauseMs: 600_000 },
    });
    const asked = client.time();
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    setTimeout(() => client.close(), 20);
    await expect(asked).rejects.toThrow(/closed/);
    expect(server.requests).toHaveLength(1);
  });
});

describe("the pauses between tries", () => {
  it("double up to their bound with the upper half drawn, and wait for Retry-After where it is longer", async () => {
    const clock = new VirtualClock(0);
    const runtime = { clock, random: seededRandom(7) };
    const retrier = new Retrier(runtime, { tries: 6, pauseMs: 100, maxPauseMs: 500 });
    const at: number[] = [];
    const run = retrier
      .run(() => {
        at.push(clock.monotonicMs());
        const httpStatus = at.length === 5 ? 429 : 503;
        return Promise.reject(
          new VenueRequestError("no", {
            httpStatus,
            mayHaveHappened: false,
            ...(httpStatus === 429 ? { retryAfterMs: 9000 } : {}),
          }),
        );
      })
      .catch((error: unknown) => error);
    await clock.runFor(60_000);
    expect(await run).toMatchObject({ tries: 6 });
    const pauses = at.slice(1).map((instant, index) => instant - (at[index] as number));
    for (const [index, longest] of [100, 200, 400, 500].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(longest / 2);
      expect(pauses[index]).toBeLessThanOrEqual(longest + 1);
    }
    expect(pauses[4]).toBe(9000);
    expect(new Set(pauses.map((pause) => pause % 50)).size).toBeGreaterThan(1);
  });

  it("an error that is not the exchange's is not retried", async () => {
    let tries = 0;
    const bug = new TypeError("ours");
    const run = new Retrier(createLiveRuntime()).run(() => {
      tries += 1;
      return Promise.reject(bug);
    });
    await expect(run).rejects.toBe(bug);
    expect(tries).toBe(1);
    expect(new VenueError({ code: 1, codeText: "", message: "x" }, 400).after(3).message).toContain(
      "after 3 tries",
    );
  });
});
