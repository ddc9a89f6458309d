import { ConfigError } from "../core/errors.js";
import type { Ms } from "../core/units.js";

const UNIT_MS: Readonly<Record<string, Ms>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Parses a duration of the command line, such as `500ms`, `30s`, `5m`, `1.5h`. @throws ConfigError
 * when it is invalid, or zero.
 */
export function parseDuration(text: string, field: string): Ms {
  const match = /^(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|h|d)$/.exec(text);
  const ms = match === null ? 0 : Math.round(Number(match[1]) * (UNIT_MS[match[2] as string] ?? 0));
  if (ms > 0) return ms;
  throw new ConfigError("is not a duration", {
    field,
    value: text,
    expected: "a number above zero with its unit, such as 500ms, 30s, 5m or 1h",
  });
}
