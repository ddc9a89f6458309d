import { InvalidArgument, type Shape } from "./rpc-shapes.js";

/** A parameter that a request may omit, or give as null; then `fallback` is used. */
export interface OptionalParam {
  readonly shape: Shape;
  readonly fallback: unknown;
}

/** A parameter of a method. */
export type Param = Shape | OptionalParam;

/** A parameter that may be omitted. */
export function optional(shape: Shape, fallback?: unknown): OptionalParam {
  return { shape, fallback };
}

/**
 * Reads the parameters of a request in order.
 * @returns them in the EVM's form
 * @throws InvalidArgument with go-ethereum's text
 */
export function readParams(
  given: readonly unknown[],
  wanted: readonly Param[],
): readonly unknown[] {
  const read = given.map((value, place) => {
    const param = wanted[place];
    if (param === undefined)
      throw new InvalidArgument(`too many arguments, want at most ${wanted.length}`);
    return readParam(value, param, place);
  });
  for (const [place, param] of wanted.entries())
    if (place >= given.length) read.push(readParam(undefined, param, place));
  while (read.length > 0 && read.at(-1) === undefined) read.pop();
  return read;
}

function readParam(value: unknown, param: Param, place: number): unknown {
  const isMissing = value === undefined || value === null;
  if (typeof param === "object")
    return isMissing ? param.fallback : argument(value, param.shape, place);
  if (isMissing) throw new InvalidArgument(`missing value for required argument ${place}`);
  return argument(value, param, place);
}

function argument(value: unknown, shape: Shape, place: number): unknown {
  try {
    return shape(value);
  } catch (error) {
    throw error instanceof InvalidArgument
      ? new InvalidArgument(`invalid argument ${place}: ${error.message}`)
      : error;
  }
}
