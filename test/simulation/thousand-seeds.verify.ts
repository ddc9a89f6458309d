import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(61, 1_000);
