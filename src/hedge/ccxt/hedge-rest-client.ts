import { Pool } from "undici";
import type { AllowedRequests } from "../../ccxt/allowed-requests.js";
import type { CcxtExchange, CcxtRequest } from "../../ccxt/ccxt-exchange.js";
import { describeThrown } from "../../core/describe-thrown.js";
import { parseInt64Json } from "../../core/int64-json.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import {
  type HttpResponseHeaders,
  PendingHttpRequest,
} from "../../exchange/rest/pending-http-request.js";
import type { HttpResult } from "../../exchange/rest/transport.js";
import type { RequestWeights } from "./request-weights.js";
import {
  type HedgeRefusal,
  readUsdmCode,
  readUsdmRefusal,
  USDM_CLOCK_CODES,
} from "./usdm-refusals.js";
import { USDM_REQUESTS, type UsdmRequestName } from "./usdm-requests.js";

/** A list of all markets has a few MiB. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Requests at once; the others wait for a connection, and count against their time limit. */
const CONNECTIONS = 8;
/** Shorter than servers keep an idle connection: a place on a closing one has an unknown end. */
const IDLE_MS = 4000;
const USED_WEIGHT = "x-mbx-used-weight-1m";

/** The answer to a request: its parsed body, or what its refusal proves. */
export type HedgeReply =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly refusal: HedgeRefusal };

/** Dependencies of a {@link HedgeRestClient}. */
export interface HedgeRestClientDeps {
  /** Prepares and signs. */
  readonly exchange: Pick<CcxtExchange, "sign">;
  readonly requests: AllowedRequests;
  readonly weights: RequestWeights;
  readonly clock: Clock;
  readonly timeoutMs: Ms;
  /** The exchange does not accept the time of a request. */
  readonly onClockRefused: () => void;
}

/**
 * Requests to an exchange by HTTP: ccxt signs each, and it is sent once, if it is on the list and
 * within the budget of weights. Nothing is repeated.
 */
export class HedgeRestClient {
  readonly #deps: HedgeRestClientDeps;
  readonly #pools = new Map<string, Pool>();
  #isClosed = false;

  constructor(deps: HedgeRestClientDeps) {
    this.#deps = deps;
  }

  /**
   * Sends a request of {@link USDM_REQUESTS}.
   * @throws RunError for one that is not on the list
   */
  async call(
    name: UsdmRequestName,
    params: Readonly<Record<string, string | number>> = {},
  ): Promise<HedgeReply> {
    const { method, api, path, weight, urgency } = USDM_REQUESTS[name];
    const { weights, exchange } = this.#deps;
    const waitMs = weights.take(weight, urgency);
    if (waitMs > 0) return refuse(`the budget of requests is used up for ${waitMs} ms`, waitMs);
    const result = await this.send(exchange.sign(path, api, method, { ...params }));
    if (!result.ok) {
      const message = describeThrown(result.message);
      if (!result.sent) return refuse(message);
      return { ok: false, refusal: { result: "unknown", message } };
    }
    return this.#read(result, "origClientOrderId" in params || "orderId" in params);
  }

  /** Sends a prepared request, whatever its weight. @throws RunError if it is not on the list */
  send(
    { url, method, headers, body }: CcxtRequest,
    timeoutMs = this.#deps.timeoutMs,
  ): Promise<HttpResult> {
    const { requests, clock } = this.#deps;
    requests.check(method, url);
    const { origin, pathname, search } = new URL(url);
    return new Promise((resolve) => {
      const pending = new PendingHttpRequest({
        request: {
          method: method as "GET" | "POST" | "DELETE",
          path: pathname,
          params: method === "POST" ? (body ?? "") : search.slice(1),
          timeoutMs,
        },
        done: resolve,
        clock,
        prefix: "",
        userAgent: "marketwright",
        maxBytes: MOST_BYTES,
        headers,
        onHeaders: (given) => this.#noteWeight(given),
      });
      if (this.#isClosed) pending.refuse("the venue is closed");
      else pending.start(this.#pool(origin));
    });
  }

  /** Ends every request and connection at once. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const pool of this.#pools.values()) pool.destroy(null, () => undefined);
  }

  #read(answer: Extract<HttpResult, { readonly ok: true }>, isOfOrder: boolean): HedgeReply {
    const { weights, onClockRefused } = this.#deps;
    if (answer.status >= 200 && answer.status < 300) {
      try {
        return { ok: true, body: parseInt64Json(answer.body) };
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        const message = `HTTP ${answer.status} without JSON`;
        return { ok: false, refusal: { result: "unknown", message } };
      }
    }
    const code = readUsdmCode(answer.body) ?? "";
    if (USDM_CLOCK_CODES.includes(code)) onClockRefused();
    const refusal = readUsdmRefusal(answer, isOfOrder);
    const isThrottled = answer.status === 429 || answer.status === 418;
    if (!isThrottled || refusal.result !== "not-sent") return { ok: false, refusal };
    // The exchange counts new orders apart: too many of them do not block a cancel.
    const waitMs = code === "-1015" ? answer.retryAfterMs : weights.block(answer.retryAfterMs);
    return { ok: false, refusal: { ...refusal, retryAfterMs: waitMs } };
  }

  #noteWeight({ [USED_WEIGHT]: header }: HttpResponseHeaders): void {
    const used = Number(Array.isArray(header) ? header[0] : header);
    if (Number.isSafeInteger(used)) this.#deps.weights.noteUsed(used);
  }

  #pool(origin: string): Pool {
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    const pool = new Pool(origin, {
      connections: CONNECTIONS,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
    });
    this.#pools.set(origin, pool);
    return pool;
  }
}

function refuse(message: string, retryAfterMs?: Ms): HedgeReply {
  return { ok: false, refusal: { result: "not-sent", message, retryAfterMs } };
}
