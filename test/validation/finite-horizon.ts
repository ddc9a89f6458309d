/**
 * The market makers of Guéant, Lehalle and Fernandez-Tapia and of Cartea, Jaimungal and Penalva
 * before the end of a horizon, from the matrix exponential that both are solved by: the other way
 * to the quotes that `glft-quotes.ts` has from an eigenvector.
 */
export interface FiniteHorizon {
  /** Of the matrix, for an inventory of q orders; taken away. */
  readonly diagonal: (q: number) => number;
  /** Of the matrix, beside its diagonal. */
  readonly beside: number;
  /** At the end, for an inventory of q orders. */
  readonly terminal: (q: number) => number;
  readonly horizon: number;
  /** Inventories counted, to either side. */
  readonly bound: number;
}

/**
 * ln of `exp(horizon M) terminal`, by inventory from -bound on. By uniformisation: all terms are
 * positive, so none is lost to another.
 */
export function logSolution({
  diagonal,
  beside,
  terminal,
  horizon,
  bound,
}: FiniteHorizon): Float64Array {
  const size = 2 * bound + 1;
  const away = Float64Array.from({ length: size }, (_, at) => diagonal(at - bound));
  const highest = Math.max(...away);
  let vector: Float64Array = Float64Array.from({ length: size }, (_, at) => terminal(at - bound));
  // In steps short enough for the weights of a Poisson law of this mean not to underflow.
  const rate = highest + 2 * beside;
  const steps = Math.max(1, Math.ceil((rate * horizon) / 100));
  const mean = (rate * horizon) / steps;
  const terms = Math.ceil(mean + 12 * Math.sqrt(mean) + 40);
  let logScale = 0;
  for (let step = 0; step < steps; step++) {
    const sum = new Float64Array(size);
    let power = vector;
    let weight = Math.exp(-mean);
    for (let term = 0; term <= terms; term++) {
      for (let at = 0; at < size; at++) sum[at] += weight * power[at];
      power = Float64Array.from(
        power,
        (held, at) =>
          ((rate - away[at]) * held + beside * ((power[at - 1] ?? 0) + (power[at + 1] ?? 0))) /
          rate,
      );
      weight *= mean / (term + 1);
    }
    const most = Math.max(...sum);
    logScale += Math.log(most);
    vector = sum.map((value) => value / most);
  }
  return vector.map((value) => Math.log(value) + logScale);
}
