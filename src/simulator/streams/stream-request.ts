import { findDuplicateKey } from "../../core/config/find-duplicate-key.js";
import { parseInt64Json } from "../../core/int64-json.js";
import type { WireStreamRequest } from "../../exchange/protocol/stream.js";
import { ApiError } from "../rest/api-error.js";

/**
 * A request to change streams. Its id is kept as the digits received, since a 64-bit id does not
 * fit in a number.
 */
export interface StreamRequest extends Pick<WireStreamRequest, "method" | "params"> {
  readonly id: string;
}

const LONG_INTEGER = /^[1-9]\d{15,19}$/;
const LARGEST_ID = 2n ** 64n - 1n;

/**
 * An invalid request to change streams, and the id of the error response: the message's own if it
 * has one, else 0.
 */
export class StreamRequestError extends ApiError {
  constructor(
    readonly id: string,
    reason: string,
  ) {
    super(1111, reason);
  }
}

/**
 * Reads a client's message on a `/multiple` connection.
 * @throws StreamRequestError naming the problem
 */
export function readStreamRequest(text: string): StreamRequest {
  const { id: given, method, params } = objectOf(text);
  const id = idOf(given);
  if (id === undefined) {
    throw new StreamRequestError("0", "id is not a whole number from 1 to 2^64 - 1");
  }
  if (method !== "SUBSCRIBE" && method !== "UNSUBSCRIBE") {
    throw new StreamRequestError(id, "method is neither SUBSCRIBE nor UNSUBSCRIBE");
  }
  if (
    !Array.isArray(params) ||
    params.length === 0 ||
    !params.every((name): name is string => typeof name === "string")
  ) {
    throw new StreamRequestError(id, "params is not a list of stream names");
  }
  return { id, method, params };
}

/** The digits of an id; `parseInt64Json` returns one beyond 2^53 as a string already. */
function idOf(given: unknown): string | undefined {
  if (typeof given === "number") {
    return Number.isSafeInteger(given) && given > 0 ? String(given) : undefined;
  }
  return typeof given === "string" && LONG_INTEGER.test(given) && BigInt(given) <= LARGEST_ID
    ? given
    : undefined;
}

function objectOf(text: string): {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
} {
  let parsed: unknown;
  try {
    parsed = parseInt64Json(text);
  } catch {
    throw new StreamRequestError("0", "the message is not valid JSON");
  }
  const twice = findDuplicateKey(text);
  if (twice !== undefined) {
    throw new StreamRequestError("0", `${twice} is in the message twice`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new StreamRequestError("0", "the message is not a JSON object");
  }
  return parsed;
}
