import type { IncomingMessage } from "node:http";
import { OPERATIONS } from "../../exchange/protocol/operations.js";

/** Paths without account data, which need no signature. */
const PUBLIC_READS: ReadonlySet<string> = new Set([
  ...Object.values(OPERATIONS)
    .filter(({ method, isPrivate }) => method === "GET" && !isPrivate)
    .map(({ path }) => path),
  "/openapi.json",
]);
/** Seconds for which a browser may cache a preflight response. */
const PREFLIGHT_SECONDS = "600";

/** The response to a request's origin. */
export interface CorsDecision {
  /** True if a web page of that origin may read the response. */
  readonly mayRead: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Decides if a web page of one of `origins` (`*`: of any) may read a response. Only public reads
 * are opened: a page never reads an account, and never changes anything. If the response depends on
 * the origin, every response says so (`vary`), also those to another origin or to none. Otherwise a
 * cache could serve it to any origin.
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
