import { ConfigError } from "../core/errors.js";
import type { Operation, OperationParameter, ParameterType } from "./operations.js";
import type { RequestParams } from "./request-signing.js";

/** Parameters of a call as people and programs write them. */
export type CallParams = Readonly<Record<string, string | number | bigint>>;

const SHAPES: Readonly<Record<Exclude<ParameterType, "enum" | "string">, { readonly shape: RegExp; readonly expected: string }>> = {
  decimal: { shape: /^\d{1,60}(?:\.\d{1,60})?$/, expected: "an unsigned plain decimal" },
  integer: { shape: /^(?:0|[1-9]\d{0,18})$/, expected: "an integer of 64 bits" },
  ms: { shape: /^(?:0|[1-9]\d{0,15})$/, expected: "whole milliseconds since the epoch" },
  address: { shape: /^0x[0-9a-fA-F]{40}$/, expected: "0x and 40 hex digits" },
  hex: { shape: /^0x(?:[0-9a-fA-F]{2})+$/, expected: "0x and hex digits" },
};

/**
 * The parameters of an operation as the strings that are sent. `account` may be given to every private operation.
 * @throws ConfigError naming the parameter that is missing, unknown or not of its type.
 */
export function checkedParams(operation: Operation, params: CallParams): RequestParams {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(params)) {
    const parameter = parameterOf(operation, name);
    if (parameter === undefined) {
      const names = operation.parameters.map((known) => known.name).join(", ");
      throw new ConfigError(`${operation.name} has no such parameter`, {
        field: name,
        value: String(value),
        expected: names || "no parameters",
      });
    }
    const text = String(value);
    requireType(parameter, text);
    checked[name] = text;
  }
  const missing = operation.parameters.find((parameter) => parameter.required && checked[parameter.name] === undefined);
  if (missing !== undefined) {
    throw new ConfigError(`${operation.name} needs a parameter`, { field: missing.name, expected: expectationOf(missing) });
  }
  return checked;
}

function parameterOf(operation: Operation, name: string): OperationParameter | undefined {
  const found = operation.parameters.find((parameter) => parameter.name === name);
  return found ?? (operation.isPrivate && name === "account" ? { name, type: "address", required: false } : undefined);
}

function requireType(parameter: OperationParameter, text: string): void {
  const isRight =
    parameter.type === "enum"
      ? (parameter.values ?? []).includes(text)
      : parameter.type === "string"
        ? text !== ""
        : SHAPES[parameter.type].shape.test(text) && (parameter.max === undefined || Number(text) <= parameter.max);
  if (!isRight)
    throw new ConfigError("not a value of this parameter", { field: parameter.name, value: text, expected: expectationOf(parameter) });
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
