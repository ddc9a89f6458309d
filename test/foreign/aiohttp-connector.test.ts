import { describe, expect, it } from "vitest";
import { hasPythonModules, runPython } from "./libraries.js";
import { shippedExchange } from "./shipped-exchange.js";

const isThere = hasPythonModules("aiohttp", "eth_keys", "eth_utils");

describe.skipIf(!isThere)(
  `a connector on aiohttp, which subscribes to all its streams at once${isThere ? "" : " (skipped: no python3 with aiohttp and eth_keys)"}`,
  () => {
    it.each([
      ["/v1/multiple", `0x${"c0".repeat(32)}`],
      ["/", `0x${"c1".repeat(32)}`],
    ])(
      "has its book, its trades and its position, and reads the 204 of a cancel as JSON, dialling %s",
      async (path, key) => {
        const exchange = await shippedExchange();
        try {
          const streamUrl = `ws://127.0.0.1:${exchange.port}${path}`;
          const seen = await runPython("connector.py", exchange.restUrl, streamUrl, key, "btcusdc");

          expect(seen.registered).toEqual([
            200,
            { address: seen.address, createdAt: expect.any(Number) },
          ]);
          expect(seen.funding).toEqual([
            { marketId: "btcusdc", fundingRate: "0", fundingTime: expect.any(Number) },
          ]);
          expect(seen.candles).toHaveLength(1);

          // Two of the three names are known: they are subscribed, and the third is reported by
          // itself.
          const of = (channel: string) => seen.three.filter(([each]: [string]) => each === channel);
          expect(of("acknowledged")).toEqual([["acknowledged", { id: 1, result: null }]]);
          expect(of("code 1111")).toEqual([
            [
              "code 1111",
              expect.objectContaining({ id: 1, message: "unknown stream btcusdc@ticker" }),
            ],
          ]);
          const [[, { data: snapshot }]] = of("snapshot");
          const [[, { data: update }]] = of("update");
          expect(update.beginSequence).toBe(snapshot.sequence + 1);
          expect([snapshot.bids.length, snapshot.asks.length].every((levels) => levels > 0)).toBe(
            true,
          );

          expect(seen.trades[0]).toEqual(["acknowledged", { id: 2, result: null }]);
          expect(seen.trades.at(-1)).toEqual([
            "trades",
            {
              stream: "btcusdc@trades",
              data: expect.objectContaining({ isBuyerMaker: expect.any(Boolean) }),
            },
          ]);

          expect(seen.bought[0]).toBe(200);
          expect(seen.position).toMatchObject({
            symbol: "btcusdc",
            marketId: "btcusdc",
            side: "LONG",
            status: "OPEN",
          });
          expect(seen.placed).toEqual([200, expect.objectContaining({ status: "NEW" })]);
          expect(seen.cancelled).toEqual([204, null]);
          expect(seen.cancelledAll).toEqual([204, null]);
          const [status, { totalVolume, dailyVolume }] = seen.volume;
          expect([status, Number(totalVolume) > 0, Number(dailyVolume.at(-1).v) > 0]).toEqual([
            200,
            true,
            true,
          ]);
        } finally {
          await exchange.close();
        }
      },
    );
  },
);
