import { Decimal } from "decimal.js";
import { ConfigError } from "../../core/errors.js";
import type { ParameterValue } from "./parameter.js";

/**
 * Quantities of a file are read as the digits that were written. The parameters of a strategy are
 * floats.
 */
function isQuantity(keys: readonly string[]): boolean {
  return !keys.includes("params") && /(Base|Quote|FeeRate|Gwei)$/.test(keys.at(-1) ?? "");
}

/**
 * Returns a file's values with one of them set; missing mappings are made.
 * @param path keys, dots between.
 * @throws ConfigError where the path leads through a value that is not a mapping
 */
export function withValue(written: unknown, path: string, value: ParameterValue): unknown {
  const keys = path.split(".");
  const set = typeof value === "number" && isQuantity(keys) ? new Decimal(value).toFixed() : value;
  return place(written, keys, 0, set);
}

function place(held: unknown, keys: readonly string[], at: number, value: ParameterValue): unknown {
  if (at === keys.length) return value;
  const key = keys[at] as string;
  if (held !== undefined && held !== null && (typeof held !== "object" || Array.isArray(held))) {
    throw new ConfigError("leads through a value that is not a mapping", {
      field: `parameters.${keys.join(".")}`,
      value: held,
      expected: `a path whose ${keys.slice(0, at).join(".")} is a mapping`,
    });
  }
  const mapping = (held ?? {}) as Readonly<Record<string, unknown>>;
  return {
    ...mapping,
    [key]: place(Object.hasOwn(mapping, key) ? mapping[key] : undefined, keys, at + 1, value),
  };
}
