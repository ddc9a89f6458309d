import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(101, 1_000);
