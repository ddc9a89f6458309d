import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(16, 30);
