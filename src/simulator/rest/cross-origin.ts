import type { IncomingMessage } from "node:http";
import { OPERATIONS } from "../../exchange/protocol/operations.js";

/** Paths whose answers hold nothing of an account, and that nobody signs for. */
const PUBLIC_READS: ReadonlySet<string> = new Set([
  ...Object.values(OPERATIONS)
    .filter(({ method, isPrivate }) => method === "GET" && !isPrivate)
    .map(({ path }) => path),
  "/openapi.json",
]);
/** Seconds for which a browser need not ask again. */
const PREFLIGHT_SECONDS = "600";

/** What a browser is told about a request's origin. */
export interface CorsDecision {
  /** Whether a web page of that origin may read the answer. */
  readonly mayRead: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Lets a web page of one of `origins` (`*`: of any) read an answer. Public reads alone are opened:
 * a page never reads an account, and never changes anything. Where the answer depends on the origin
 * every answer says so (`vary`), also one to another origin or to none: a cache between would hand
 * it to everybody.
 */
export function decideCors(
  { method, url = "/", headers: { origin } }: IncomingMessage,
  origins: readonly string[],
): CorsDecision {
  const [path = ""] = url.split("?");
  if (origins.length === 0 || !PUBLIC_READS.has(path)) return { mayRead: false, headers: {} };
  const isAny = origins.includes("*");
  const varies: Readonly<Record<string, string>> = isAny ? {} : { vary: "origin" };
  if (origin === undefined || !(isAny || origins.includes(origin)))
    return { mayRead: false, headers: varies };
  const headers = {
    ...varies,
    "access-control-allow-origin": isAny ? "*" : origin,
    "access-control-expose-headers": "retry-after",
    ...(method === "OPTIONS"
      ? {
          "access-control-allow-methods": "GET",
          "access-control-allow-headers": "*",
          "access-control-max-age": PREFLIGHT_SECONDS,
        }
      : {}),
  };
  return { mayRead: true, headers };
}
