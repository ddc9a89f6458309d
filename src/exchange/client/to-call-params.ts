import { Decimal } from "decimal.js";
import { ConfigError } from "../../core/errors.js";
import { decimalText } from "../protocol/decimal.js";
import type { CallParams } from "../rest/call-params.js";

/**
 * Converts decimals to plain digits. Other values stay, and the parameter's own type checks them.
 * Absent parameters are left out.
 * @throws ConfigError for a value that is not an object of parameters.
 */
export function toCallParams(params: object): CallParams {
  if (typeof params !== "object" || params === null || Array.isArray(params)) {
    throw new ConfigError("not the parameters of a call", {
      field: "parameters",
      value: String(params),
      expected: "an object of them by name",
    });
  }
  const given: Record<string, string | number | bigint> = {};
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) given[name] = Decimal.isDecimal(value) ? decimalText(value) : value;
  }
  return given;
}
