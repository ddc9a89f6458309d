import { describe, expect, it } from "vitest";
import { hasPythonModules, runPython } from "./libraries.js";
import { shippedExchange } from "./shipped-exchange.js";

const KEY = `0x${"5d".repeat(32)}`;
const isThere = hasPythonModules("eth_keys", "eth_utils");

describe.skipIf(!isThere)(
  `a client like the official Python SDK, whose signatures have no 0x${isThere ? "" : " (skipped: no python3 with eth_keys)"}`,
  () => {
    it("registers, trades at once, has the contracts settle its order, places another and cancels it", async () => {
      const exchange = await shippedExchange();
      try {
        const seen = await runPython("sdk.py", exchange.restUrl, KEY, "btcusdc");

        // These signatures, without any prefix, show that the SDK signed.
        for (const signature of seen.sent) expect(signature).toMatch(/^[0-9a-f]{128}1[bc]$/);
        expect(seen.registered).toEqual([
          200,
          { address: seen.address, createdAt: expect.any(Number) },
        ]);
        expect(seen.bought).toEqual([
          200,
          expect.objectContaining({ account: seen.address, side: "BUY", tif: "IOC" }),
        ]);
        expect(seen.settled).toBe("SETTLED");
        expect(seen.placed).toEqual([
          200,
          expect.objectContaining({ status: "NEW", price: "30000" }),
        ]);
        expect(seen.open[1].map(({ id }: { id: string }) => id)).toEqual([seen.placed[1].id]);
        expect(seen.cancelled).toEqual([204, null]);
        expect(
          seen.history[1].find(({ id }: { id: string }) => id === seen.placed[1].id),
        ).toMatchObject({ status: "CANCELED" });
        for (const [status, bars] of [seen.markKlines, seen.klines]) {
          expect(status).toBe(200);
          expect(bars.at(-1)).toMatchObject({
            close: expect.any(String),
            volume: expect.any(String),
            quote_volume: expect.any(String),
          });
        }
        expect(Number(seen.klines[1].at(-1).quote_volume)).toBeGreaterThan(0);
        expect(Number(seen.balances[1].balances.netValue)).toBeGreaterThan(90_000);
      } finally {
        await exchange.close();
      }
    });
  },
);
