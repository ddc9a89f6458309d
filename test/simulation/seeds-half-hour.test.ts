import { SEED_BUDGET } from "./seed-budget.js";
import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(SEED_BUDGET.makerHalfHours.seeds, 30);
