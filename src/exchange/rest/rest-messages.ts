import type { Signer } from "../../core/crypto/signing.js";
import { FormatError } from "../../core/errors.js";
import { parseInt64Json } from "../../core/int64-json.js";
import type { Hex, Ms } from "../../core/units.js";
import { errorBody } from "../protocol/errors.js";
import type { Operation } from "../protocol/operations.js";
import { parseWire } from "../protocol/wire-parse.js";
import {
  formatCanonicalParams,
  type RequestParams,
  signParams,
} from "../signing/request-signing.js";
import type { HttpRequest, HttpResult } from "./transport.js";

/*
 * The only encoding of operations as HTTP requests, and the only parser of responses. Client calls,
 * which end in a value or an error, and the bot's actions, which end in an outcome, both use it.
 * The caller decides what to retry; nothing is retried here.
 */

/** The signature of a private request. */
export interface RequestSigning {
  readonly signer: Signer;
  /** The trading account: the signer's own, or one for which the signer is operator. */
  readonly account: Hex;
  /** Exchange time of signing. */
  readonly timestampMs: Ms;
}

/** Encodes the HTTP request of an operation, signed if the operation is private. */
export function restRequest(
  { method, path, isPrivate }: Pick<Operation, "method" | "path" | "isPrivate">,
  params: RequestParams,
  timeoutMs: Ms,
  signing: RequestSigning | undefined,
): HttpRequest {
  const text =
    isPrivate && signing !== undefined
      ? signParams(params, signing.account, signing.timestampMs, signing.signer)
      : formatCanonicalParams(params);
  return { method, path, params: text, timeoutMs };
}

/** Returns true for the status of a rate limit, which passes no part of a request on. */
export function isThrottled(status: number): status is 429 | 418 {
  return status === 429 || status === 418;
}

/** A response that is not {@link isThrottled}, before its record is parsed. */
export type RestResponse =
  /** The exchange returned a code, whatever the status. */
  | {
      readonly kind: "coded";
      readonly code: number;
      readonly codeText: string;
      readonly message: string;
    }
  /** A success without a body. */
  | { readonly kind: "empty" }
  /** A success, its JSON with every digit of an id. */
  | { readonly kind: "value"; readonly value: unknown }
  /** Neither; `value` is its JSON, if any. */
  | { readonly kind: "unreadable"; readonly value: unknown; readonly reason: string };

/** Reads a response. @param mayBeEmpty true if a success may have no body, as for a cancel */
export function readResponse(
  { status, body }: Extract<HttpResult, { readonly ok: true }>,
  mayBeEmpty: boolean,
): RestResponse {
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && mayBeEmpty && body.trim() === "") return { kind: "empty" };
  let value: unknown;
  try {
    value = parseInt64Json(body);
    if (isSuccess && !isErrorBody(value)) return { kind: "value", value };
    const { code, codeText, message } = parseWire(errorBody, value, "error");
    return { kind: "coded", code, codeText, message };
  } catch (error) {
    // A response is untrusted: very deep nesting raises a RangeError.
    if (
      !(error instanceof FormatError || error instanceof SyntaxError || error instanceof RangeError)
    )
      throw error;
    return { kind: "unreadable", value, reason: error.message };
  }
}

/**
 * Returns true if a response is an error body. That holds under a success status too, because
 * clients of this exchange branch on `code`. A record that merely has a field of that name does not
 * count.
 */
function isErrorBody(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "code" in value &&
    ("message" in value || "codeText" in value)
  );
}
