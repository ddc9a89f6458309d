import type { WireStreamRequest } from "../../exchange/wire-stream-types.js";
import { ApiError } from "../rest/api-error.js";

/** A message that is no request to change streams, and the id to answer it under: its own where it has one, else 0. */
export class StreamRequestError extends ApiError {
  constructor(
    readonly id: number,
    reason: string,
  ) {
    super(1111, reason);
  }
}

/** Reads a client's message on a `/multiple` connection. @throws StreamRequestError naming what is wrong with it */
export function readStreamRequest(text: string): WireStreamRequest {
  const { id, method, params } = objectOf(text);
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id <= 0) {
    throw new StreamRequestError(0, "id is not a whole number above 0");
  }
  if (method !== "SUBSCRIBE" && method !== "UNSUBSCRIBE") {
    throw new StreamRequestError(id, "method is neither SUBSCRIBE nor UNSUBSCRIBE");
  }
  if (!Array.isArray(params) || params.length === 0 || !params.every((name): name is string => typeof name === "string")) {
    throw new StreamRequestError(id, "params is not a list of names of streams");
  }
  return { id, method, params };
}

function objectOf(text: string): { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new StreamRequestError(0, "the message is not JSON");
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new StreamRequestError(0, "the message is not a JSON object");
  }
  return parsed;
}
