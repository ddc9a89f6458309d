import { isIP } from "node:net";

/**
 * True if a request's `Host` header names this machine: an address, a loopback name or one of
 * `allowed`. A web page whose own name was made to resolve to this machine (DNS rebinding) sends
 * that name, never an address. A request without the header does not come from a browser.
 */
export function isKnownHost(header: string | undefined, allowed: readonly string[]): boolean {
  if (header === undefined || header === "") return true;
  const name = hostName(header).toLowerCase().replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost") || isIP(name) !== 0) return true;
  return allowed.some((host) => host.toLowerCase() === name);
}

/** The header without its port and without the brackets of an IPv6 address. */
function hostName(header: string): string {
  const bracketed = /^\[([^\]]*)\](:\d*)?$/.exec(header);
  return bracketed?.[1] ?? header.replace(/:\d*$/, "");
}
