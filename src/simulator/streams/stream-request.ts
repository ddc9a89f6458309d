import type { WireStreamRequest } from "../../exchange/wire-types.js";

/** Reads a client's message on a `/multiple` connection; null when it is no request to change streams. */
export function readStreamRequest(text: string): WireStreamRequest | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof parsed !== "object" || parsed === null || !("id" in parsed) || !("method" in parsed) || !("params" in parsed)) {
    return null;
  }
  const { id, method, params } = parsed;
  const isId = typeof id === "number" && Number.isSafeInteger(id) && id > 0;
  const isMethod = method === "SUBSCRIBE" || method === "UNSUBSCRIBE";
  if (!isId || !isMethod || !Array.isArray(params) || !params.every((name): name is string => typeof name === "string")) {
    return null;
  }
  return { id, method, params };
}
