import { USD } from "./world.js";

/** Dollars of primary credit at the start: the last one can afford to liquidate the others. */
export const DEPOSITS = [10_000n, 10_000n, 20_000n, 300_000n] as const;
/** An account may have no more. */
export const MAX_POSITIONS = 2;
/** Of the three markets, credit units per coin. */
export const START_PRICES = [30_000n * USD, 2_000n * USD, 3_333_333n] as const;
