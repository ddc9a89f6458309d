import { describe } from "vitest";
import { recordedCapture } from "../simulator/flow/capture-fixture.js";
import { promisesOfReplay } from "./replay-promises.js";
import { replayInVirtualTime } from "./virtual-replay.js";

/**
 * The other captures of the same market. The first comes with the marks of its time. They differ
 * from its mids, and change twenty times between two publications at this speed.
 */
const CAPTURES = [
  { tag: "btcusdt-perp_20230404-05", captureMs: 500_000, levels: 9_000, sums: 20 },
  { tag: "btcusdt-perp_20240718-19", captureMs: 470_000, levels: 10_000, sums: 45 },
] as const;

for (const { tag, captureMs, levels, sums } of CAPTURES) {
  const files = recordedCapture(tag);
  describe.skipIf(files === null)(
    `the bot of config/replay.yaml on ${tag}, at 20 times its speed`,
    () => {
      promisesOfReplay(
        async () => {
          if (files === null) throw new Error("no recorded data");
          return replayInVirtualTime(files, 20);
        },
        { captureMs, quotedShare: 0.85, levels, sums },
      );
    },
  );
}
