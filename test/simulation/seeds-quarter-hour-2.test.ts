import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(30, 53, 15);
