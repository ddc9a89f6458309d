import { simulateSeeds } from "./simulate-seeds.js";

simulateSeeds(46, 60);
