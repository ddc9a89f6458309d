import { describe, expect, it } from "vitest";
import { OPERATIONS } from "#exchange/operations.js";
import { captureCli } from "./captured-cli.js";

const nowhere = ["--rest", "http://127.0.0.1:1/v1"];

describe("marketwright call", () => {
  it("lists every operation of the exchange with what it takes", async () => {
    const { out } = await captureCli(["call", "--help"]);
    for (const { name, method, path } of Object.values(OPERATIONS))
      expect(out).toMatch(new RegExp(`${name}( \\*)? +${method} ${path} `));
    expect(out).toContain("marketId= side=BUY|SELL orderType=LIMIT|MARKET");
  });

  it.each([
    ["an endpoint that is near one", ["orderbok"], ["did you mean orderbook?"]],
    ["a path that is none", ["/v1/nothing"], ["endpoint", "/v1/nothing"]],
    [
      "a path that several endpoints have",
      ["/v1/order"],
      ["GET /v1/order", "POST /v1/order", "DELETE /v1/order"],
    ],
    ["a parameter without its value", ["orderbook", "marketId"], ["key=value"]],
    [
      "a parameter given twice",
      ["orderbook", "marketId=a", "marketId=b"],
      ["marketId", "each parameter once"],
    ],
    [
      "a parameter that the endpoint does not have",
      ["orderbook", "marketId=a", "depth=5"],
      ["depth", "marketId"],
    ],
    ["a missing parameter", ["orderbook"], ["marketId"]],
    [
      "a value that is not one of the allowed values",
      ["orderbook", "marketId=a", "limit=7"],
      ["limit", '"7"', "10, 20"],
    ],
    ["a private endpoint without a key", ["balances"], ["MARKETWRIGHT_KEY"]],
  ])("ends with exit code 2 on %s, before anything is sent", async (_name, args, parts) => {
    const { code, out, err } = await captureCli(["call", ...args, ...nowhere]);
    expect(code).toBe(2);
    expect(out).toBe("");
    for (const part of parts) expect(err).toContain(part);
  });

  it.each([["time"], ["/v1/time"], ["GET /v1/time"], ["get", "/v1/time"]])(
    "finds the endpoint by its name or its path: %s %s",
    async (...endpoint) => {
      const { code, err } = await captureCli([
        "call",
        ...endpoint.filter((part) => part !== undefined),
        ...nowhere,
      ]);
      expect(code).toBe(1);
      expect(err).toContain("--rest: cannot reach the exchange: GET /v1/time");
    },
  );
});
