import { SEED_BUDGET, seedsFrom } from "./seed-budget.js";
import { simulateSeeds } from "./simulate-seeds.js";

const tested: readonly number[] = SEED_BUDGET.makerQuarterHours.seeds;
simulateSeeds(
  seedsFrom(6, 100).filter((seed) => !tested.includes(seed)),
  15,
);
