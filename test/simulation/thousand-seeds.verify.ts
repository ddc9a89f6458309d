import { seedsFrom } from "./seed-budget.js";
import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(seedsFrom(1, 1000));
