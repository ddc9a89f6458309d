import { Pool } from "undici";
import { ConfigError } from "../../core/errors.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import { RpcFailure } from "./rpc-errors.js";
import type { RpcReply, RpcTransport } from "./rpc-transport.js";

/** One RPC's address and limits. */
export interface HttpTransportOptions {
  /** `http:` or `https:`. It may carry a provider's key, so it never enters a message. */
  readonly url: string;
  /** Name in messages. */
  readonly name: string;
  readonly clock: Clock;
  /** Time limit of one request, from its start to its last byte. */
  readonly timeoutMs: Ms;
  readonly maxResponseBytes?: number;
}

const CONNECTIONS = 16;
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * JSON-RPC over keep-alive connections, one request at a time on each. Timeouts use the runtime's
 * timers.
 */
export class HttpTransport implements RpcTransport {
  readonly #options: HttpTransportOptions;
  readonly #pool: Pool;
  readonly #path: string;
  readonly #authorization: string | undefined;
  #nextId = 1;

  /** @throws ConfigError when the address is not valid; the error does not show it. */
  constructor(options: HttpTransportOptions) {
    const url = URL.canParse(options.url) ? new URL(options.url) : undefined;
    if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
      throw new ConfigError("is not an address of a JSON-RPC (not shown: it may carry a key)", {
        field: options.name,
        expected: "an address such as http://127.0.0.1:8545",
      });
    }
    this.#options = options;
    this.#path = `${url.pathname}${url.search}`;
    const { username, password } = url;
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#authorization =
      username === "" && password === ""
        ? undefined
        : `Basic ${Buffer.from(credentials).toString("base64")}`;
    this.#pool = new Pool(url.origin, {
      connections: CONNECTIONS,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async request(method: string, params: readonly unknown[]): Promise<RpcReply> {
    const id = this.#nextId++;
    const { status, text } = await this.#post(
      JSON.stringify({ jsonrpc: "2.0", id, method, params }),
    );
    const answer = parsed(text);
    // Some nodes send a revert with a status of 4xx or 5xx, so the body decides, not the status.
    if (answer === undefined || answer.id !== id) {
      if (status < 200 || status > 299) throw new RpcFailure("http", `HTTP ${status}`);
      throw new RpcFailure("malformed", `no JSON-RPC answer to ${method}`);
    }
    if (answer.error !== undefined && answer.error !== null) return { error: answer.error };
    if (answer.result === undefined)
      throw new RpcFailure("malformed", `neither result nor error for ${method}`);
    return { result: answer.result };
  }

  /** Closes all connections; requests in flight fail. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #post(body: string): Promise<{ readonly status: number; readonly text: string }> {
    const { clock, timeoutMs, maxResponseBytes = MOST_BYTES } = this.#options;
    const abort = new AbortController();
    let isLate = false;
    const timer = clock.setTimer(timeoutMs, () => {
      isLate = true;
      abort.abort();
    });
    try {
      const headers = {
        "content-type": "application/json",
        ...(this.#authorization === undefined ? {} : { authorization: this.#authorization }),
      };
      const response = await this.#pool.request({
        method: "POST",
        path: this.#path,
        body,
        headers,
        signal: abort.signal,
      });
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > maxResponseBytes)
          throw new RpcFailure("malformed", `an answer above ${maxResponseBytes} bytes`);
        chunks.push(chunk);
      }
      return { status: response.statusCode, text: Buffer.concat(chunks).toString("utf8") };
    } catch (error) {
      if (isLate) throw new RpcFailure("timeout", `no answer within ${timeoutMs} ms`);
      if (error instanceof RpcFailure) throw error;
      const code =
        error instanceof Error && "code" in error && typeof error.code === "string"
          ? error.code
          : "";
      throw new RpcFailure("connection", `connection lost${code === "" ? "" : ` (${code})`}`);
    } finally {
      timer.cancel();
    }
  }
}

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

function parsed(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
