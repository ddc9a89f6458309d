import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(31, 45);
