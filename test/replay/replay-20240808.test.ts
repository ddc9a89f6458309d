import { describe, expect, it } from "vitest";
import { recordedCapture } from "../simulator/flow/capture-fixture.js";
import { promisesOfReplay } from "./replay-promises.js";
import type { ReplayResult } from "./replay-run.js";
import { replayInVirtualTime } from "./virtual-replay.js";

const files = recordedCapture("btcusdt-perp_20240808");

/** Longer than the exchange gathers changes of the book, and than a request takes. */
const TOUCH_UNDER_WAY_MS = 45;

describe.skipIf(files === null)(
  "the bot of config/replay.yaml on the capture of 2024-08-08, at 20 times its speed",
  () => {
    let result: ReplayResult | undefined;

    promisesOfReplay(
      async () => {
        if (files === null) throw new Error("no recorded data");
        result = await replayInVirtualTime(files, 20);
        return result;
      },
      { captureMs: 340_000, quotedShare: 0.85, levels: 9_500, sums: 32 },
    );

    it("does not send a quote that would have crossed into the same touch again", () => {
      const orders = result?.orders ?? [];
      const expired = orders.filter(({ status }) => status === "EXPIRED");
      expect(expired.length).toBeGreaterThan(0);
      const again = expired.filter((gone) =>
        orders.some(
          ({ side, ticks, createdAtMs, id }) =>
            id !== gone.id &&
            side === gone.side &&
            ticks === gone.ticks &&
            createdAtMs >= gone.createdAtMs &&
            createdAtMs - gone.createdAtMs < TOUCH_UNDER_WAY_MS,
        ),
      );
      expect(again).toEqual([]);
    });
  },
);
