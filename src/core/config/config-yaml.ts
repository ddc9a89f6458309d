import { isUtf8 } from "node:buffer";
import { basename } from "node:path";
import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from "yaml";
import { ConfigError } from "../errors.js";
import { readPlainFile } from "../files/plain-files.js";
import { createConfigError } from "./create-config-error.js";
import { createYamlError, pathFromAncestors } from "./create-yaml-error.js";

/** Location of a value in a config: keys and list indices from the root. */
export type ConfigPath = readonly (string | number)[];

/** A YAML file as plain values, with their lines. */
export interface YamlSource {
  readonly value: unknown;
  /** `bot.yaml line 12`: the line of a value, or of its nearest existing ancestor. */
  readonly locate: (path: ConfigPath) => string;
  /** Returns true if the file contains this value, rather than its default. */
  readonly isWritten: (path: ConfigPath) => boolean;
}

/** Options for reading a kind of config. */
export interface YamlReadOptions {
  /** Paths of numbers to return as their written text, so that no float rounds them. */
  readonly exactNumbers?: (path: ConfigPath) => boolean;
  /** The expected value in the error for a duplicate key. */
  readonly onDuplicate?: (path: ConfigPath) => string | undefined;
}

/**
 * Reads a YAML file.
 * @throws ConfigError when it does not exist, is not a file, or is not valid YAML; the message has
 * the line.
 */
export function loadYamlFile(path: string, reading: YamlReadOptions = {}): YamlSource {
  return parseYaml(readText(path), basename(path), reading);
}

/**
 * Parses one value as a YAML file would have it.
 * @param field its path, for errors
 * @param isExact true for the path, below the value, of a number that keeps its written text
 * @throws ConfigError if it is not valid
 */
export function parseYamlValue(
  text: string,
  field: string,
  isExact: (path: ConfigPath) => boolean,
): unknown {
  const { value } = parseYaml(`value: ${text}`, `the value of ${field}`, {
    exactNumbers: ([, ...below]) => isExact(below),
  });
  if (Object.keys(value as object).length === 1)
    return (value as { readonly value: unknown }).value;
  throw new ConfigError("is more than one value", {
    field,
    value: text,
    expected: "one value, as the file has it after the colon",
  });
}

/**
 * Parses the text of a YAML file, with `name` in messages.
 * @throws ConfigError with the line of the problem.
 */
function parseYaml(
  text: string,
  name: string,
  { exactNumbers, onDuplicate }: YamlReadOptions = {},
): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    // Hex is an address or a key pasted by mistake: as a number it would have lost digits.
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || tag.format !== "HEX"),
  });
  // The parser drops what it warns about, such as a tag that the user meant to have an effect.
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) throw createYamlError(fault, document, { text, name, lines });
  if (document.contents === null)
    throw new ConfigError(`${name} is empty`, { expected: "a YAML mapping" });
  const lineOf = (node: Node | null | undefined): number =>
    lines.linePos(node?.range?.[0] ?? 0).line;
  visit(document, {
    Alias: (_key, alias, ancestors) => {
      if (alias.resolve(document) !== undefined) return;
      const field = pathFromAncestors(ancestors).join(".");
      const expected = `an anchor (&${alias.source}) above it`;
      throw createConfigError(`is an alias without an anchor, in ${name} line ${lineOf(alias)}`, {
        field,
        value: `*${alias.source}`,
        expected,
      });
    },
    Pair: (_key, pair, ancestors) => {
      if (isCollection(pair.key)) {
        const value = text.slice(...(pair.key.range ?? [])).trim();
        throw createConfigError(`is not a valid key, in ${name} line ${lineOf(pair.key)}`, {
          value,
          expected: "a text as a key",
        });
      }
      if (!isScalar(pair.key)) return;
      const path = [...pathFromAncestors(ancestors), String(pair.key.value)];
      const map = ancestors.at(-1);
      const key = pair.key;
      const twice = isMap(map)
        ? map.items.find(
            (other) => other !== pair && isScalar(other.key) && other.key.value === key.value,
          )
        : undefined;
      if (twice !== undefined && key.value !== "<<") {
        throw createConfigError(
          `is written twice, in ${name} lines ${lineOf(twice.key as Node)} and ${lineOf(key)}`.replace(
            /(\d+) and (\d+)$/,
            inOrder,
          ),
          {
            field: path.join("."),
            expected: onDuplicate?.(path) ?? "each key once",
          },
        );
      }
      if (
        isScalar(pair.value) &&
        typeof pair.value.value === "number" &&
        pair.value.source !== undefined &&
        exactNumbers?.(path) === true
      ) {
        pair.value.value = pair.value.source;
      }
    },
  });
  const value = toPlain(document, name);
  return {
    value,
    locate: (path) => `${name} line ${lineOf(nearestNode(document, path))}`,
    isWritten: (path) => holds(value, path),
  };
}

const WRONG_PATHS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  EISDIR: "is a folder, not a file",
  ENOTFILE: "is a pipe or a device, not a file",
  EACCES: "may not be read by this user",
};

function readText(path: string): string {
  const expected = "the path of a YAML file";
  let bytes: Buffer;
  try {
    bytes = readPlainFile(path);
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    const why = WRONG_PATHS[String(code)] ?? `cannot be read (${String(code)})`;
    throw new ConfigError(`${path} ${why}`, { expected, cause });
  }
  if (!isUtf8(bytes))
    throw new ConfigError(`${path} is not written in UTF-8`, { expected: "a YAML file in UTF-8" });
  return bytes.toString("utf8");
}

function toPlain(document: Document.Parsed, name: string): unknown {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw createConfigError(
      `${name} cannot be resolved: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        expected: "aliases that have anchors",
        cause,
      },
    );
  }
  // Code that walks through it would never end.
  const field = pathIntoItself(value)?.join(".");
  if (field !== undefined)
    throw createConfigError(`is an alias of a value that contains it, in ${name}`, {
      field,
      expected: "an alias of a value outside it",
    });
  return value;
}

/** Path of an alias that refers to its own container; undefined if there is none. */
function pathIntoItself(value: unknown, above: readonly unknown[] = []): ConfigPath | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (above.includes(value)) return [];
  for (const [key, held] of Object.entries(value)) {
    const path = pathIntoItself(held, [...above, value]);
    if (path !== undefined) return [key, ...path];
  }
  return undefined;
}

function holds(value: unknown, path: ConfigPath): boolean {
  let held = value;
  for (const key of path) {
    if (typeof held !== "object" || held === null || !Object.hasOwn(held, key)) return false;
    held = (held as Record<string | number, unknown>)[key];
  }
  return true;
}

function inOrder(_text: string, a: string, b: string): string {
  return Number(a) < Number(b) ? `${a} and ${b}` : `${b} and ${a}`;
}

function nearestNode(document: Document.Parsed, path: ConfigPath): Node | null | undefined {
  for (let depth = path.length; depth > 0; depth--) {
    const node = document.getIn(path.slice(0, depth), true);
    if (typeof node === "object" && node !== null && "range" in node) return node as Node;
  }
  return document.contents;
}
