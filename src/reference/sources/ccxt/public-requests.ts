import { AllowedRequests } from "../../../ccxt/allowed-requests.js";

/** Names of headers and of parameters of a query that carry a key, a signature or an account. */
const PRIVATE = /key|sign|secret|passphrase|token|auth|cookie|recv_?window/i;

/** The requests that a source may make: the listed ones, without a name that could carry a key. */
export class PublicRequests extends AllowedRequests {
  /**
   * @param allowed as in {@link CCXT_EXCHANGES}
   * @param origins other addresses for some origins, such as a test's own server
   */
  constructor(allowed: readonly string[], origins: Readonly<Record<string, string>> = {}) {
    super(allowed, "docs/reference/reference-sources.md", origins);
  }

  /** @throws RunError for a request that is not on the list, or is not for public data. */
  override check(method: string, address: string, headers: Iterable<string> = []): void {
    super.check(method, address);
    const { origin, pathname, searchParams } = new URL(address);
    if ([...headers, ...searchParams.keys()].some((name) => PRIVATE.test(name)))
      throw this.refusal(`${method} ${origin}${pathname}`);
  }
}
