import { findNearestName } from "../../core/config/find-nearest-name.js";
import { ConfigError } from "../../core/errors.js";
import type { Operation } from "../protocol/operations.js";
import type { OperationParameter, ParameterType } from "../protocol/parameters.js";
import type { RequestParams } from "../signing/request-signing.js";

/** Parameters of a call in the form that people and programs write. */
export type CallParams = Readonly<Record<string, string | number | bigint>>;

const SHAPES: Readonly<
  Record<
    Exclude<ParameterType, "enum" | "string">,
    { readonly shape: RegExp; readonly expected: string }
  >
> = {
  decimal: { shape: /^\d{1,60}(?:\.\d{1,60})?$/, expected: "an unsigned plain decimal" },
  integer: { shape: /^[1-9]\d{0,8}$/, expected: "a whole number of at least 1" },
  id: { shape: /^(?:0|[1-9]\d{0,18})$/, expected: "an integer from 0 to 2^63 - 1" },
  ms: { shape: /^(?:0|[1-9]\d{0,15})$/, expected: "whole milliseconds since the epoch" },
  address: { shape: /^0x[0-9a-fA-F]{40}$/, expected: "0x and 40 hex digits" },
  hex: { shape: /^0x(?:[0-9a-fA-F]{2})+$/, expected: "0x and hex digits" },
};

/** The expected parameters: of an operation of the exchange, or of a client's variant of one. */
export interface Call extends Pick<Operation, "isPrivate" | "parameters"> {
  /** Name in messages. */
  readonly name: string;
}

/** Accepted forms of a decimal: a number's digits are not those that were written. */
const EXACT_DECIMAL = "a text, a bigint or a Decimal";

/**
 * Converts the parameters of an operation to the strings that are sent. `account` may be given to
 * every private operation.
 * @throws ConfigError naming the parameter that is missing, unknown or not of its type.
 * @example
 * ```ts
 * import { validateParams, OPERATIONS } from "marketwright/exchange";
 *
 * const operation = { ...OPERATIONS.orderbook, name: "orderbook" };
 * validateParams(operation, { marketId: "btcusdc", limit: 10 }).limit; // => "10"
 * validateParams(operation, { market: "btcusdc" }); // throws ConfigError
 * ```
 */
export function validateParams(operation: Call, params: CallParams): RequestParams {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(params)) {
    const parameter = parameterOf(operation, name);
    if (parameter === undefined) {
      const names = operation.parameters.map((known) => known.name);
      const near = findNearestName(name, names);
      throw new ConfigError(
        `${operation.name} has no such parameter${near === undefined ? "" : `, did you mean ${near}?`}`,
        {
          field: name,
          value: String(value),
          expected: names.join(", ") || "no parameters",
        },
      );
    }
    if (!["string", "number", "bigint"].includes(typeof value)) {
      // Converted to text, it could become an accepted value: `["BUY"]` is "BUY".
      throw new ConfigError("not a value of this parameter", {
        field: name,
        value: String(value),
        expected: expectationOf(parameter),
      });
    }
    if (typeof value === "number" && parameter.type === "decimal")
      throw new ConfigError("not an exact decimal", {
        field: name,
        value,
        expected: EXACT_DECIMAL,
      });
    if (typeof value === "number" && !Number.isSafeInteger(value)) {
      // Beyond 2^53 it may be another id than intended, and a fraction's digits are not those that
      // were written.
      throw new ConfigError("not an exact number", {
        field: name,
        value,
        expected: "a text of its digits, or a bigint",
      });
    }
    const text = String(value);
    requireType(parameter, text);
    checked[name] = text;
  }
  const missing = operation.parameters.find(
    (parameter) => parameter.required && checked[parameter.name] === undefined,
  );
  if (missing !== undefined) {
    throw new ConfigError(`${operation.name} needs a parameter`, {
      field: missing.name,
      expected: expectationOf(missing),
    });
  }
  return checked;
}

function parameterOf(operation: Call, name: string): OperationParameter | undefined {
  const found = operation.parameters.find((parameter) => parameter.name === name);
  return (
    found ??
    (operation.isPrivate && name === "account"
      ? { name, type: "address", required: false }
      : undefined)
  );
}

function requireType(parameter: OperationParameter, text: string): void {
  const isRight =
    parameter.type === "enum"
      ? (parameter.values ?? []).includes(text)
      : parameter.type === "string"
        ? text !== ""
        : SHAPES[parameter.type].shape.test(text) && isWithin(parameter, text);
  if (!isRight)
    throw new ConfigError("not a value of this parameter", {
      field: parameter.name,
      value: text,
      expected: expectationOf(parameter),
    });
}

/** The largest id: a signed integer of 64 bits. */
const LARGEST_ID = 2n ** 63n - 1n;

function isWithin({ type, max }: OperationParameter, text: string): boolean {
  return type === "id" ? BigInt(text) <= LARGEST_ID : max === undefined || Number(text) <= max;
}

function expectationOf(parameter: OperationParameter): string {
  const type =
    parameter.type === "enum"
      ? `one of ${(parameter.values ?? []).join(", ")}`
      : parameter.type === "string"
        ? "a text"
        : SHAPES[parameter.type].expected;
  const bound = parameter.max === undefined ? "" : `, at most ${parameter.max}`;
  return `${type}${bound}${parameter.note === undefined ? "" : ` (${parameter.note})`}`;
}
