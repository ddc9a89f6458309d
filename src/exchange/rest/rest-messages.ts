import type { Signer } from "../../core/crypto/signing.js";
import { FormatError } from "../../core/errors.js";
import { parseInt64Json } from "../../core/int64-json.js";
import type { Hex, Ms } from "../../core/units.js";
import { errorBody } from "../protocol/errors.js";
import type { Operation } from "../protocol/operations.js";
import { parseWire } from "../protocol/wire-parse.js";
import { canonicalParams, type RequestParams, signedParams } from "../signing/request-signing.js";
import type { HttpRequest, HttpResult } from "./transport.js";

/*
 * The one way in which operations are written as HTTP requests, and answers are read: for the calls
 * of a client, which end in a value or an error, and for the actions of the bot, which end in an
 * outcome. A caller decides what may be repeated; nothing is here.
 */

/** The signature of a private request. */
export interface RequestSigning {
  readonly signer: Signer;
  /** The trading account: the signer's own, or one whose operator the signer is. */
  readonly account: Hex;
  /** Exchange time of signing. */
  readonly timestampMs: Ms;
}

/** The HTTP request of an operation, signed where the operation is private. */
export function restRequest(
  { method, path, isPrivate }: Pick<Operation, "method" | "path" | "isPrivate">,
  params: RequestParams,
  timeoutMs: Ms,
  signing: RequestSigning | undefined,
): HttpRequest {
  const text =
    isPrivate && signing !== undefined
      ? signedParams(params, signing.account, signing.timestampMs, signing.signer)
      : canonicalParams(params);
  return { method, path, params: text, timeoutMs };
}

/** Whether a status is that of a rate limit, which lets nothing of a request through. */
export function isThrottled(status: number): status is 429 | 418 {
  return status === 429 || status === 418;
}

/** An answer that came and is not {@link isThrottled}, before anybody reads its record. */
export type RestResponse =
  /** The exchange answered with a code, whatever the status. */
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
  /** Neither; `value` is its JSON where it has some. */
  | { readonly kind: "unreadable"; readonly value: unknown; readonly reason: string };

/** Reads an answer. @param mayBeEmpty whether a success without a body is one, as of a cancel */
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
    // An answer comes from outside: RangeError is what very deep nesting ends in.
    if (
      !(error instanceof FormatError || error instanceof SyntaxError || error instanceof RangeError)
    )
      throw error;
    return { kind: "unreadable", value, reason: error.message };
  }
}

/**
 * Whether an answer is the body of an error. Under a status of success it is one all the same, since
 * clients of this exchange branch on `code`. A record with a field of that name alone is none.
 */
function isErrorBody(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "code" in value &&
    ("message" in value || "codeText" in value)
  );
}
