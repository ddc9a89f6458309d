import { ConfigError, FormatError, MarketwrightError, RunError } from "../../core/errors.js";
import { HistoryError } from "../../history/history-errors.js";
import { ChangedInput } from "./opening/changed-input.js";

/**
 * An error on its way from one thread to another, where classes do not survive: its message, and
 * the name of its class. Plain text and numbers, for an error may hold what cannot be sent. Causes
 * are left out: they are never shown.
 */
export interface SerialisedError {
  readonly type: keyof typeof TYPES | undefined;
  readonly own: Readonly<Record<string, Plain>>;
}

type Plain = string | number | boolean | bigint;

/** Subclasses before the classes that they extend. */
const TYPES = { HistoryError, ChangedInput, ConfigError, RunError, FormatError, MarketwrightError };
const CARRIED = ["name", "message", "stack", "field", "value", "expected", "file"] as const;
const PLAIN: readonly string[] = ["string", "number", "boolean", "bigint"];

/** Serialises an error that a thread threw. */
export function serialiseError(thrown: unknown): SerialisedError {
  const error: Partial<Record<(typeof CARRIED)[number], unknown>> =
    thrown instanceof Error ? thrown : new Error(String(thrown));
  const own = CARRIED.map((key) => [key, error[key]]).filter(([, value]) =>
    PLAIN.includes(typeof value),
  );
  const types = Object.keys(TYPES) as (keyof typeof TYPES)[];
  return {
    type: types.find((type) => thrown instanceof TYPES[type]),
    own: Object.fromEntries(own),
  };
}

/** Restores an error in another thread, with its type, message and stack. */
export function deserialiseError({ type, own }: SerialisedError): Error {
  const { prototype } = type === undefined ? Error : TYPES[type];
  return Object.assign(Object.setPrototypeOf(new Error(), prototype) as Error, own);
}
