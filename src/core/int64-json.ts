import { FormatError } from "./errors.js";
import type { Int64Id } from "./units.js";

const LARGEST_INT64 = 2n ** 63n - 1n;
// Only where a value may start: amounts in strings are often longer than that.
const SIXTEEN_DIGITS = /(?:^|[:[,])\s*-?\d{16}/;
// A member's value after a key that ends in a letter or digit, spelled without blanks. In
// well-formed JSON a quote after such a character ends a string, so this never matches inside one.
const PLAIN_MEMBER = /(?<=\w":)\d{16,19}(?=[,}])/g;
const CANONICAL_ID = /^(?:0|[1-9]\d{0,18})$/;
const JSON_INTEGER = /^-?[1-9]\d*$/;

const QUOTE = 34;
const BACKSLASH = 92;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;

/**
 * Parses like `JSON.parse`, except that an integer beyond 2^53 becomes a string of its decimal
 * digits instead of a rounded number: the exchange's ids are int64
 * (docs/reference/exchange-interface.md#conventions). Everything else, rejections included, is as
 * with `JSON.parse`. A text without long numbers costs one extra scan.
 * @throws SyntaxError as `JSON.parse` does.
 */
export function parseInt64Json(text: string): unknown {
  if (!SIXTEEN_DIGITS.test(text)) return JSON.parse(text);
  // Nearly every long number is an id in the usual spelling; only the remaining ones need the slow
  // scan.
  const quoted = text.replace(PLAIN_MEMBER, quotedIfLong);
  return JSON.parse(SIXTEEN_DIGITS.test(quoted) ? withLongIntegersQuoted(text) : quoted);
}

/**
 * Converts a parsed id to its one representation, a canonical decimal string, from a number or a
 * string on the wire.
 * @throws FormatError when it is not an integer from 0 to 2^63 - 1.
 */
export function int64Id(value: unknown, field = "id"): Int64Id {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (
    typeof text !== "string" ||
    !CANONICAL_ID.test(text) ||
    (text.length === 19 && BigInt(text) > LARGEST_INT64)
  ) {
    throw new FormatError("not an id", { field, value, expected: "an integer from 0 to 2^63 - 1" });
  }
  return text;
}

function quotedIfLong(digits: string): string {
  return digits.startsWith("0") || Number.isSafeInteger(Number(digits)) ? digits : `"${digits}"`;
}

/**
 * Hand-written, because a regular expression over a hostile frame of many megabytes can exhaust its
 * stack. It quotes only valid JSON integers, and never in a key's position, so that malformed text
 * stays malformed.
 */
function withLongIntegersQuoted(text: string): string {
  let result = "";
  let copied = 0;
  let place = 0;
  while (place < text.length) {
    const code = text.charCodeAt(place);
    if (code === QUOTE) {
      place = endOfString(text, place);
    } else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, place);
      const token = text.slice(place, end);
      if (
        token.length >= 16 &&
        JSON_INTEGER.test(token) &&
        !Number.isSafeInteger(Number(token)) &&
        !isKey(text, end)
      ) {
        result += `${text.slice(copied, place)}"${token}"`;
        copied = end;
      }
      place = end;
    } else {
      place += 1;
    }
  }
  return result + text.slice(copied);
}

function endOfString(text: string, start: number): number {
  let place = start + 1;
  while (place < text.length) {
    const code = text.charCodeAt(place);
    if (code === QUOTE) {
      return place + 1;
    }
    place += code === BACKSLASH ? 2 : 1;
  }
  return text.length;
}

/**
 * Skips every character that a number can contain, so that `1e400` or `1.5` is one token and not an
 * integer.
 */
function endOfNumber(text: string, start: number): number {
  let place = start + 1;
  while (place < text.length && isNumberPart(text.charCodeAt(place))) {
    place += 1;
  }
  return place;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function isNumberPart(code: number): boolean {
  // . + - e E
  return (
    isDigit(code) || code === 46 || code === 43 || code === MINUS || code === 101 || code === 69
  );
}

function isKey(text: string, end: number): boolean {
  let place = end;
  while (place < text.length && text.charCodeAt(place) <= 32) {
    place += 1;
  }
  return text.charAt(place) === ":";
}
