import { maskSecrets } from "../../core/crypto/secrets.js";
import { RunError } from "../../core/errors.js";
import { deserialiseError, type SerialisedError, serialiseError } from "../run/serialised-error.js";
import { tagBigints, untagBigints } from "./tagged-json.js";

/**
 * Encodes the error of a job in a queue: its message for a person who looks into the queue, and on
 * the last line the whole error, for {@link decodeFailure}.
 */
export function encodeFailure(thrown: unknown): string {
  const error = serialiseError(thrown);
  return maskSecrets(`${error.own.message}\n${JSON.stringify({ [CARRIED]: error }, tagBigints)}`);
}

/**
 * Decodes the error of a job, with its original type. A failure that the queue itself reports is a
 * RunError.
 */
export function decodeFailure(reason: string): Error {
  const error = carriedIn(reason.slice(reason.lastIndexOf("\n") + 1));
  return error === undefined ? new RunError(reason) : deserialiseError(error);
}

function carriedIn(line: string): SerialisedError | undefined {
  try {
    const read = JSON.parse(line, untagBigints) as Readonly<
      Record<string, SerialisedError | undefined>
    > | null;
    return read?.[CARRIED];
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return undefined;
  }
}

/** A key that no other text has. */
const CARRIED = "$carried";
