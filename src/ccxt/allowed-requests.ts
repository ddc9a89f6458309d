import { RunError } from "../core/errors.js";

/**
 * The requests that a client of ccxt may make. A library that would ask for more is stopped before
 * anything is sent.
 */
export class AllowedRequests {
  readonly #allowed: readonly string[];
  readonly #origins: Readonly<Record<string, string>>;
  readonly #page: string;

  /**
   * @param allowed each with its method and address without a query. A websocket's method is `WS`.
   * An address that ends in `*` allows what begins like it.
   * @param page the page that lists them
   * @param origins other addresses for some origins, such as a test's own server
   */
  constructor(
    allowed: readonly string[],
    page: string,
    origins: Readonly<Record<string, string>> = {},
  ) {
    this.#origins = origins;
    this.#page = page;
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
  check(method: string, address: string): void {
    const url = new URL(address);
    const request = `${method} ${url.origin}${url.pathname}`;
    const isListed = this.#allowed.some((allowed) =>
      allowed.endsWith("*") ? request.startsWith(allowed.slice(0, -1)) : request === allowed,
    );
    if (!isListed || url.username !== "" || url.password !== "") throw this.refusal(request);
  }

  /** The error of a request that may not be made. */
  protected refusal(request: string): RunError {
    return new RunError("is not a request that this part of the bot may make", {
      field: "ccxt",
      value: request,
      expected: `one of ${this.#page}`,
    });
  }
}
