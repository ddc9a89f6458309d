import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(1, 5);
