import {
  type Document,
  isCollection,
  isScalar,
  type LineCounter,
  type Pair,
  visit,
  type YAMLError,
} from "yaml";
import { ConfigError } from "../errors.js";
import { createConfigError } from "./create-config-error.js";

const INDENTATION =
  "one indentation for all keys of a mapping, and quotes around a text that has a colon";

/** The expected value for each reason why the parser stops. */
const RIGHT: Partial<Readonly<Record<YAMLError["code"], string>>> = {
  BAD_DQ_ESCAPE: "single quotes around a text that has a backslash",
  BAD_INDENT: INDENTATION,
  BAD_SCALAR_START: "quotes around a text that begins with a character that YAML reserves",
  BLOCK_AS_IMPLICIT_KEY: INDENTATION,
  BLOCK_IN_FLOW: "quotes around a text that has a colon, and a comma between two keys in braces",
  MISSING_CHAR: "each quote closed, and a comma between two entries in braces or brackets",
  MULTILINE_IMPLICIT_KEY: INDENTATION,
  TAB_AS_INDENT: "spaces where the line begins with a tab",
  TAG_RESOLVE_FAILED: "the value without its tag",
};

/** A file's text with its name. */
export interface YamlText {
  readonly text: string;
  /** Name in messages. */
  readonly name: string;
  readonly lines: LineCounter;
}

/**
 * Creates the error for invalid YAML: the key at the problem as it is written, the problem, and the
 * expected value.
 */
export function createYamlError(
  error: YAMLError,
  document: Document.Parsed,
  { text, name, lines }: YamlText,
): ConfigError {
  const [position] = error.pos;
  const { line } = lines.linePos(position);
  if (error.code === "MULTIPLE_DOCS")
    return new ConfigError(`${name} line ${line} begins a second document`, {
      expected: "one YAML document per file",
    });
  const isUnclosed = error.message.startsWith("Flow ");
  const culprit = isUnclosed
    ? openedBefore(document, position)
    : firstKeyOf(document, (at) => lines.linePos(at).line === line);
  const shown = culprit === undefined ? line : lines.linePos(culprit.at).line;
  return createConfigError(
    `${name} line ${line} is not valid YAML: ${error.message.replace(/\.$/, "")}`,
    {
      ...(culprit === undefined ? {} : { field: culprit.path.join(".") }),
      value: text.split(/\r?\n/)[shown - 1]?.trim(),
      expected: isUnclosed
        ? "each { closed by } and each [ by ]"
        : (RIGHT[error.code] ?? "a YAML file"),
    },
  );
}

interface Culprit {
  readonly path: readonly string[];
  /** Position of the key in the text. */
  readonly at: number;
}

/** The key of the last bracketed list or mapping that was opened before a position. */
function openedBefore(document: Document.Parsed, position: number): Culprit | undefined {
  return keysOf(document)
    .filter(
      ({ pair: { value } }) =>
        isCollection(value) && value.flow === true && (value.range?.[0] ?? position) < position,
    )
    .at(-1);
}

function firstKeyOf(
  document: Document.Parsed,
  isThere: (at: number) => boolean,
): Culprit | undefined {
  return keysOf(document).find(({ at }) => isThere(at));
}

/** The keys that could be read, in the order in which they are written. */
function keysOf(document: Document.Parsed): readonly (Culprit & { readonly pair: Pair })[] {
  const keys: (Culprit & { readonly pair: Pair })[] = [];
  visit(document, {
    Pair: (_key, pair, ancestors) => {
      if (isScalar(pair.key))
        keys.push({
          path: [...pathFromAncestors(ancestors), String(pair.key.value)],
          at: pair.key.range?.[0] ?? 0,
          pair,
        });
    },
  });
  return keys;
}

/** The keys that lead to a node, from its ancestors. */
export function pathFromAncestors(ancestors: readonly unknown[]): string[] {
  const path: string[] = [];
  for (const ancestor of ancestors) {
    if (
      typeof ancestor === "object" &&
      ancestor !== null &&
      "key" in ancestor &&
      isScalar(ancestor.key)
    )
      path.push(String(ancestor.key.value));
  }
  return path;
}
