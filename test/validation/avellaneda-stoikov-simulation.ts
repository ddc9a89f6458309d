import { seededRandom } from "#core/seeded-random.js";
import { avellanedaStoikovQuotes } from "#strategies/avellaneda-stoikov-quotes.js";

/**
 * The simulation of the paper's section 3.3: s = 100, T = 1, sigma = 2, dt = 0.005, k = 1.5, A =
 * 140.
 */
export const STEPS = 200;
export const DT = 1 / STEPS;
export const SIGMA = 2;
export const FILL_DECAY = 1.5;
const FILL_RATE = 140;

/** The quotes of our own formulas, at the paper's parameters. */
function quotesAt(gamma: number, mid: number, inventory: number, step: number) {
  return avellanedaStoikovQuotes({
    variant: "paper",
    mid,
    inventory,
    riskAversion: gamma,
    sigma: SIGMA,
    timeLeft: 1 - step * DT,
    fillDecay: FILL_DECAY,
  });
}

/** The spread averaged over the steps: it depends on time alone. */
export function averageSpread(gamma: number): number {
  let sum = 0;
  for (let step = 0; step < STEPS; step++) sum += 2 * quotesAt(gamma, 100, 0, step).halfSpread;
  return sum / STEPS;
}

/** The spread averaged over continuous time: what the paper's tables print. */
export function continuousSpread(gamma: number): number {
  return averageSpread(gamma) - (gamma * SIGMA * SIGMA * DT) / 2;
}

/** Chance of a fill in one step at a distance from the mid. */
export function fillChance(distance: number): number {
  return Math.min(1, FILL_RATE * Math.exp(-FILL_DECAY * distance) * DT);
}

/** Final profit and inventory of each path. */
export interface Paths {
  readonly profit: Float64Array;
  readonly inventory: Float64Array;
}

/**
 * Runs the paper's simulation. Order of a step, as in the paper: quotes, fills at the old mid (both
 * sides may fill), then the mid moves by one standard deviation either way.
 */
export function simulate(
  strategy: "inventory" | "symmetric",
  gamma: number,
  paths: number,
  seed: string,
): Paths {
  const random = seededRandom(seed);
  const half = averageSpread(gamma) / 2;
  const move = SIGMA * Math.sqrt(DT);
  const profit = new Float64Array(paths);
  const inventory = new Float64Array(paths);
  const symmetricChance = fillChance(half);
  for (let path = 0; path < paths; path++) {
    let mid = 100;
    let held = 0;
    let cash = 0;
    for (let step = 0; step < STEPS; step++) {
      let askDistance = half;
      let bidDistance = half;
      let askChance = symmetricChance;
      let bidChance = symmetricChance;
      if (strategy === "inventory") {
        const { bid, ask } = quotesAt(gamma, mid, held, step);
        askDistance = ask - mid;
        bidDistance = mid - bid;
        askChance = fillChance(askDistance);
        bidChance = fillChance(bidDistance);
      }
      const sold = random.uniform() < askChance;
      const bought = random.uniform() < bidChance;
      if (sold) {
        held--;
        cash += mid + askDistance;
      }
      if (bought) {
        held++;
        cash -= mid - bidDistance;
      }
      mid += random.uniform() < 0.5 ? move : -move;
    }
    profit[path] = cash + held * mid;
    inventory[path] = held;
  }
  return { profit, inventory };
}

/** Mean, standard deviation and the standard error of each. */
export interface Moments {
  readonly mean: number;
  readonly std: number;
  readonly meanError: number;
  /** `std / 2 * sqrt((kurtosis - 1) / N)`: profits are fat-tailed, so the kurtosis matters. */
  readonly stdError: number;
}

export function momentsOf(sample: Float64Array): Moments {
  const count = sample.length;
  const mean = sample.reduce((sum, value) => sum + value, 0) / count;
  let second = 0;
  let fourth = 0;
  for (const value of sample) {
    const square = (value - mean) ** 2;
    second += square;
    fourth += square * square;
  }
  const variance = second / count;
  const kurtosis = fourth / count / variance ** 2;
  const std = Math.sqrt(second / (count - 1));
  return {
    mean,
    std,
    meanError: std / Math.sqrt(count),
    stdError: (std / 2) * Math.sqrt((kurtosis - 1) / count),
  };
}

/**
 * Exact law of the symmetric strategy: fills are independent coin tosses of chance p, n steps,
 * distance d.
 */
export function exactSymmetric(gamma: number): {
  mean: number;
  std: number;
  inventoryStd: number;
  chance: number;
} {
  const distance = averageSpread(gamma) / 2;
  const p = fillChance(distance);
  const variance = 2 * p * (1 - p);
  return {
    chance: p,
    mean: 2 * STEPS * p * distance,
    std: Math.sqrt(
      STEPS * variance * distance ** 2 + SIGMA ** 2 * DT * variance * ((STEPS * (STEPS + 1)) / 2),
    ),
    inventoryStd: Math.sqrt(STEPS * variance),
  };
}
