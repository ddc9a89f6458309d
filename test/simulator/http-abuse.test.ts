import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";

let server: ExchangeServer;
const faults: unknown[] = [];

beforeAll(async () => {
  const config = parseExchangeConfig({
    port: 0,
    markets: { btcusdc: {} },
    rateLimits: { common: 0, order: 0 },
  });
  server = await serveExchange(new EmbeddedExchange(config, createLiveRuntime()), {
    onFault: (error) => faults.push(error),
  });
});
afterAll(() => server.close());

/**
 * Everything received in response to these bytes, until the exchange closes or `enough` has
 * arrived.
 */
function send(
  bytes: string | Buffer,
  enough: (text: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, "127.0.0.1", () => socket.write(bytes));
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
      if (enough(text)) {
        socket.destroy();
      }
    });
    socket.on("close", () => resolve(text));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNRESET" || error.code === "EPIPE" ? resolve(text) : reject(error),
    );
  });
}

const isWhole = (text: string) => /\r\n\r\n\{.*\}$/s.test(text);
const request = (method: string, target: string, body = "", headers = "") =>
  `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** The status, and the error's code, which every refusal has. */
async function refusal(
  bytes: string | Buffer,
): Promise<{ status: number; code: number; text: string }> {
  const text = await send(bytes, isWhole);
  const body: { code: number; codeText: string; message: string } = JSON.parse(
    text.slice(text.indexOf("\r\n\r\n") + 4),
  );
  expect(body).toEqual({
    code: body.code,
    codeText: expect.any(String),
    message: expect.any(String),
  });
  expect(text).toMatch(/content-type: application\/json/i);
  return { status: Number(text.split(" ")[1]), code: body.code, text };
}

describe("any bytes at the port", () => {
  it.each([
    ["an unknown path", request("GET", "/v1/allOrders"), 404],
    ["a path above the root", request("GET", "/v1/../v1/time"), 404],
    ["a known path in capitals", request("GET", "/V1/TIME"), 404],
    ["a known path by a method that it does not have", request("PATCH", "/v1/order"), 405],
    ["OPTIONS", request("OPTIONS", "/v1/order"), 405],
    ["a method that nobody routes", request("PROPFIND", "/v1/order"), 405],
    ["a percent that encodes nothing", request("GET", "/v1/%zz"), 400],
    ["a query that is no UTF-8", request("GET", "/v1/trades?marketId=%FF%FE"), 400],
    [
      "a URL of 20,000 characters",
      request("GET", `/v1/trades?marketId=${"x".repeat(20_000)}`),
      431,
    ],
    [
      "headers of 20,000 characters",
      request("GET", "/v1/time", "", `X: ${"y".repeat(20_000)}\r\n`),
      431,
    ],
    ["a body of 70,000 bytes", request("POST", "/v1/order", "z".repeat(70_000)), 413],
    [
      "a JSON body nested 30,000 deep",
      request("POST", "/v1/order", "[".repeat(30_000), "Content-Type: application/json\r\n"),
      400,
    ],
    [
      "a content type that is none",
      request("POST", "/v1/order", "a=b", "Content-Type: ;;;\r\n"),
      415,
    ],
    ["no HTTP at all", "\u0016\u0003\u0001 this is no request\r\n\r\n", 400],
    [
      "two different lengths",
      "POST /v1/order HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      400,
    ],
  ])("%s is refused in JSON", async (_what, bytes, status) => {
    const answer = await refusal(bytes);
    expect(answer).toMatchObject({ status, code: 1111 });
  });

  it("lists the methods of a path", async () => {
    expect((await refusal(request("PUT", "/v1/order"))).text).toMatch(
      /^allow: POST, DELETE, GET\r$/im,
    );
  });

  it("answers HEAD with a status and no body", async () => {
    const text = await send(request("HEAD", "/v1/time"), (arrived) => arrived.includes("\r\n\r\n"));
    expect(text).toMatch(/^HTTP\/1.1 405 /);
    expect(text.slice(text.indexOf("\r\n\r\n") + 4)).toBe("");
  });

  it("answers the request before garbage in one pipeline, refuses the garbage, and does nothing that comes after it", async () => {
    const good = request("GET", "/v1/time");
    const text = await send(`${good}\u0000\u0001garbage\r\n\r\n${good}`);
    expect(text.match(/"serverTime":/g)).toHaveLength(1);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  });

  it("is not reported as an internal fault, and does not stop the exchange", async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, count) =>
        send(
          Buffer.from(Array.from({ length: 300 }, (__, place) => (place * 31 + count * 17) % 256)),
        ),
      ),
    );
    expect(faults).toEqual([]);
    expect((await fetch(`${server.restUrl}/time`)).status).toBe(200);
  });
});
