import type { ErrorCode } from "#exchange/errors.js";
import { ApiError } from "#simulator/api-error.js";

/** A record without some of its fields, for a reader that misses them. */
export function without<Whole extends object>(record: Whole, ...fields: (keyof Whole)[]): Whole {
  const left = { ...record };
  for (const field of fields) delete left[field];
  return left;
}

/** The parameters of a request without some, as if the caller had not given those. */
export function unsaid(
  parameters: ReadonlyMap<string, string>,
  ...keys: string[]
): ReadonlyMap<string, string> {
  return new Map([...parameters].filter(([key]) => !keys.includes(key)));
}

/** Runs what may be refused; a refusal of one code comes with another. */
export function recoded<Value>(code: ErrorCode, wrong: ErrorCode, run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError && error.code === code) throw new ApiError(wrong, error.message);
    throw error;
  }
}

/** Runs what may be refused; a refusal of one code gives something else. */
export function unrefused<Value>(code: ErrorCode, run: () => Value, otherwise: () => Value): Value {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError && error.code === code) return otherwise();
    throw error;
  }
}
