import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { shippedExchange } from "../foreign/shipped-exchange.js";

const EXAMPLE = fileURLToPath(new URL("../../docs/examples/place-and-cancel.mjs", import.meta.url));

describe("docs/examples/place-and-cancel.mjs", () => {
  it("registers a fresh account and orders at once at the exchange of config/exchange.yaml, whose chain has a block a second", async () => {
    const exchange = await shippedExchange();
    expect(exchange.blockIntervalMs).toBe(1000);
    const run = async (key: string) => {
      const env = { ...process.env, EXCHANGE_URL: exchange.restUrl, MARKETWRIGHT_KEY: key };
      const { stdout, stderr } = await promisify(execFile)("node", [EXAMPLE], { env });
      return [stderr, stdout.trim().split("\n").at(-1)];
    };
    try {
      // Two new accounts, and the first of them once more.
      for (const key of ["a1", "a2", "a1"].map((byte) => `0x${byte.repeat(32)}`)) {
        expect(await run(key)).toEqual([
          "",
          "cancelled: 0 orders left; the stream told of 2 orders",
        ]);
      }
    } finally {
      await exchange.close();
    }
  });
});
