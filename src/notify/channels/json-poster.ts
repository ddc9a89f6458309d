import { Agent, request } from "undici";
import { describeThrown } from "../../core/describe-thrown.js";
import { parseRetryAfterMs } from "../../core/http/parse-retry-after.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import { DeliveryError } from "./channel.js";

/** Longest answer that is read. */
const MOST_BYTES = 1 << 20;
/** Longest pause that a service may ask for: it might be wrong. */
const MOST_PAUSE_MS: Ms = 3_600_000;
const SEND_WITHIN_MS: Ms = 15_000;

/** The answer to a POST. */
export interface PostResult {
  readonly status: number;
  readonly text: string;
  /** The pause of `Retry-After`, in seconds or as a date. */
  readonly retryAfterMs: Ms | undefined;
}

/** Options of one POST. */
interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly withinMs?: Ms;
}

/** Posts JSON to one service, over connections of its own. It follows no redirect. */
export class JsonPoster {
  readonly #clock: Clock;
  readonly #agent = new Agent({ connections: 2 });
  readonly #ended = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Posts a text of JSON and reads the answer, whatever its status.
   * @throws DeliveryError if there is no answer
   */
  async post(
    address: string,
    json: string,
    { headers = {}, withinMs = SEND_WITHIN_MS }: PostOptions = {},
  ): Promise<PostResult> {
    const late = new AbortController();
    const timer = this.#clock.setTimer(withinMs, () =>
      late.abort(new Error(`no answer within ${withinMs / 1000} s`)),
    );
    try {
      const answer = await request(address, {
        method: "POST",
        dispatcher: this.#agent,
        headers: { "content-type": "application/json; charset=utf-8", ...headers },
        body: json,
        signal: AbortSignal.any([late.signal, this.#ended.signal]),
        headersTimeout: withinMs,
        bodyTimeout: withinMs,
      });
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of answer.body) {
        bytes += chunk.length;
        if (bytes > MOST_BYTES) throw new Error(`an answer above ${MOST_BYTES} bytes`);
        chunks.push(chunk);
      }
      return {
        status: answer.statusCode,
        text: Buffer.concat(chunks).toString("utf8"),
        retryAfterMs: boundedPauseMs(
          parseRetryAfterMs(
            { retryAfter: answer.headers["retry-after"], date: answer.headers.date },
            this.#clock.nowMs(),
          ) ?? 0,
        ),
      };
    } catch (cause) {
      // The cause may show the address, which is a secret: only its text goes on, masked.
      throw new DeliveryError(`cannot be reached (${describeThrown(cause)})`);
    } finally {
      timer.cancel();
    }
  }

  /** Ends every request. */
  close(): void {
    this.#ended.abort(new Error("the sender ends"));
    void this.#agent.destroy();
  }
}

/** A pause that a service asks for, as a usable one. */
export function boundedPauseMs(pauseMs: number): Ms | undefined {
  return pauseMs > 0 ? Math.min(Math.ceil(pauseMs), MOST_PAUSE_MS) : undefined;
}

/** Most of a foreign answer that is shown. */
const MOST_SHOWN = 200;

/** Statuses of an answer that hold for this message, and not for the service or the key. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);

/** The error of an answer that is no acceptance. */
export function deliveryErrorFor({ status, text, retryAfterMs }: PostResult): DeliveryError {
  const isRedirect = status >= 300 && status < 400;
  const shown = isRedirect
    ? "a redirect, which is not followed"
    : text.trim().slice(0, MOST_SHOWN) || "no text";
  return new DeliveryError(`answers HTTP ${status}: ${describeThrown(shown)}`, {
    isRefused: REFUSALS.has(status),
    retryAfterMs,
  });
}
