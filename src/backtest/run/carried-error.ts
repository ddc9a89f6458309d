import { ConfigError, FormatError, RunError } from "../../core/errors.js";

/** An error on its way from one thread to another, where classes are not: which of ours it is an instance of, and what it says. */
export interface CarriedError {
  readonly type: keyof typeof TYPES | undefined;
  readonly error: Error;
}

const TYPES = { ConfigError, RunError, FormatError };

/** What a thread tells of what it threw. */
export function carried(thrown: unknown): CarriedError {
  const names = Object.keys(TYPES) as (keyof typeof TYPES)[];
  return {
    type: names.find((name) => thrown instanceof TYPES[name]),
    error: thrown instanceof Error ? thrown : new Error(String(thrown)),
  };
}

/** The same as another thread throws it: of its type, its message as it was; one that nobody foresaw with its own stack. */
export function arrived({ type, error }: CarriedError): Error {
  return type === undefined ? error : new TYPES[type](error.message, { cause: error });
}
