import { RunError } from "../../../core/errors.js";

/** Names of headers and of parameters of a query that carry a key, a signature or an account. */
const PRIVATE = /key|sign|secret|passphrase|token|auth|cookie|recv_?window/i;

/**
 * The requests that a source may make: the listed ones, without a name that could carry a key. A
 * library that would ask for more is stopped before anything is sent.
 */
export class PublicRequests {
  readonly #allowed: readonly string[];
  readonly #origins: Readonly<Record<string, string>>;

  /**
   * @param allowed as in {@link CCXT_EXCHANGES}
   * @param origins other addresses for some origins, such as a test's own server
   */
  constructor(allowed: readonly string[], origins: Readonly<Record<string, string>> = {}) {
    this.#origins = origins;
    this.#allowed = allowed.map((request) => {
      const [method, address = ""] = request.split(" ");
      return `${method} ${this.reroute(address)}`;
    });
  }

  /** The address at which an origin is reached. */
  reroute(address: string): string {
    for (const [origin, other] of Object.entries(this.#origins))
      if (address === origin || address.startsWith(`${origin}/`))
        return `${other}${address.slice(origin.length)}`;
    return address;
  }

  /** @throws RunError for a request that is not on the list. */
  check(method: string, address: string, headers: Iterable<string> = []): void {
    const url = new URL(address);
    const request = `${method} ${url.origin}${url.pathname}`;
    const isListed = this.#allowed.some((allowed) =>
      allowed.endsWith("*") ? request.startsWith(allowed.slice(0, -1)) : request === allowed,
    );
    const hasPrivate = [...headers, ...url.searchParams.keys()].some((name) => PRIVATE.test(name));
    if (!isListed || hasPrivate || url.username !== "" || url.password !== "")
      throw new RunError("is not a request for public data that this source may make", {
        field: "ccxt",
        value: request,
        expected: "one of docs/reference/reference-sources.md",
      });
  }
}
