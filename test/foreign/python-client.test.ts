import { execFile, spawnSync } from "node:child_process";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { serveExchange } from "#simulator/http-server.js";

/**
 * Where `.ci/run` installs the signing library; a library that Python finds by itself does as well.
 */
const LIBRARY = fileURLToPath(new URL("../../node_modules/.cache/python", import.meta.url));
const SCRIPT = fileURLToPath(new URL("clients/client.py", import.meta.url));
const KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";

const env = {
  ...process.env,
  PYTHONPATH: [LIBRARY, process.env.PYTHONPATH].filter(Boolean).join(delimiter),
  PYTHONDONTWRITEBYTECODE: "1",
};
const isThere = spawnSync("python3", ["-c", "import eth_account"], { env }).status === 0;

describe.skipIf(!isThere)(
  `a client written in Python from the published protocol${isThere ? "" : " (skipped: no python3 with eth_account)"}`,
  () => {
    it("registers, builds, signs, places, cancels and lists: the exchange understands a client that is not ours", async () => {
      const exchange = new EmbeddedExchange(
        parseExchangeConfig({ port: 0, firstId: "9007199254740993", markets: { btcusdc: {} } }),
        createLiveRuntime(),
      );
      exchange.start();
      const server = await serveExchange(exchange);
      try {
        const { stdout } = await promisify(execFile)(
          "python3",
          [SCRIPT, server.restUrl, KEY, "btcusdc", "30000.5", "0.021"],
          { env },
        );
        const seen = JSON.parse(stdout.replace(/"(id|orderId)": (\d+)/g, '"$1": "$2"'));

        expect(seen.registered).toEqual([
          200,
          { address: seen.address, createdAt: expect.any(Number) },
        ]);
        expect(seen.registeredAgain).toEqual([400, expect.objectContaining({ code: 2018 })]);
        const exchangeInfo = JSON.parse(
          exchange.handle({ method: "GET", path: "/v1/exchangeInfo", query: "", body: "", ip: "" })
            .body,
        );
        expect(seen.separator).toBe(exchangeInfo.eip712.EIP712_DOMAIN_SEPARATOR);
        expect(seen.ownHashOfBuilt).toBe(seen.hashOfBuilt);

        const [built, local] = [seen.placedBuilt[1], seen.placedLocal[1]];
        expect([seen.placedBuilt[0], built.side, built.price, built.amount]).toEqual([
          200,
          "BUY",
          "30000.5",
          "0.021",
        ]);
        expect([seen.placedLocal[0], local.side, local.amount]).toEqual([200, "SELL", "0.021"]);
        expect(Number(local.price)).toBe(60001);
        expect(BigInt(local.id)).toBeGreaterThan(9007199254740992n);
        expect(seen.forged).toEqual([400, expect.objectContaining({ code: 1012 })]);

        expect(seen.open.at(1).map(({ id }: { id: string }) => id)).toEqual([built.id, local.id]);
        expect(seen.cancelled).toEqual([204, null]);
        expect(seen.cancelledAgain).toEqual([400, expect.objectContaining({ code: 2011 })]);
        expect(seen.cancelledAll).toEqual([204, null]);
        expect(seen.openAfter).toEqual([200, []]);
        expect(
          seen.history[1].map(({ id, status }: { id: string; status: string }) => [id, status]),
        ).toEqual([
          [built.id, "CANCELED"],
          [local.id, "CANCELED"],
        ]);
        expect(seen.balances[1].balances.netValue).toBe("100000");
      } finally {
        await server.close();
        exchange.stop();
      }
    });
  },
);
