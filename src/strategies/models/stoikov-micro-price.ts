import type { Ms } from "../../core/units.js";
import type { Level } from "../../market/book/readable-book.js";

/** Terms of the micro-price's series; the paper finds that six suffice. */
const TERMS = 6;
/** A pause of so many samples starts a new chain: what happened meanwhile is one move of many. */
const LONGEST_GAP_SAMPLES = 10;

/** Number of transitions between states of the touch, by state and state (row by row). */
export interface TouchTransitions {
  readonly states: number;
  /** Transitions without a move of the mid. */
  readonly stay: Float64Array;
  /** Transitions with one. */
  readonly move: Float64Array;
  /** Sum of the moves that began in each state, in ticks. */
  readonly movedTicks: Float64Array;
  /** All transitions that began in each state. */
  readonly begun: Float64Array;
}

/**
 * The adjustment of the mid in each state, in ticks: the expected mid after infinitely many moves,
 * by the Markov chain of imbalance and spread. With `Q` the probabilities of transitions without a
 * move, `R K` the expected move and `T` the probabilities of transitions with one:
 * `g_1 = (1 - Q)^-1 R K`, `g_(i+1) = (1 - Q)^-1 T g_i`, and their sum (S. Stoikov, "The
 * micro-price", Quantitative Finance 18, 2018, 1959-1966).
 * @returns 0 for a state that never began a transition
 */
export function microPriceAdjustments(
  { states, stay, move, movedTicks, begun }: TouchTransitions,
  terms: number = TERMS,
): Float64Array {
  const matrix = new Float64Array(states * states);
  let right = new Float64Array(states);
  for (let from = 0; from < states; from++) {
    const total = begun[from];
    for (let to = 0; to < states; to++)
      matrix[from * states + to] =
        (from === to ? 1 : 0) - (total > 0 ? stay[from * states + to] / total : 0);
    right[from] = total > 0 ? movedTicks[from] / total : 0;
  }
  const solve = factorised(matrix, states);
  const sum = new Float64Array(states);
  for (let term = 0; term < terms; term++) {
    const solved = solve(right);
    right = new Float64Array(states);
    for (let from = 0; from < states; from++) {
      sum[from] += solved[from];
      for (let to = 0; to < states; to++)
        if (begun[from] > 0) right[from] += (move[from * states + to] / begun[from]) * solved[to];
    }
  }
  return sum;
}

/** States and samples of a {@link StoikovMicroPrice}. */
export interface MicroPriceWindow {
  /** Number of equal intervals that the imbalance from 0 to 1 is divided into. */
  readonly imbalanceBuckets: number;
  /** Wider spreads count as this one. */
  readonly maxSpreadTicks: number;
  /** Samples older than this are forgotten. */
  readonly windowMs: Ms;
  /** Least time between two samples. */
  readonly sampleMs: Ms;
  /** Least time between two fits. */
  readonly refitMs: Ms;
  /** Moves of the mid in the window that a fit needs. */
  readonly leastMoves: number;
}

interface Sample {
  readonly timeMs: Ms;
  readonly from: number;
  readonly to: number;
  readonly movedTicks: number;
}

/**
 * An online micro-price: the adjustments of a rolling window, fitted on samples before the one that
 * they are used for. Each sample also counts in the mirror, with sides exchanged, so that the
 * adjustments are antisymmetric.
 * @example
 * ```ts
 * import { type Level, StoikovMicroPrice } from "marketwright";
 *
 * const microPrice = new StoikovMicroPrice({
 *   imbalanceBuckets: 2,
 *   maxSpreadTicks: 1,
 *   windowMs: 600_000,
 *   sampleMs: 1000,
 *   refitMs: 1000,
 *   leastMoves: 10,
 * });
 * const touch = (ticks: number, lots: number): [Level, Level] => [
 *   { ticks, lots },
 *   { ticks: ticks + 1, lots: 100 },
 * ];
 * // A heavy bid is always followed by a tick up, a light one by a tick down.
 * for (let second = 0; second < 100; second += 1) {
 *   const isHeavy = second % 2 === 0;
 *   microPrice.observe(...touch(isHeavy ? 999 : 1000, isHeavy ? 900 : 10), second * 1000);
 * }
 * const [bid, ask] = touch(999, 900);
 * (microPrice.adjustmentTicks(bid, ask) ?? 0) > 0; // => true
 * ```
 */
export class StoikovMicroPrice {
  readonly #window: MicroPriceWindow;
  readonly #counts: TouchTransitions;
  readonly #samples: Sample[] = [];
  /** Index of the oldest sample that counts. */
  #oldest = 0;
  #moves = 0;
  #adjustments: Float64Array | undefined;
  #fittedMs = Number.NEGATIVE_INFINITY;
  #last: { readonly timeMs: Ms; readonly state: number; readonly midTicks: number } | undefined;

  constructor(window: MicroPriceWindow) {
    this.#window = window;
    const states = window.imbalanceBuckets * window.maxSpreadTicks;
    this.#counts = {
      states,
      stay: new Float64Array(states * states),
      move: new Float64Array(states * states),
      movedTicks: new Float64Array(states),
      begun: new Float64Array(states),
    };
  }

  /** Observes the touch of a view. Called in order; fits again when that is due. */
  observe(bid: Level, ask: Level, timeMs: Ms): void {
    const { sampleMs, refitMs, leastMoves } = this.#window;
    const last = this.#last;
    if (last !== undefined && timeMs - last.timeMs < sampleMs && timeMs >= last.timeMs) return;
    const now = { timeMs, state: this.#stateOf(bid, ask), midTicks: (bid.ticks + ask.ticks) / 2 };
    this.#last = now;
    if (
      last === undefined ||
      timeMs < last.timeMs ||
      timeMs - last.timeMs > LONGEST_GAP_SAMPLES * sampleMs
    )
      return;
    this.#forget(timeMs);
    const sample = {
      timeMs,
      from: last.state,
      to: now.state,
      movedTicks: now.midTicks - last.midTicks,
    };
    this.#samples.push(sample);
    this.#count(sample, 1);
    if (timeMs - this.#fittedMs < refitMs) return;
    this.#fittedMs = timeMs;
    this.#adjustments = this.#moves >= leastMoves ? this.#fit() : undefined;
  }

  /**
   * The adjustment of the mid at a touch, in ticks, at most half of the spread; undefined without
   * enough moves in the window.
   */
  adjustmentTicks(bid: Level, ask: Level): number | undefined {
    const adjustment = this.#adjustments?.[this.#stateOf(bid, ask)];
    if (adjustment === undefined) return undefined;
    const half = (ask.ticks - bid.ticks) / 2;
    return Math.max(-half, Math.min(half, adjustment));
  }

  /** Moves of the mid in the window. */
  get moves(): number {
    return this.#moves;
  }

  #fit(): Float64Array {
    const { states, begun } = this.#counts;
    // One more transition of each state that was seen, to a move of nothing: without it, states
    // that have not moved yet would make the system singular. It draws rare states to 0.
    const shrunk = begun.map((count) => (count > 0 ? count + 1 : 0));
    return microPriceAdjustments({ ...this.#counts, states, begun: shrunk });
  }

  #forget(timeMs: Ms): void {
    const samples = this.#samples;
    while (
      this.#oldest < samples.length &&
      timeMs - samples[this.#oldest].timeMs > this.#window.windowMs
    )
      this.#count(samples[this.#oldest++], -1);
    if (this.#oldest * 2 <= samples.length || this.#oldest < 1024) return;
    samples.splice(0, this.#oldest);
    this.#oldest = 0;
  }

  #count({ from, to, movedTicks }: Sample, sign: 1 | -1): void {
    if (movedTicks !== 0) this.#moves += sign;
    this.#countOne(from, to, movedTicks, sign);
    this.#countOne(this.#mirrored(from), this.#mirrored(to), -movedTicks, sign);
  }

  #countOne(from: number, to: number, movedTicks: number, sign: 1 | -1): void {
    const { states, stay, move, movedTicks: sums, begun } = this.#counts;
    (movedTicks === 0 ? stay : move)[from * states + to] += sign;
    sums[from] += sign * movedTicks;
    begun[from] += sign;
  }

  #stateOf(bid: Level, ask: Level): number {
    const { imbalanceBuckets, maxSpreadTicks } = this.#window;
    const imbalance = bid.lots / (bid.lots + ask.lots);
    const bucket = Math.min(imbalanceBuckets - 1, Math.floor(imbalance * imbalanceBuckets));
    const spread = Math.min(maxSpreadTicks, Math.max(1, Math.round(ask.ticks - bid.ticks)));
    return (spread - 1) * imbalanceBuckets + bucket;
  }

  #mirrored(state: number): number {
    const { imbalanceBuckets } = this.#window;
    const bucket = state % imbalanceBuckets;
    return state - bucket + (imbalanceBuckets - 1 - bucket);
  }
}

/**
 * Factorises a matrix with row exchanges; a column without a pivot is left out.
 * @returns the solution for a right side
 */
function factorised(matrix: Float64Array, size: number): (right: Float64Array) => Float64Array {
  const rows = Array.from({ length: size }, (_, row) => row);
  for (let column = 0; column < size; column++) {
    let best = column;
    for (let row = column + 1; row < size; row++)
      if (
        Math.abs(matrix[rows[row] * size + column]) > Math.abs(matrix[rows[best] * size + column])
      )
        best = row;
    [rows[column], rows[best]] = [rows[best], rows[column]];
    const pivot = matrix[rows[column] * size + column];
    if (pivot === 0) continue;
    for (let row = column + 1; row < size; row++) {
      const at = rows[row] * size;
      const factor = matrix[at + column] / pivot;
      matrix[at + column] = factor;
      if (factor === 0) continue;
      for (let k = column + 1; k < size; k++)
        matrix[at + k] -= factor * matrix[rows[column] * size + k];
    }
  }
  return (right) => {
    const solved = new Float64Array(size);
    for (let row = 0; row < size; row++) {
      let value = right[rows[row]];
      for (let k = 0; k < row; k++) value -= matrix[rows[row] * size + k] * solved[k];
      solved[row] = value;
    }
    for (let row = size - 1; row >= 0; row--) {
      let value = solved[row];
      for (let k = row + 1; k < size; k++) value -= matrix[rows[row] * size + k] * solved[k];
      const pivot = matrix[rows[row] * size + row];
      solved[row] = pivot === 0 ? 0 : value / pivot;
    }
    return solved;
  };
}
