import { afterEach, beforeAll, beforeEach } from "vitest";
import { JobRejectedError } from "#chain/job-rejected-error.js";
import { LaneLife } from "./lane-life.js";
import { LaneWorld } from "./lane-world.js";

type LifeOptions =
  ConstructorParameters<typeof LaneLife> extends [unknown, ...infer Rest] ? Rest : never;

/**
 * A chain for the tests of a file, as new for each of them, and the processes that live on it, each
 * let go at its test's end.
 */
export class LaneStage {
  readonly #lives: LaneLife[] = [];
  #world: LaneWorld | undefined;

  constructor() {
    beforeAll(async () => {
      this.#world = await LaneWorld.start();
    });
    beforeEach(() => this.world.reset());
    afterEach(async () => {
      this.world.faults = {};
      const closing = Promise.all(
        this.#lives.splice(0).map(async (life) => (life.isDead ? undefined : life.lanes.close())),
      );
      await this.world.run(100);
      await closing;
    });
  }

  get world(): LaneWorld {
    if (this.#world === undefined) throw new Error("the chain has not begun");
    return this.#world;
  }

  live(...options: LifeOptions): LaneLife {
    const life = new LaneLife(this.world, ...options);
    this.#lives.push(life);
    return life;
  }
}

/** Why something was not taken, or `taken`. */
export function refusalOf(attempt: () => void): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof JobRejectedError) return error.reason;
    throw error;
  }
  return "taken";
}
