import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(78, 100, 15);
