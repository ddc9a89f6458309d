import type { IncomingMessage } from "node:http";
import { API_OPERATIONS } from "./openapi/api-operations.js";

/** Paths whose answers hold nothing of an account, and that nobody signs for. */
const PUBLIC_READS: ReadonlySet<string> = new Set([
  ...API_OPERATIONS.filter(({ method, isSigned }) => method === "GET" && !isSigned).map(({ path }) => path),
  "/openapi.json",
]);
/** Seconds for which a browser need not ask again. */
const PREFLIGHT_SECONDS = "600";

/**
 * The headers by which a browser lets a web page of one of `origins` (`*`: of any) read an answer; null where it may not. Public reads alone
 * are opened: a page never reads an account, and never changes anything.
 */
export function crossOriginHeaders(
  { method, url = "/", headers }: IncomingMessage,
  origins: readonly string[],
): Readonly<Record<string, string>> | null {
  const { origin } = headers;
  const [path = ""] = url.split("?");
  const isAny = origins.includes("*");
  if (origin === undefined || !PUBLIC_READS.has(path) || !(isAny || origins.includes(origin))) return null;
  return {
    "access-control-allow-origin": isAny ? "*" : origin,
    "access-control-expose-headers": "retry-after",
    ...(isAny ? {} : { vary: "origin" }),
    ...(method === "OPTIONS"
      ? { "access-control-allow-methods": "GET", "access-control-allow-headers": "*", "access-control-max-age": PREFLIGHT_SECONDS }
      : {}),
  };
}
