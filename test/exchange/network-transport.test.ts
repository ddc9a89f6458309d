import { createServer } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "../../src/core/errors.js";
import { liveSeam } from "../../src/core/live-seam.js";
import { NetworkTransport, type NetworkTransportOptions } from "../../src/exchange/network-transport.js";
import type { HttpRequest, HttpResult } from "../../src/exchange/transport.js";
import { LocalServer, until } from "./local-server.js";

const { clock } = liveSeam();
const GET: HttpRequest = { method: "GET", path: "/v1/time", params: "", timeoutMs: 2000 };

let server: LocalServer;
let transport: NetworkTransport;

function open(options: Partial<NetworkTransportOptions> = {}): NetworkTransport {
  return new NetworkTransport({ restUrl: `http://${server.host}/v1`, streamUrl: `ws://${server.host}/v1`, clock, ...options });
}

function asked(request: Partial<HttpRequest> = {}, by = transport): Promise<HttpResult> {
  return new Promise((resolve) => by.request({ ...GET, ...request }, resolve));
}

beforeEach(async () => {
  server = await LocalServer.start();
  transport = open();
});

afterEach(async () => {
  transport.close();
  await server.stop();
});

describe("requests over real HTTP", () => {
  it("carry GET and DELETE parameters in the query and POST parameters as a form, untouched", async () => {
    const params = "a=%2A&b=x+y&signature=0x01";
    for (const method of ["GET", "DELETE", "POST"] as const) await asked({ method, path: "/v1/order", params });
    expect(server.requests.map((request) => [request.method, request.path, request.params])).toEqual([
      ["GET", "/v1/order", params],
      ["DELETE", "/v1/order", params],
      ["POST", "/v1/order", params],
    ]);
    expect(server.requests[2]?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    expect(server.requests[0]?.headers["user-agent"]).toMatch(/^Mozilla\/5\.0 .*marketwright$/);
  });

  it("bring back status, body and Retry-After, however the body is cut", async () => {
    server.onRequest = (_, response) => {
      response.writeHead(429, { "retry-after": "7" });
      response.write(Buffer.from([0xc3]));
      setTimeout(() => response.end(Buffer.from([0xa9])), 10);
    };
    expect(await asked()).toEqual({ ok: true, status: 429, body: "é", retryAfterMs: 7000 });
  });

  it("take a Retry-After that is a date for the time until then, by the answer's own clock: none at all would ask on through a ban", async () => {
    const told = async (retryAfter: string, date?: string) => {
      server.onRequest = (_, response) => {
        response.sendDate = false;
        response.writeHead(418, { "retry-after": retryAfter, ...(date === undefined ? {} : { date }) }).end();
      };
      const result = await asked();
      return result.ok ? result.retryAfterMs : result;
    };
    expect(await told("Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 21 Oct 2015 07:18:00 GMT")).toBe(600_000);
    expect(await told("Wed, 21 Oct 2015 07:28:00 GMT"), "over, by this machine's clock").toBeUndefined();
    const soon = await told(new Date(Date.now() + 3_600_000).toUTCString());
    expect(soon).toBeGreaterThan(3_500_000);
    expect(soon).toBeLessThanOrEqual(3_600_000);
    for (const nonsense of ["Wed, 99 Oct 2015 07:28:00 GMT", "2015-10-21", "soon", "Fri, 31 Dec 9999 23:59:59 GMT", "-5"])
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
      server.onRequest = (_, response) => response.writeHead(200, { "content-encoding": encoding }).end(body);
      expect(await asked(), encoding).toMatchObject({ ok: true, status: 200, body: text });
    }
    server.onRequest = (_, response) => response.writeHead(204, { "content-encoding": "gzip" }).end();
    expect(await asked()).toMatchObject({ ok: true, status: 204, body: "" });
  });

  it("that were answered in what cannot be read may have been taken, and say so by name", async () => {
    const unread = { ok: false, cause: "connection-lost", sent: true };
    server.onRequest = (_, response) => response.writeHead(200, { "content-encoding": "zstd" }).end("(\xb5/\xfd");
    expect(await asked()).toMatchObject({
      ...unread,
      message: expect.stringContaining('content-encoding: an encoding that cannot be read (got "zstd")'),
    });
    server.onRequest = (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("{}");
    expect(await asked()).toMatchObject({ ...unread, message: expect.stringContaining("does not unpack") });
    const short = open({ maxAnswerBytes: 1_000 });
    server.onRequest = (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(100_000)));
    expect(await asked({}, short)).toMatchObject({ ...unread, message: expect.stringContaining("unpacks to more than 1000 bytes") });
    short.close();
    server.onRequest = (_, response) => response.writeHead(429, { "content-encoding": "zstd", "retry-after": "3" }).end("(\xb5/\xfd");
    expect(await asked()).toMatchObject({ ok: true, status: 429, retryAfterMs: 3_000 });
  });

  it("are never answered from inside the call", async () => {
    transport.close();
    let isInside = true;
    const result = await new Promise<HttpResult>((resolve) => {
      transport.request(GET, (answer) => {
        expect(isInside).toBe(false);
        resolve(answer);
      });
      isInside = false;
    });
    expect(result).toMatchObject({ ok: false, sent: false, message: "the transport is closed" });
  });

  it("are certainly not sent when nobody listens", async () => {
    const nowhere = open({ restUrl: `http://127.0.0.1:${await closedPort()}/v1` });
    expect(await asked({}, nowhere)).toMatchObject({
      ok: false,
      cause: "connection-lost",
      sent: false,
      message: expect.stringMatching(/ECONNREFUSED/),
    });
    nowhere.close();
  });

  it("may have been taken when the connection is cut before the answer", async () => {
    server.onRequest = (_, response) => response.destroy();
    expect(await asked({ method: "POST", params: "a=1" })).toMatchObject({ ok: false, cause: "connection-lost", sent: true });
    expect(server.requests).toHaveLength(1);
  });

  it("may have been taken when the answer breaks off", async () => {
    server.onRequest = (_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{");
      setTimeout(() => response.destroy(), 10);
    };
    expect(await asked()).toMatchObject({ ok: false, cause: "connection-lost", sent: true });
  });

  it("time out as sent when the exchange has them and is silent", async () => {
    server.onRequest = () => undefined;
    expect(await asked({ timeoutMs: 50 })).toEqual({ ok: false, cause: "timeout", sent: true, message: "no answer within 50 ms" });
  });

  it("that time out in the queue are not sent, then or later", async () => {
    const narrow = open({ connections: 1 });
    server.onRequest = (request, response) => {
      if (request.path === "/v1/slow") setTimeout(() => response.writeHead(204).end(), 150);
      else response.writeHead(204).end();
    };
    const slow = asked({ path: "/v1/slow" }, narrow);
    await until(() => server.requests.length === 1);
    const queued = await asked({ path: "/v1/queued", method: "POST", params: "a=1", timeoutMs: 30 }, narrow);
    expect(queued).toEqual({ ok: false, cause: "timeout", sent: false, message: "no connection within 30 ms" });
    expect(await slow).toMatchObject({ ok: true, status: 204 });
    expect(await asked({ path: "/v1/after" }, narrow)).toMatchObject({ ok: true, status: 204 });
    expect(server.requests.map(({ path }) => path)).toEqual(["/v1/slow", "/v1/after"]);
    narrow.close();
  });

  it("refuse an answer that is too long", async () => {
    const small = open({ maxAnswerBytes: 1000 });
    server.onRequest = (_, response) => response.end("x".repeat(5000));
    expect(await asked({}, small)).toMatchObject({ ok: false, sent: true, message: expect.stringMatching(/above 1000 bytes/) });
    small.close();
  });

  it("do not follow a redirect with a signed request", async () => {
    server.onRequest = (_, response) => response.writeHead(302, { location: "/elsewhere" }).end();
    expect(await asked({ method: "POST", params: "a=1" })).toMatchObject({ ok: true, status: 302 });
    expect(server.requests).toHaveLength(1);
  });

  it("under way are told of their end when the transport closes", async () => {
    server.onRequest = () => undefined;
    const answer = asked();
    await until(() => server.requests.length === 1);
    transport.close();
    expect(await answer).toMatchObject({ ok: false, cause: "connection-lost", sent: true });
  });

  it("share at most the given number of connections", async () => {
    server.onRequest = (_, response) => setTimeout(() => response.writeHead(204).end(), 5);
    await Promise.all(Array.from({ length: 100 }, () => asked()));
    expect(server.connectionCount).toBeLessThanOrEqual(16);
  });

  it("keep what stands before the version in the address", async () => {
    const prefixed = open({ restUrl: `http://${server.host}/gateway/v1/` });
    await asked({}, prefixed);
    expect(server.requests[0]?.path).toBe("/gateway/v1/time");
    prefixed.close();
  });
});

describe("websockets", () => {
  function handlers() {
    const log: string[] = [];
    return {
      log,
      onOpen: () => log.push("open"),
      onMessage: (text: string) => log.push(`text ${text}`),
      onPing: () => log.push("ping"),
      onClose: (reason: string) => log.push(`close ${reason}`),
    };
  }

  it("open, talk, answer protocol pings, and close once and last", async () => {
    const ours = handlers();
    let pongs = 0;
    server.onSocket = (_, socket) => {
      socket.on("pong", () => {
        pongs += 1;
      });
      socket.send("hello");
      socket.ping();
    };
    const socket = transport.open("/v1/multiple?streams=a@b", ours);
    expect(ours.log).toEqual([]);
    await until(() => pongs === 1 && ours.log.length === 3);
    socket.send("hi");
    await until(() => server.sockets[0]?.received.length === 1);
    expect(server.sockets[0]).toMatchObject({ url: "/v1/multiple?streams=a@b", received: ["hi"] });
    expect(server.sockets[0]?.headers["sec-websocket-extensions"]).toBeUndefined();
    socket.close("done");
    socket.close("again");
    await until(() => ours.log.includes("close done"));
    expect(ours.log).toEqual(["open", "text hello", "ping", "close done"]);
    socket.send("into the void");
  });

  it("unpack what the server has compressed, pass on bytes that do not unpack as they are, and end at more than they take", async () => {
    const ours = handlers();
    server.onSocket = (_, socket) => {
      socket.send(deflateSync('{"price":"5 €"}'));
      socket.send("ping");
      socket.send(Buffer.from("[not packed]"));
      socket.send(deflateSync("x".repeat(1001)));
      socket.send("late");
    };
    open({ maxMessageBytes: 1000 }).open("/v1/multiple?zip=1", ours);
    await until(() => ours.log.some((line) => line.startsWith("close")));
    expect(ours.log).toEqual([
      "open",
      'text {"price":"5 €"}',
      "text ping",
      "text [not packed]",
      "close a compressed message of more than 1000 bytes",
    ]);
  });

  it("say why they could not be opened: the address, what came instead, and where it is configured, but never a signature", async () => {
    const refused = handlers();
    const port = await closedPort();
    open({ streamUrl: `ws://127.0.0.1:${port}/v1` }).open("/v1/x", refused);
    const rejected = handlers();
    server.admits = () => false;
    transport.open("/v1/single/account@0x?signature=bad", rejected);
    await until(() => refused.log.length === 1 && rejected.log.length === 1);
    expect(refused.log[0]).toMatch(
      new RegExp(
        `^close exchange\\.stream: no stream at ws://127\\.0\\.0\\.1:${port}/v1/x: .*ECONNREFUSED.*; expected an exchange that answers there$`,
      ),
    );
    expect(rejected.log[0]).toBe(`close exchange.stream: no stream at ws://${server.host}/v1/single/account@0x: HTTP 401`);
  });

  it("say what a server answers at a path where it has no streams", async () => {
    const ours = handlers();
    server.refusal = "HTTP/1.1 404 Not Found\r\ncontent-length: 12\r\n\r\nno such\npath";
    server.admits = () => false;
    open({ streamUrl: `ws://${server.host}/v2` }).open("/v1/multiple?streams=a@b", ours);
    await until(() => ours.log.length === 1);
    expect(ours.log[0]).toBe(
      `close exchange.stream: no stream at ws://${server.host}/v2/v1/multiple: HTTP 404 no such path; expected the streams' address with its version prefix, such as ws://${server.host}/v1`,
    );
  });

  it("end when a message passes the limit", async () => {
    const ours = handlers();
    const small = open({ maxMessageBytes: 1000 });
    server.onSocket = (_, socket) => socket.send("x".repeat(2000));
    small.open("/v1/x", ours);
    await until(() => ours.log.length === 2);
    expect(ours.log).toEqual(["open", expect.stringMatching(/^close .*payload/i)]);
    small.close();
  });

  it("tell of the server's end with its code", async () => {
    const ours = handlers();
    server.onSocket = (_, socket) => socket.close(4001, "rotate");
    transport.open("/v1/x", ours);
    await until(() => ours.log.length === 2);
    expect(ours.log[1]).toBe("close closed by the exchange: 4001 rotate");
  });

  it("are cut when the closing handshake is not answered, and with the transport", async () => {
    const ours = handlers();
    const waiting = handlers();
    server.onSocket = (_, socket) => socket.pause();
    const socket = transport.open("/v1/x", ours);
    transport.open("/v1/y", waiting);
    await until(() => ours.log.length === 1 && waiting.log.length === 1);
    socket.close("x".repeat(200));
    await until(() => ours.log.length === 2);
    transport.close();
    await until(() => waiting.log.length === 2);
    expect(waiting.log[1]).toBe("close the transport is closed");
  });

  it("may be closed before they are open", async () => {
    const ours = handlers();
    transport.open("/v1/x", ours).close("changed my mind");
    await until(() => ours.log.length === 1);
    expect(ours.log).toEqual(["close changed my mind"]);
  });
});

describe("addresses", () => {
  it.each([
    ["restUrl", "not an address"],
    ["restUrl", "ws://127.0.0.1/v1"],
    ["streamUrl", "http://127.0.0.1/v1"],
    ["restUrl", "http://127.0.0.1/v1?x=1"],
  ])("%s = %s is refused by its name in the configuration", (field, value) => {
    expect(() => open({ [field]: value })).toThrow(ConfigError);
    expect(() => open({ [field]: value })).toThrow(/exchange\.(rest|stream)/);
  });
});

async function closedPort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
