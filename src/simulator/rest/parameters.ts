import { findDuplicateKey } from "../../core/config/find-duplicate-key.js";
import { parseInt64Json } from "../../core/int64-json.js";
import type { VenueChoices } from "../config/choices.js";
import { ApiError } from "./api-error.js";

/** A request as the transport passes it on. */
export interface ApiRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly body: string;
  readonly contentType?: string;
  /** By name in lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly ip: string;
}

/**
 * Reads the parameters of a request from its query and its body; the body's value wins
 * (docs/reference/protocol.md#request-signatures).
 */
export function readParameters({ query, body, contentType }: ApiRequest): Map<string, string> {
  const parameters = new Map<string, string>();
  addForm(parameters, query, "query");
  if (body !== "") {
    if (
      contentType?.trimStart().toLowerCase().startsWith("application/json") ||
      (contentType === undefined && body.startsWith("{"))
    ) {
      addJson(parameters, body);
    } else {
      addForm(parameters, body, "body");
    }
  }
  return parameters;
}

function addForm(into: Map<string, string>, form: string, carrier: string): void {
  if (form === "") {
    return;
  }
  const seen = new Set<string>();
  for (const pair of form.split("&")) {
    if (pair === "") {
      continue;
    }
    const equals = pair.indexOf("=");
    const key = decodeForm(equals < 0 ? pair : pair.slice(0, equals));
    if (seen.has(key)) {
      throw new ApiError(1111, `parameter ${key} is in the ${carrier} twice`);
    }
    seen.add(key);
    into.set(key, equals < 0 ? "" : decodeForm(pair.slice(equals + 1)));
  }
}

function decodeForm(text: string): string {
  if (!text.includes("%") && !text.includes("+")) {
    return text;
  }
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new ApiError(1111, "a parameter is not form-encoded UTF-8");
  }
}

/**
 * Adds a JSON body: a flat object of strings and integers. Decimal quantities are strings, since
 * their characters are signed.
 */
function addJson(into: Map<string, string>, body: string): void {
  let parsed: unknown;
  try {
    parsed = parseInt64Json(body);
  } catch {
    throw new ApiError(1111, "the body is not valid JSON");
  }
  const twice = findDuplicateKey(body);
  if (twice !== undefined) {
    throw new ApiError(1111, `parameter ${twice} is in the body twice`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new ApiError(1111, "the body is not a JSON object");
  }
  for (const [key, value] of Object.entries(parsed)) {
    if (typeof value === "string" || Number.isSafeInteger(value)) {
      into.set(key, String(value));
    } else {
      throw new ApiError(1111, `parameter ${key} is neither a string nor an integer`);
    }
  }
}

const INTEGER = /^\d{1,18}$/;

/**
 * Reads a mandatory parameter.
 * @throws ApiError 1111
 */
export function required(parameters: ReadonlyMap<string, string>, key: string): string {
  const value = parameters.get(key);
  if (value === undefined || value === "") {
    throw new ApiError(1111, `parameter ${key} is missing`);
  }
  return value;
}

/**
 * Reads an optional whole number.
 * @throws ApiError 1111
 */
export function optionalInteger(
  parameters: ReadonlyMap<string, string>,
  key: string,
): number | undefined {
  const value = parameters.get(key);
  if (value === undefined || value === "") {
    return undefined;
  }
  const number = Number(value);
  if (!INTEGER.test(value) || !Number.isSafeInteger(number)) {
    throw new ApiError(1111, `parameter ${key} is not a whole number`);
  }
  return number;
}

const INT64_LIMIT = 2n ** 63n;

/**
 * Reads an identifier in its canonical decimal form, or undefined when it is left out.
 * @throws ApiError 1111
 */
export function optionalId(
  parameters: ReadonlyMap<string, string>,
  key: string,
): string | undefined {
  const value = parameters.get(key);
  if (value === undefined || value === "") {
    return undefined;
  }
  if (!/^\d{1,20}$/.test(value) || BigInt(value) >= INT64_LIMIT) {
    throw new ApiError(1111, `parameter ${key} is not an int64`);
  }
  return BigInt(value).toString();
}

/**
 * Reads the `limit` of a list: 1 to 500, 100 when left out
 * (docs/reference/exchange-interface.md#limits).
 * @throws ApiError 1111
 */
export function listLimit(parameters: ReadonlyMap<string, string>): number {
  const limit = optionalInteger(parameters, "limit") ?? 100;
  if (limit < 1 || limit > 500) {
    throw new ApiError(1111, "parameter limit is not between 1 and 500");
  }
  return limit;
}

/**
 * Reads `startTime` (inclusive) and `endTime` (exclusive).
 * @throws ApiError 1111; 1113 when the range is empty and the venue refuses that
 */
export function timeRange(
  parameters: ReadonlyMap<string, string>,
  { emptyTimeRange }: Pick<VenueChoices, "emptyTimeRange">,
): { startMs: number | undefined; endMs: number | undefined } {
  const startMs = optionalInteger(parameters, "startTime");
  const endMs = optionalInteger(parameters, "endTime");
  if (
    startMs !== undefined &&
    endMs !== undefined &&
    startMs >= endMs &&
    emptyTimeRange === "reject"
  ) {
    throw new ApiError(1113, "startTime is not before endTime");
  }
  return { startMs, endMs };
}

/**
 * Reads one of several values.
 * @throws ApiError 1111
 */
export function oneOf<Word extends string>(
  value: string,
  words: readonly Word[],
  key: string,
): Word {
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) {
    throw new ApiError(1111, `parameter ${key} is not one of ${words.join(", ")}`);
  }
  return word;
}
