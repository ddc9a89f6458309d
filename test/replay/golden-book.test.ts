import { describe, expect, it } from "vitest";
import { z } from "zod";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { plainReader } from "#simulation/plain-reader.js";
import { btcGrid, recordedCapture } from "../simulator/flow/capture-fixture.js";
import { goldenEndOfDay } from "../simulator/flow/golden.js";
import { replayingExchange } from "./replay-run.js";

const files = recordedCapture("btcusdt-perp_20240808");

const levels = z.array(
  z.tuple([z.string(), z.string()]).transform(([price, amount]) => [Number(price), Number(amount)]),
);
const snapshotShape = z.object({
  event: z.literal("snapshot"),
  sequence: z.int(),
  bids: levels,
  asks: levels,
});
const answerShape = z.object({ sequence: z.int(), bids: levels, asks: levels });

describe.skipIf(files === null)(
  "the book that a replay of 2024-08-08 leaves, with no bot connected",
  () => {
    it("is the published one for who opens a stream, and for who asks REST: the same sequence, the same levels", async () => {
      if (files === null) return;
      const clock = new VirtualClock(1_723_161_254_000);
      const { exchange, replay, ends } = replayingExchange(
        { clock, random: seededRandom("golden") },
        files,
        { speed: 20 },
      );
      await replay.preload(btcGrid);
      exchange.start();
      await clock.runFor(18_000);
      expect(ends).toMatchObject([{ reason: "capture-end" }]);

      const frames: string[] = [];
      exchange.connect(
        "/v1/single/btcusdc@orderbook",
        plainReader({
          send: (text) => frames.push(text),
        }),
      );
      const snapshot = snapshotShape.parse(JSON.parse(frames[0] ?? "null"));
      const golden = goldenEndOfDay(files);
      expect(snapshot.bids.length + snapshot.asks.length).toBe(golden.levels);
      expect(snapshot.bids.slice(0, golden.bestBids.length)).toEqual(golden.bestBids);
      expect(snapshot.asks.slice(-golden.worstAsks.length)).toEqual(golden.worstAsks);

      const answer = exchange.handle({
        method: "GET",
        path: "/v1/orderbook",
        query: "marketId=btcusdc&limit=1000",
        body: "",
        ip: "127.0.0.1",
      });
      expect(answer.status).toBe(200);
      const asked = answerShape.parse(JSON.parse(answer.body));
      expect(asked.sequence).toBe(snapshot.sequence);
      expect(asked.bids).toEqual(snapshot.bids.slice(0, 1_000));
      expect(asked.asks).toEqual(snapshot.asks.slice(0, 1_000));
      exchange.stop();
    });
  },
);
