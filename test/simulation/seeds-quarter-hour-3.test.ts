import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(54, 77, 15);
