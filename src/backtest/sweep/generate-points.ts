import { ConfigError } from "../../core/errors.js";
import { seededRandom } from "../../core/runtime/seeded-random.js";
import { listValues, type Parameter, type ParameterValue, valueAt } from "./parameter.js";
import { sobolPoints } from "./sobol.js";

/** One value for every parameter. */
export interface Point {
  /** Its index among the points of the sweep, from 0. */
  readonly index: number;
  /** By path. */
  readonly values: Readonly<Record<string, ParameterValue>>;
}

/** The method that chooses points. */
export type Method =
  | { readonly kind: "grid" }
  | { readonly kind: "random"; readonly count: number; readonly seed: string | number }
  | { readonly kind: "sobol"; readonly count: number; readonly seed?: string | number | undefined };

/** A sweep with more runs would take too long. */
const MOST_POINTS = 1_000_000;

/**
 * All points of a sweep, in its order: the same for the same parameters, method and seed. A drawn
 * point that repeats an earlier one is left out.
 * @throws ConfigError for a grid over a range without steps, and for too many points or dimensions
 */
export function generatePoints(parameters: readonly Parameter[], method: Method): Point[] {
  const points: Point[] = [];
  const seen = new Set<string>();
  for (const values of method.kind === "grid" ? grid(parameters) : drawn(parameters, method)) {
    const key = JSON.stringify(values);
    if (seen.has(key)) continue;
    seen.add(key);
    points.push({
      index: points.length,
      values: Object.fromEntries(
        parameters.map(({ path }, at) => [path, values[at] as ParameterValue]),
      ),
    });
  }
  return points;
}

function* drawn(
  parameters: readonly Parameter[],
  method: Exclude<Method, { kind: "grid" }>,
): Generator<ParameterValue[], void> {
  const at = (shares: readonly number[]): ParameterValue[] =>
    parameters.map((parameter, index) => valueAt(parameter, shares[index] as number));
  if (method.kind === "sobol") {
    const random = method.seed === undefined ? undefined : seededRandom(`sobol ${method.seed}`);
    for (const shares of sobolPoints(parameters.length, method.count, random)) yield at(shares);
    return;
  }
  const random = seededRandom(`random ${method.seed}`);
  for (let index = 0; index < method.count; index++)
    yield at(parameters.map(() => random.uniform()));
}

/** Every combination, the last parameter changing first. */
function grid(parameters: readonly Parameter[]): ParameterValue[][] {
  const axes = parameters.map((parameter) => {
    const values = listValues(parameter);
    if (values !== undefined) return values;
    throw new ConfigError("has no steps, but a grid needs them", {
      field: `parameters.${parameter.path}`,
      expected: "step: NUMBER with min and max, or values: [...]; or method: sobol or random",
    });
  });
  const count = axes.reduce((product, axis) => product * axis.length, 1);
  if (count > MOST_POINTS) {
    throw new ConfigError("make a grid of too many points", {
      field: "parameters",
      value: count,
      expected: `at most ${MOST_POINTS}: use larger steps, or method: sobol with a count`,
    });
  }
  return axes.reduce<ParameterValue[][]>(
    (rows, axis) => rows.flatMap((row) => axis.map((value) => [...row, value])),
    [[]],
  );
}
