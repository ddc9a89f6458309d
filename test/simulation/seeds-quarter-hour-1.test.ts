import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(6, 29, 15);
