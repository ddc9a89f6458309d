import type { IncomingHttpHeaders } from "node:http";

/**
 * True if the browser's headers show that a web page sends the request, from any web origin, the
 * page's own included. A wallet in the browser has an origin of another scheme, and a tool has
 * none.
 */
export function isFromWebPage({ origin, "sec-fetch-site": site }: IncomingHttpHeaders): boolean {
  if (origin !== undefined) return /^(https?:|null$)/i.test(origin);
  return site !== undefined && site !== "none";
}
