import { SEED_BUDGET, seedsFrom } from "./seed-budget.js";
import { simulateSeeds } from "./simulate-seeds.js";

const tested: readonly number[] = SEED_BUDGET.makerHours.seeds;
simulateSeeds(seedsFrom(1, 1000).filter((seed) => !tested.includes(seed)));
