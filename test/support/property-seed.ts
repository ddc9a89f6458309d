import fc from "fast-check";

/** The environment variable that gives every property another seed: a whole number of 32 bits. */
export const SEED_VARIABLE = "MARKETWRIGHT_SEED";

const { [SEED_VARIABLE]: given = "1" } = process.env;
const seed = Number(given);
if (given.trim() === "" || seed !== (seed | 0))
  throw new RangeError(`${SEED_VARIABLE}: ${given}, expected a whole number of 32 bits`);

// One seed for all, so that a run says something about the code and nothing about luck; `npm run
// soak` is for luck.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
