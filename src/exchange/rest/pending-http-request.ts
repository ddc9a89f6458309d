import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import type { Dispatcher } from "undici";
import { FormatError } from "../../core/errors.js";
import { parseRetryAfterMs } from "../../core/http/parse-retry-after.js";
import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { HttpRequest, HttpResult } from "./transport.js";

type Unpack = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

const UNPACK: Readonly<Record<string, Unpack>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Parts of one request through undici. */
export interface PendingHttpRequestOptions {
  readonly request: HttpRequest;
  readonly done: (result: HttpResult) => void;
  readonly clock: Clock;
  readonly prefix: string;
  readonly userAgent: string;
  readonly maxBytes: number;
  /** More headers of the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called with the headers of the response, before `done`. */
  readonly onHeaders?: ((headers: HttpResponseHeaders) => void) | undefined;
}

/** The headers of a response, by their names in small letters. */
export type HttpResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * One request and its one result. It uses undici's dispatch, because its `onRequestStart` is the
 * last moment at which no byte has been sent. A request that ends before it was certainly not sent,
 * and one that has not reached it by the deadline never is.
 */
export class PendingHttpRequest implements Dispatcher.DispatchHandler {
  readonly #options: PendingHttpRequestOptions;
  #timer: Timer | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #isFinished = false;
  #isDispatching = false;
  #status = 0;
  #headers: Record<string, string | string[] | undefined> = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(options: PendingHttpRequestOptions) {
    this.#options = options;
  }

  /** Dispatches the request to the pool. */
  start(dispatcher: Dispatcher): void {
    const { request, clock, prefix, userAgent, headers } = this.#options;
    const isPost = request.method === "POST";
    this.#timer = clock.setTimer(request.timeoutMs, () => this.#timedOut());
    this.#isDispatching = true;
    try {
      dispatcher.dispatch(
        {
          method: request.method,
          path: `${prefix}${request.path}${isPost || request.params === "" ? "" : `?${request.params}`}`,
          body: isPost ? request.params : null,
          // A cancel is written once: undici would repeat a request that it considers idempotent.
          idempotent: request.method === "GET",
          headers: {
            "user-agent": userAgent,
            accept: "application/json",
            ...(isPost ? { "content-type": "application/x-www-form-urlencoded" } : {}),
            ...headers,
          },
        },
        this,
      );
    } catch (error) {
      this.#finish({
        ok: false,
        cause: "connection-lost",
        sent: false,
        message: messageOf(error),
        code: codeOf(error),
      });
    } finally {
      this.#isDispatching = false;
    }
  }

  /** Ends it without sending anything. */
  refuse(message: string): void {
    this.#isDispatching = true;
    this.#finish({ ok: false, cause: "connection-lost", sent: false, message });
    this.#isDispatching = false;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isFinished) controller.abort(new Error("withdrawn before it was sent"));
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    this.#headers = headers;
    this.#options.onHeaders?.(headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#options.maxBytes) {
      this.#finish({
        ok: false,
        cause: "connection-lost",
        sent: true,
        message: `an answer above ${this.#options.maxBytes} bytes`,
      });
      controller.abort(new Error("the answer is too long"));
    } else {
      this.#chunks.push(chunk);
    }
  }

  onResponseEnd(): void {
    const { "retry-after": retryAfter, date, "content-encoding": encoding } = this.#headers;
    const { clock, maxBytes } = this.#options;
    let body: string;
    try {
      body = decodeBody(Buffer.concat(this.#chunks), encoding, maxBytes);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      // Its status is known anyway: a rate limit needs no body.
      if (this.#status < 400)
        return this.#finish({
          ok: false,
          cause: "connection-lost",
          sent: true,
          message: error.message,
        });
      body = error.message;
    }
    this.#finish({
      ok: true,
      status: this.#status,
      body,
      retryAfterMs: parseRetryAfterMs({ retryAfter, date }, clock.nowMs()),
    });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const sent = this.#controller !== undefined;
    this.#finish({
      ok: false,
      cause: "connection-lost",
      sent,
      message: messageOf(error),
      code: codeOf(error),
    });
  }

  #timedOut(): void {
    const { timeoutMs } = this.#options.request;
    const sent = this.#controller !== undefined;
    this.#finish({
      ok: false,
      cause: "timeout",
      sent,
      message: `${sent ? "no answer" : "no connection"} within ${timeoutMs} ms`,
    });
    this.#controller?.abort(new Error("timed out"));
  }

  #finish(result: HttpResult): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#timer?.cancel();
    this.#chunks = [];
    const { done, clock } = this.#options;
    // The contract forbids calling back from inside the caller's own call.
    if (this.#isDispatching) clock.setTimer(0, () => done(result));
    else done(result);
  }
}

/**
 * Decodes a response's body to text. No request asks for compression, but a proxy may compress
 * anyway.
 * @throws FormatError when it cannot be unpacked, exceeds `maxBytes`, or has an unknown encoding.
 */
function decodeBody(
  bytes: Buffer,
  encoding: string | string[] | undefined,
  maxBytes: number,
): string {
  const name = (Array.isArray(encoding) ? encoding.join(", ") : (encoding ?? ""))
    .trim()
    .toLowerCase();
  // A response without a body needs no unpacking.
  if (name === "" || name === "identity" || bytes.length === 0) return bytes.toString("utf8");
  const unpack = UNPACK[name];
  const expected = `an answer as it is, or one of ${Object.keys(UNPACK).join(", ")}`;
  if (unpack === undefined)
    throw new FormatError("an encoding that cannot be read", {
      field: "content-encoding",
      value: name,
      expected,
    });
  try {
    return unpack(bytes, { maxOutputLength: maxBytes }).toString("utf8");
  } catch (cause) {
    const summary =
      cause instanceof RangeError ? `unpacks to more than ${maxBytes} bytes` : "does not unpack";
    throw new FormatError(summary, { field: "content-encoding", value: name, expected, cause });
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // For a name with several addresses, Node reports a refused connection without a message.
  return error.message || codeOf(error) || error.name;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}
