import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(76, 100);
