import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(51, 75);
