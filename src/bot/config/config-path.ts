import type { ConfigPath } from "../../core/config/config-yaml.js";
import { ConfigError } from "../../core/errors.js";

/** Names that objects of the program itself have: never keys of a file. */
const RESERVED = ["__proto__", "prototype", "constructor"];

/**
 * Reads a path such as `markets.btcusdc.params.halfSpreadBps`. A key with a dot in it is in double
 * quotes; a number is the index of a list, from 0.
 * @throws ConfigError if a key is empty, or a quote is not closed
 */
export function parseConfigPath(text: string): readonly string[] {
  const keys: string[] = [];
  const rest = text.replace(/(?:^|\.)(?:"([^"]+)"|([^."]+))(?=\.|$)/gy, (_, quoted, plain) => {
    keys.push(quoted ?? plain);
    return "";
  });
  const isReserved = keys.some((key) => RESERVED.includes(key));
  if (rest !== "" || keys.length === 0 || text.startsWith(".") || isReserved)
    throw new ConfigError("is not a path of the bot's file", {
      field: "path",
      value: text,
      expected: "keys joined by dots, such as markets.btcusdc.params.halfSpreadBps",
    });
  return keys;
}

/** A path as a user writes it. */
export function formatConfigPath(path: ConfigPath): string {
  return path.map((key) => (/[."]/.test(String(key)) ? `"${key}"` : key)).join(".");
}

/** The value at a path through mappings and lists; undefined where it leads to none. */
export function valueAtPath(root: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>(
    (held, key) =>
      typeof held === "object" && held !== null && Object.hasOwn(held, key)
        ? (held as Record<string | number, unknown>)[key]
        : undefined,
    root,
  );
}
