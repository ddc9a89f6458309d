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

/** What would be right where the parser gives up for this reason. */
const RIGHT: Partial<Readonly<Record<YAMLError["code"], string>>> = {
  BAD_DQ_ESCAPE: "single quotes around a text that has a backslash",
  BAD_INDENT: INDENTATION,
  BAD_SCALAR_START: "quotes around a text that begins with a sign of YAML's own",
  BLOCK_AS_IMPLICIT_KEY: INDENTATION,
  BLOCK_IN_FLOW: "quotes around a text that has a colon, and a comma between two keys in braces",
  MISSING_CHAR: "each quote closed, and a comma between two entries in braces or brackets",
  MULTILINE_IMPLICIT_KEY: INDENTATION,
  TAB_AS_INDENT: "spaces where the line begins with a tab",
  TAG_RESOLVE_FAILED: "the value without its tag",
};

/** Where a file's text stands. */
export interface YamlText {
  readonly text: string;
  /** What messages call it. */
  readonly name: string;
  readonly lines: LineCounter;
}

/** What is wrong with a text that is no YAML, by the key that it is wrong at, as that is written, and what would be right. */
export function createYamlError(
  error: YAMLError,
  document: Document.Parsed,
  { text, name, lines }: YamlText,
): ConfigError {
  const [position] = error.pos;
  const { line } = lines.linePos(position);
  if (error.code === "MULTIPLE_DOCS")
    return new ConfigError(`${name} line ${line} begins a second document`, {
      expected: "one YAML document a file",
    });
  const isUnclosed = error.message.startsWith("Flow ");
  const culprit = isUnclosed
    ? openedBefore(document, position)
    : firstKeyOf(document, (at) => lines.linePos(at).line === line);
  const shown = culprit === undefined ? line : lines.linePos(culprit.at).line;
  return createConfigError(`${name} line ${line} is no YAML: ${error.message.replace(/\.$/, "")}`, {
    ...(culprit === undefined ? {} : { field: culprit.path.join(".") }),
    value: text.split(/\r?\n/)[shown - 1]?.trim(),
    expected: isUnclosed
      ? "each { closed by } and each [ by ]"
      : (RIGHT[error.code] ?? "a YAML file"),
  });
}

interface Culprit {
  readonly path: readonly string[];
  /** Where the key stands in the text. */
  readonly at: number;
}

/** The key of the last list or mapping in brackets that was opened before a position. */
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

/** What could be read, in the order in which it is written. */
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

/** The keys that lead to a node, by what lies above it. */
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
