import { ConfigError } from "../../core/errors.js";
import type { Random } from "../../core/runtime/runtime.js";

/**
 * Primitive polynomials and initial direction numbers of the dimensions from the second on: degree,
 * coefficients, m_1 to m_degree. The first rows of the table new-joe-kuo-6.21201 of S. Joe and F.
 * Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci.
 * Comput. 30 (2008), 2635-2654.
 */
const JOE_KUO: readonly (readonly [number, number, readonly number[]])[] = [
  [1, 0, [1]],
  [2, 1, [1, 3]],
  [3, 1, [1, 3, 1]],
  [3, 2, [1, 1, 1]],
  [4, 1, [1, 1, 3, 3]],
  [4, 4, [1, 3, 5, 13]],
  [5, 2, [1, 1, 5, 5, 17]],
  [5, 4, [1, 1, 5, 5, 5]],
  [5, 7, [1, 1, 7, 11, 19]],
  [5, 11, [1, 1, 5, 1, 1]],
  [5, 13, [1, 1, 1, 3, 11]],
  [5, 14, [1, 3, 5, 5, 31]],
  [6, 1, [1, 3, 3, 9, 7, 49]],
  [6, 13, [1, 1, 1, 15, 21, 21]],
  [6, 16, [1, 3, 1, 13, 27, 49]],
  [6, 19, [1, 1, 1, 15, 7, 5]],
  [6, 22, [1, 3, 1, 15, 13, 25]],
  [6, 25, [1, 1, 5, 5, 19, 61]],
  [7, 1, [1, 3, 7, 11, 23, 15, 103]],
  [7, 4, [1, 3, 7, 13, 13, 15, 69]],
];

/** The most dimensions that {@link sobolPoints} has direction numbers for. */
export const SOBOL_DIMENSIONS = JOE_KUO.length + 1;

const BITS = 32;

/**
 * The first points of a Sobol sequence in [0, 1) to the power of `dimensions`, the origin first, in
 * Gray-code order (Antonov and Saleev 1979). The first 2^m points, in any dimension, have one in
 * each of 2^m equal intervals.
 * @param random draws a digital shift, one word a dimension, that moves the points and keeps their
 * uniformity; without it they are the plain ones.
 * @throws ConfigError for more dimensions than there are numbers for
 */
export function* sobolPoints(
  dimensions: number,
  count: number,
  random?: Random,
): Generator<number[], void> {
  if (dimensions < 1 || dimensions > SOBOL_DIMENSIONS) {
    throw new ConfigError("is too small or large a number of dimensions for a Sobol sequence", {
      field: "parameters",
      value: dimensions,
      expected: `1 to ${SOBOL_DIMENSIONS} parameters; method: random accepts any number`,
    });
  }
  const directions = Array.from({ length: dimensions }, (_, dimension) => directionsOf(dimension));
  const words = Uint32Array.from({ length: dimensions }, () =>
    random === undefined ? 0 : Math.floor(random.uniform() * 2 ** BITS),
  );
  for (let index = 0; index < count; index++) {
    yield Array.from(words, (word) => word / 2 ** BITS);
    // Position of the lowest zero bit of the index.
    const bit = 31 - Math.clz32(~index & (index + 1));
    for (let dimension = 0; dimension < dimensions; dimension++) {
      words[dimension] =
        (words[dimension] as number) ^ ((directions[dimension] as Uint32Array)[bit] as number);
    }
  }
}

/** The direction numbers of a dimension, each shifted to the top of its word. */
function directionsOf(dimension: number): Uint32Array {
  const directions = new Uint32Array(BITS);
  if (dimension === 0) {
    for (let bit = 0; bit < BITS; bit++) directions[bit] = 2 ** (BITS - 1 - bit);
    return directions;
  }
  const [degree, coefficients, initial] = JOE_KUO[dimension - 1] as (typeof JOE_KUO)[number];
  for (let bit = 0; bit < degree; bit++)
    directions[bit] = (initial[bit] as number) * 2 ** (BITS - 1 - bit);
  for (let bit = degree; bit < BITS; bit++) {
    const before = directions[bit - degree] as number;
    let word = before ^ (before >>> degree);
    for (let term = 1; term < degree; term++) {
      if ((coefficients >>> (degree - 1 - term)) & 1) word ^= directions[bit - term] as number;
    }
    directions[bit] = word;
  }
  return directions;
}
