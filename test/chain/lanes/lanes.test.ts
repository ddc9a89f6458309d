import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { laneHistories, playLanes } from "./lane-history.js";
import { LaneLife } from "./lane-life.js";
import { LaneWorld } from "./lane-world.js";
import { MemoryLaneStore } from "./memory-lane-store.js";

let world: LaneWorld;
beforeAll(async () => {
  world = await LaneWorld.start();
});

describe("whatever happens", () => {
  it("each job has one outcome, is mined at most once and within its cost limit, and every nonce is accounted for", async () => {
    await fc.assert(
      fc.asyncProperty(laneHistories(25), (history) => playLanes(world, history)),
      { numRuns: 40 },
    );
  });
});

describe("a process that is killed", () => {
  it("at any step, is continued by the next one, and the job is still mined only once", async () => {
    let steps = 0;
    for (let diesAt = 0.5; diesAt <= steps + 0.5 || steps === 0; diesAt += 0.5) {
      await world.reset();
      await world.mine(2);
      const store = new MemoryLaneStore();
      const life = new LaneLife(world, store, {
        confirmations: 2,
        diesAt: steps === 0 ? Number.POSITIVE_INFINITY : diesAt,
      });
      life.lanes.submit(world.job("job"));
      await world.run(500);
      await world.drop();
      for (let i = 0; i < 3; i += 1) await world.block();
      if (steps === 0) {
        expect(life.outcome("job")?.kind).toBe("mined");
        steps = life.steps;
        diesAt = 0;
      }
      life.kill();
      const next = new LaneLife(world, store, { confirmations: 2 });
      const known = next.lanes.jobs().some(({ jobId }) => jobId === "job");
      if (!known) next.lanes.submit(world.job("job"));
      for (let i = 0; i < 4; i += 1) await world.block();
      expect(next.lanes.jobs(), `killed at step ${diesAt} of ${steps}`).toMatchObject([
        { jobId: "job", outcome: { kind: "mined", nonce: 0 } },
      ]);
      expect([await world.timesDone("job"), await world.count()]).toEqual([1, 1]);
      next.kill();
    }
    expect(steps).toBeGreaterThan(20);
  });
});
