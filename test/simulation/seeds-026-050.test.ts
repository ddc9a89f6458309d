import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(26, 50);
