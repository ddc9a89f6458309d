import fc from "fast-check";
import { beforeAll, describe, it } from "vitest";
import { laneHistories, playLanes } from "./lane-history.js";
import { LaneWorld } from "./lane-world.js";

let world: LaneWorld;
beforeAll(async () => {
  world = await LaneWorld.start();
});

describe("whatever happens, for long", () => {
  it("each job has one outcome, is mined at most once and within its cost limit, and every nonce is accounted for", async () => {
    await fc.assert(
      fc.asyncProperty(laneHistories(60), (history) => playLanes(world, history)),
      { numRuns: 1000 },
    );
  });
});
