import type { Signer } from "../../core/crypto/signing.js";
import { ConfigError } from "../../core/errors.js";
import type { Hex, Ms } from "../../core/units.js";
import { OPERATIONS, type Operation, type OperationName } from "../protocol/operations.js";
import type { RequestParams } from "../signing/request-signing.js";
import { VenueError, VenueRequestError } from "../venue-errors.js";
import { type CallParams, validateParams } from "./call-params.js";
import type { RateGate } from "./rate-gate.js";
import { isThrottled, readResponse, restRequest } from "./rest-messages.js";
import type { Retrier } from "./retrier.js";
import type { HttpResult, Transport } from "./transport.js";

/** Options of the calls. */
export interface RestCallerOptions {
  readonly transport: Pick<Transport, "request">;
  /** Exchange time as the caller estimates it, for the signed timestamp. */
  readonly nowMs: () => Ms;
  /** Needed for the private operations. */
  readonly signer?: Signer;
  /** The trading account; default: the signer's own. Another one if the signer is its operator. */
  readonly account?: Hex;
  /** Default 10000. */
  readonly timeoutMs?: Ms;
  /** The rate budget that each call waits for; without one, calls are not counted. */
  readonly gate?: RateGate;
  /** Retries reads and cancels that got no response; without one, nothing is retried. */
  readonly retrier?: Retrier;
  /** Aborts calls that wait for the budget or for a retry. */
  readonly signal?: AbortSignal;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Makes REST calls by name: checks parameters, signs private operations, parses responses with
 * every digit of an id, and throws typed errors for rejections. A place, a build and a registration
 * are sent once, whatever the result.
 */
export class RestCaller {
  readonly #options: RestCallerOptions;

  constructor(options: RestCallerOptions) {
    this.#options = options;
  }

  /**
   * @returns the response's parsed JSON, integers past 2^53 as strings of their digits; null for an
   * empty response.
   * @throws ConfigError for a wrong parameter or a missing key, VenueError when the exchange
   * rejects the call, VenueRequestError when there is no usable response, RateLimitError if the
   * budget does not allow the call.
   */
  call(name: OperationName, params: CallParams = {}): Promise<unknown> {
    const { gate, retrier, signal } = this.#options;
    const operation = OPERATIONS[name];
    const once = async (): Promise<unknown> => {
      const checked = validateParams(operation, params);
      this.#requireKey(operation);
      // Before signing: a request that waited would carry an old timestamp.
      await gate?.admit(name, signal);
      return this.#send(operation, checked);
    };
    return retrier === undefined || operation.method === "POST"
      ? once()
      : retrier.run(once, signal);
  }

  /** The trading account. @throws ConfigError when there is neither account nor key */
  get account(): Hex {
    const account = this.#options.account ?? this.#options.signer?.address;
    if (account === undefined)
      throw new ConfigError("a private operation needs an account", {
        field: "account",
        expected: "a signing key",
      });
    return account;
  }

  async #send(operation: Operation, params: RequestParams): Promise<unknown> {
    const { transport, gate, signer, nowMs, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const signing = signer && {
      signer,
      account: params.account ?? this.account,
      timestampMs: nowMs(),
    };
    const request = restRequest(operation, params, timeoutMs, signing);
    const result = await new Promise<HttpResult>((resolve) => {
      transport.request(request, resolve);
    });
    return this.#valueOf(result, `${request.method} ${request.path}`, gate);
  }

  #valueOf(result: HttpResult, where: string, gate: RateGate | undefined): unknown {
    if (!result.ok) {
      const { sent, cause, message, code } = result;
      throw new VenueRequestError(`${where}: ${message}`, {
        mayHaveHappened: sent,
        timedOut: cause === "timeout",
        systemCode: code,
      });
    }
    const { status, body, retryAfterMs } = result;
    if (isThrottled(status)) {
      gate?.throttled(status, retryAfterMs);
      throw new VenueRequestError(`${where}: refused by the rate limit (HTTP ${status})`, {
        httpStatus: status,
        retryAfterMs,
        mayHaveHappened: false,
      });
    }
    const answer = readResponse(result, true);
    switch (answer.kind) {
      case "value":
        return answer.value;
      case "empty":
        return null;
      case "coded":
        throw new VenueError(answer, status);
      case "unreadable":
        // The record's parser reports what is wrong with a success.
        if (status >= 200 && status < 300 && answer.value !== undefined) return answer.value;
        throw new VenueRequestError(`${where}: HTTP ${status}: ${body.slice(0, 200)}`, {
          httpStatus: status,
          mayHaveHappened: status !== 403,
        });
    }
  }

  #requireKey({ isPrivate }: Operation): void {
    if (isPrivate && this.#options.signer === undefined)
      throw new ConfigError("a private operation needs a key", {
        field: "account",
        expected: "a signing key",
      });
  }
}
