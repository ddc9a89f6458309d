import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import type { HttpRequest, HttpResult } from "#exchange/transport.js";
import { freePort } from "../support/free-port.js";
import { until } from "./local-server.js";
import { ServedTransport } from "./served-transport.js";

const GET: HttpRequest = { method: "GET", path: "/v1/time", params: "", timeoutMs: 2000 };
const at = new ServedTransport();

function asked(request: Partial<HttpRequest> = {}, by = at.transport): Promise<HttpResult> {
  return new Promise((resolve) => by.request({ ...GET, ...request }, resolve));
}

describe("requests over real HTTP", () => {
  it("carry GET and DELETE parameters in the query and POST parameters as a form, untouched", async () => {
    const params = "a=%2A&b=x+y&signature=0x01";
    for (const method of ["GET", "DELETE", "POST"] as const)
      await asked({ method, path: "/v1/order", params });
    expect(
      at.server.requests.map((request) => [request.method, request.path, request.params]),
    ).toEqual([
      ["GET", "/v1/order", params],
      ["DELETE", "/v1/order", params],
      ["POST", "/v1/order", params],
    ]);
    expect(at.server.requests[2]?.headers["content-type"]).toBe(
      "application/x-www-form-urlencoded",
    );
    expect(at.server.requests[0]?.headers["user-agent"]).toMatch(/^Mozilla\/5\.0 .*marketwright$/);
  });

  it("bring back status, body and Retry-After, however the body is cut", async () => {
    at.server.onRequest = (_, response) => {
      response.writeHead(429, { "retry-after": "7" });
      response.write(Buffer.from([0xc3]));
      setTimeout(() => response.end(Buffer.from([0xa9])), 10);
    };
    expect(await asked()).toEqual({ ok: true, status: 429, body: "é", retryAfterMs: 7000 });
  });

  it("take a Retry-After that is a date for the time until then, by the answer's own clock: none at all would ask on through a ban", async () => {
    const told = async (retryAfter: string, date?: string) => {
      at.server.onRequest = (_, response) => {
        response.sendDate = false;
        response
          .writeHead(418, { "retry-after": retryAfter, ...(date === undefined ? {} : { date }) })
          .end();
      };
      const result = await asked();
      return result.ok ? result.retryAfterMs : result;
    };
    expect(await told("Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 21 Oct 2015 07:18:00 GMT")).toBe(
      600_000,
    );
    expect(
      await told("Wed, 21 Oct 2015 07:28:00 GMT"),
      "over, by this machine's clock",
    ).toBeUndefined();
    const soon = await told(new Date(Date.now() + 3_600_000).toUTCString());
    expect(soon).toBeGreaterThan(3_500_000);
    expect(soon).toBeLessThanOrEqual(3_600_000);
    for (const nonsense of [
      "Wed, 99 Oct 2015 07:28:00 GMT",
      "2015-10-21",
      "soon",
      "Fri, 31 Dec 9999 23:59:59 GMT",
      "-5",
    ])
      expect(await told(nonsense), nonsense).toBeUndefined();
  });

  it("read an answer that a proxy has compressed unasked: as it stood no order would ever be answered for", async () => {
    const text = JSON.stringify({ serverTime: 1, words: "é".repeat(2_000) });
    const bytes = Buffer.from(text);
    const answers: readonly (readonly [string, Buffer])[] = [
      ["gzip", gzipSync(bytes)],
      ["GZIP", gzipSync(bytes)],
      ["deflate", deflateSync(bytes)],
      ["br", brotliCompressSync(bytes)],
      ["identity", bytes],
    ];
    for (const [encoding, body] of answers) {
      at.server.onRequest = (_, response) =>
        response.writeHead(200, { "content-encoding": encoding }).end(body);
      expect(await asked(), encoding).toMatchObject({ ok: true, status: 200, body: text });
    }
    at.server.onRequest = (_, response) =>
      response.writeHead(204, { "content-encoding": "gzip" }).end();
    expect(await asked()).toMatchObject({ ok: true, status: 204, body: "" });
  });

  it("that were answered in what cannot be read may have been taken, and say so by name", async () => {
    const unread = { ok: false, cause: "connection-lost", sent: true };
    at.server.onRequest = (_, response) =>
      response.writeHead(200, { "content-encoding": "zstd" }).end("(\xb5/\xfd");
    expect(await asked()).toMatchObject({
      ...unread,
      message: expect.stringContaining(
        'content-encoding: an encoding that cannot be read (got "zstd")',
      ),
    });
    at.server.onRequest = (_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end("{}");
    expect(await asked()).toMatchObject({
      ...unread,
      message: expect.stringContaining("does not unpack"),
    });
    const short = at.open({ maxAnswerBytes: 1_000 });
    at.server.onRequest = (_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(100_000)));
    expect(await asked({}, short)).toMatchObject({
      ...unread,
      message: expect.stringContaining("unpacks to more than 1000 bytes"),
    });
    short.close();
    at.server.onRequest = (_, response) =>
      response.writeHead(429, { "content-encoding": "zstd", "retry-after": "3" }).end("(\xb5/\xfd");
    expect(await asked()).toMatchObject({ ok: true, status: 429, retryAfterMs: 3_000 });
  });

  it("are never answered from inside the call", async () => {
    at.transport.close();
    let isInside = true;
    const result = await new Promise<HttpResult>((resolve) => {
      at.transport.request(GET, (answer) => {
        expect(isInside).toBe(false);
        resolve(answer);
      });
      isInside = false;
    });
    expect(result).toMatchObject({ ok: false, sent: false, message: "the transport is closed" });
  });

  it("are certainly not sent when the port has no listener", async () => {
    const nowhere = at.open({ restUrl: `http://127.0.0.1:${await freePort()}/v1` });
    expect(await asked({}, nowhere)).toMatchObject({
      ok: false,
      cause: "connection-lost",
      sent: false,
      message: expect.stringMatching(/ECONNREFUSED/),
    });
    nowhere.close();
  });

  it("may have been taken when the connection is cut before the answer", async () => {
    at.server.onRequest = (_, response) => response.destroy();
    expect(await asked({ method: "POST", params: "a=1" })).toMatchObject({
      ok: false,
      cause: "connection-lost",
      sent: true,
    });
    expect(at.server.requests).toHaveLength(1);
  });

  it("may have been taken when the answer breaks off", async () => {
    at.server.onRequest = (_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{");
      setTimeout(() => response.destroy(), 10);
    };
    expect(await asked()).toMatchObject({ ok: false, cause: "connection-lost", sent: true });
  });

  it("time out as sent when the exchange has them and is silent", async () => {
    at.server.onRequest = () => undefined;
    expect(await asked({ timeoutMs: 50 })).toEqual({
      ok: false,
      cause: "timeout",
      sent: true,
      message: "no answer within 50 ms",
    });
  });

  it("that time out in the queue are not sent, then or later", async () => {
    const narrow = at.open({ connections: 1 });
    at.server.onRequest = (request, response) => {
      if (request.path === "/v1/slow") setTimeout(() => response.writeHead(204).end(), 150);
      else response.writeHead(204).end();
    };
    const slow = asked({ path: "/v1/slow" }, narrow);
    await until(() => at.server.requests.length === 1);
    const queued = await asked(
      { path: "/v1/queued", method: "POST", params: "a=1", timeoutMs: 30 },
      narrow,
    );
    expect(queued).toEqual({
      ok: false,
      cause: "timeout",
      sent: false,
      message: "no connection within 30 ms",
    });
    expect(await slow).toMatchObject({ ok: true, status: 204 });
    expect(await asked({ path: "/v1/after" }, narrow)).toMatchObject({ ok: true, status: 204 });
    expect(at.server.requests.map(({ path }) => path)).toEqual(["/v1/slow", "/v1/after"]);
    narrow.close();
  });

  it("refuse an answer that is too long", async () => {
    const small = at.open({ maxAnswerBytes: 1000 });
    at.server.onRequest = (_, response) => response.end("x".repeat(5000));
    expect(await asked({}, small)).toMatchObject({
      ok: false,
      sent: true,
      message: expect.stringMatching(/above 1000 bytes/),
    });
    small.close();
  });

  it("do not follow a redirect with a signed request", async () => {
    at.server.onRequest = (_, response) =>
      response.writeHead(302, { location: "/elsewhere" }).end();
    expect(await asked({ method: "POST", params: "a=1" })).toMatchObject({ ok: true, status: 302 });
    expect(at.server.requests).toHaveLength(1);
  });

  it("in flight end when the transport closes", async () => {
    at.server.onRequest = () => undefined;
    const answer = asked();
    await until(() => at.server.requests.length === 1);
    at.transport.close();
    expect(await answer).toMatchObject({ ok: false, cause: "connection-lost", sent: true });
  });

  it("share at most the given number of connections", async () => {
    at.server.onRequest = (_, response) => setTimeout(() => response.writeHead(204).end(), 5);
    await Promise.all(Array.from({ length: 100 }, () => asked()));
    expect(at.server.connectionCount).toBeLessThanOrEqual(16);
  });

  it("keep what stands before the version in the address", async () => {
    const prefixed = at.open({ restUrl: `http://${at.server.host}/gateway/v1/` });
    await asked({}, prefixed);
    expect(at.server.requests[0]?.path).toBe("/gateway/v1/time");
    prefixed.close();
  });
});

describe("addresses", () => {
  it.each([
    ["restUrl", "not an address"],
    ["restUrl", "ws://127.0.0.1/v1"],
    ["streamUrl", "http://127.0.0.1/v1"],
    ["restUrl", "http://127.0.0.1/v1?x=1"],
  ])("%s = %s is refused by its name in the configuration", (field, value) => {
    expect(() => at.open({ [field]: value })).toThrow(ConfigError);
    expect(() => at.open({ [field]: value })).toThrow(/exchange\.(rest|stream)/);
  });
});
