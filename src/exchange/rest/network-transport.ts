import { Pool } from "undici";
import { ConfigError } from "../../core/errors.js";
import type { Clock } from "../../core/runtime/runtime.js";
import { WebSocketLink } from "../streams/web-socket-link.js";
import { PendingHttpRequest } from "./pending-http-request.js";
import type { HttpRequest, HttpResult, Socket, SocketHandlers, Transport } from "./transport.js";

/** Addresses of the exchange, and limits of its responses. */
export interface NetworkTransportOptions {
  /** Base address of the REST interface with its version prefix: `https://host/v1`. */
  readonly restUrl: string;
  /** Base address of the streams: `wss://host/v1`. */
  readonly streamUrl: string;
  readonly clock: Clock;
  /** Connections to the REST interface, one request at a time on each; default 16. */
  readonly connections?: number;
  /** Longer responses are rejected; default 64 MiB. */
  readonly maxAnswerBytes?: number;
  /** A longer websocket message ends its connection; default 16 MiB. */
  readonly maxMessageBytes?: number;
  /** Some firewalls reject clients that do not look like a browser. */
  readonly userAgent?: string;
}

/** A browser's user agent, which the exchange's firewall accepts. */
export const DEFAULT_USER_AGENT =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 marketwright";

const DEFAULT_CONNECTIONS = 16;
const MEBIBYTE = 1024 * 1024;
const IDLE_MS = 4000;

/**
 * The real network: a pool of keep-alive HTTP connections without pipelining, and websockets
 * without compression. A request's deadline is a timer of the runtime over the whole exchange,
 * connecting and queueing included; undici's own are switched off.
 * @example
 * ```ts
 * import { type HttpResult, createLiveRuntime, NetworkTransport } from "marketwright/exchange";
 *
 * const restUrl = process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1";
 * const transport = new NetworkTransport({
 *   restUrl,
 *   streamUrl: restUrl.replace("http", "ws"),
 *   clock: createLiveRuntime().clock,
 * });
 * const result = await new Promise<HttpResult>((resolve) =>
 *   transport.request({ method: "GET", path: "/v1/time", params: "", timeoutMs: 5000 }, resolve),
 * );
 * transport.close();
 * result.ok && result.status; // => 200
 * ```
 */
export class NetworkTransport implements Transport {
  readonly #options: NetworkTransportOptions;
  readonly #rest: BaseUrl;
  readonly #stream: BaseUrl;
  readonly #pool: Pool;
  readonly #links = new Set<WebSocketLink>();
  #isClosed = false;

  /** @throws ConfigError when an address is not valid. */
  constructor(options: NetworkTransportOptions) {
    this.#options = options;
    this.#rest = baseUrl(options.restUrl, "exchange.rest", ["http:", "https:"]);
    this.#stream = baseUrl(options.streamUrl, "exchange.stream", ["ws:", "wss:"]);
    this.#pool = new Pool(this.#rest.origin, {
      connections: options.connections ?? DEFAULT_CONNECTIONS,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      // Shorter than servers commonly keep an idle connection: a place sent on a closing connection
      // has an unknown outcome.
      keepAliveTimeout: IDLE_MS,
    });
  }

  request(request: HttpRequest, done: (result: HttpResult) => void): void {
    const exchange = new PendingHttpRequest({
      request,
      done,
      clock: this.#options.clock,
      prefix: this.#rest.prefix,
      userAgent: this.#options.userAgent ?? DEFAULT_USER_AGENT,
      maxBytes: this.#options.maxAnswerBytes ?? 64 * MEBIBYTE,
    });
    if (this.#isClosed) exchange.refuse("the transport is closed");
    else exchange.start(this.#pool);
  }

  open(path: string, handlers: SocketHandlers): Socket {
    const link = new WebSocketLink({
      url: `${this.#stream.origin}${this.#stream.prefix}${path}`,
      handlers,
      clock: this.#options.clock,
      userAgent: this.#options.userAgent ?? DEFAULT_USER_AGENT,
      maxMessageBytes: this.#options.maxMessageBytes ?? 16 * MEBIBYTE,
      onClosed: () => this.#links.delete(link),
    });
    this.#links.add(link);
    return link;
  }

  /** Closes every connection at once; requests in flight end as lost. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const link of [...this.#links]) link.terminate("the transport is closed");
    // Its promise settles when the sockets are closed; each request in flight gets its own result.
    this.#pool.destroy(null, () => undefined);
  }
}

interface BaseUrl {
  readonly origin: string;
  /** The path before the version; usually empty. */
  readonly prefix: string;
}

function baseUrl(text: string, field: string, protocols: readonly string[]): BaseUrl {
  const expected = `an address such as ${protocols[0]}//127.0.0.1:8620/v1`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !protocols.includes(url.protocol) ||
    url.search !== "" ||
    url.hash !== ""
  ) {
    throw new ConfigError("not the exchange's address", { field, value: text, expected });
  }
  return {
    origin: `${url.protocol}//${url.host}`,
    prefix: url.pathname.replace(/\/+$/, "").replace(/\/v1$/, ""),
  };
}
