import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { loadExchangeConfig } from "../../src/cli/load-exchange-config.js";
import { liveSeam } from "../../src/core/live-seam.js";
import { openConfiguredExchange } from "../../src/simulator/configured-exchange.js";
import { serveExchange } from "../../src/simulator/http-server.js";

const EXAMPLE = fileURLToPath(new URL("../../docs/examples/place-and-cancel.mjs", import.meta.url));
const CONFIG = fileURLToPath(new URL("../../config/exchange.yaml", import.meta.url));

describe("docs/examples/place-and-cancel.mjs", () => {
  it("registers a fresh account and orders at once at the exchange of config/exchange.yaml, whose chain has a block a second", async () => {
    const config = loadExchangeConfig(CONFIG);
    if (config.chain === undefined) throw new Error("the example has no chain");
    expect(config.chain.blocks.intervalMs).toBe(1000);
    const open = await openConfiguredExchange({ ...config, port: 0, chain: { ...config.chain, rpc: null } }, liveSeam(), {
      baseFolder: dirname(CONFIG),
    });
    const server = await serveExchange(open.exchange);
    const run = async (key: string) => {
      const env = { ...process.env, EXCHANGE_URL: server.restUrl, MARKETWRIGHT_KEY: key };
      const { stdout, stderr } = await promisify(execFile)("node", [EXAMPLE], { env });
      return [stderr, stdout.trim().split("\n").at(-1)];
    };
    try {
      // Two accounts that nobody has heard of before, and the first of them once more.
      for (const key of ["a1", "a2", "a1"].map((byte) => `0x${byte.repeat(32)}`)) {
        expect(await run(key)).toEqual(["", "cancelled: 0 orders left; the stream told of 2 orders"]);
      }
    } finally {
      await server.close();
      await open.close();
    }
  });
});
