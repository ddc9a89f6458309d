import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(6, 1_000);
