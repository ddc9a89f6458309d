import { ConfigError, FormatError, MarketwrightError, RunError } from "../../core/errors.js";
import { HistoryError } from "../../history/history-errors.js";
import { ChangedInput } from "./opening/changed-input.js";

/**
 * An error on its way from one thread to another, where classes are not: what it says, and which of ours it is an instance of. Plain text and numbers, for an error may
 * hold what cannot be sent. Causes stay behind: nobody is shown them.
 */
export interface SerialisedError {
  readonly type: keyof typeof TYPES | undefined;
  readonly own: Readonly<Record<string, Plain>>;
}

type Plain = string | number | boolean | bigint;

/** The narrower before what it extends. */
const TYPES = { HistoryError, ChangedInput, ConfigError, RunError, FormatError, MarketwrightError };
const CARRIED = ["name", "message", "stack", "field", "value", "expected", "file"] as const;
const PLAIN: readonly string[] = ["string", "number", "boolean", "bigint"];

/** What a thread tells of what it threw. */
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

/** The same as another thread throws it: of its type, with its message and its stack. */
export function deserialiseError({ type, own }: SerialisedError): Error {
  const { prototype } = type === undefined ? Error : TYPES[type];
  return Object.assign(Object.setPrototypeOf(new Error(), prototype) as Error, own);
}
