import type { IncomingMessage } from "node:http";
import { HttpRefusal } from "./http-answers.js";

/** A header that a form or a link of another site cannot send. */
const CSRF_HEADER = "x-marketwright";

/** The hosts under which the cockpit may be opened. */
function hostsFor(port: number): readonly string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
}

/**
 * Checks that a request names this server, and that no other site has sent it. A page whose own
 * name was made to resolve to this machine (DNS rebinding) sends that name as its host.
 * @throws HttpRefusal
 */
export function checkOrigin({ headers, method }: IncomingMessage, port: number): void {
  const hosts = hostsFor(port);
  const host = headers.host?.toLowerCase();
  if (host === undefined || !hosts.includes(host))
    throw new HttpRefusal(
      403,
      `The cockpit is only at http://127.0.0.1:${port}. From another machine open a tunnel with the same port on both sides: ssh -L ${port}:127.0.0.1:${port} HOST`,
    );
  const { origin } = headers;
  if (origin !== undefined && !hosts.some((known) => origin.toLowerCase() === `http://${known}`))
    throw new HttpRefusal(403, "The request comes from another site.");
  const site = headers["sec-fetch-site"];
  // A link on another page may open the cockpit, which shows nothing without its cookie.
  const isNavigation = method === "GET" && headers["sec-fetch-mode"] === "navigate";
  if (site !== undefined && site !== "same-origin" && site !== "none" && !isNavigation)
    throw new HttpRefusal(403, "The request comes from another site.");
}

/** Checks the header of a POST. @throws HttpRefusal */
export function checkCsrfHeader({ headers }: IncomingMessage): void {
  if (headers[CSRF_HEADER] !== "1")
    throw new HttpRefusal(403, `The header ${CSRF_HEADER}: 1 is missing.`);
}

/** Value of a cookie; undefined if the request has none, or several of the name. */
export function readCookie({ headers }: IncomingMessage, name: string): string | undefined {
  const values = (headers.cookie ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  return values.length === 1 ? values[0] : undefined;
}
