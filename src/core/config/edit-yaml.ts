import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
} from "yaml";
import { ConfigError } from "../errors.js";
import type { ConfigPath } from "./config-yaml.js";

/** A value to write into a YAML text. */
export interface YamlEdit {
  readonly path: ConfigPath;
  /** The value as YAML on one line; undefined removes the key. */
  readonly text: string | undefined;
}

/**
 * Edits values of a YAML text. Everything else stays as it is, character by character: comments,
 * blank lines, quotes, the order of keys.
 * @throws ConfigError where a value cannot be edited alone, such as in an alias
 */
export function editYaml(text: string, edits: readonly YamlEdit[]): string {
  return edits.reduce(editOne, text);
}

function editOne(text: string, edit: YamlEdit): string {
  const { path } = edit;
  const document = parseDocument(text, { uniqueKeys: false });
  const depth = depthOfNode(document, path);
  if (depth === path.length)
    return edit.text === undefined
      ? withoutKey(text, document, path)
      : withValue(text, document, path, edit.text);
  if (edit.text === undefined) return text;
  return withNewKey(text, document, { path, depth, value: edit.text });
}

/** How many keys of a path the text has. */
function depthOfNode(document: Document, path: ConfigPath): number {
  let depth = path.length;
  while (depth > 0 && !document.hasIn(path.slice(0, depth))) depth--;
  return depth;
}

function withValue(text: string, document: Document, path: ConfigPath, value: string): string {
  const pair = pairAt(document, path);
  const node = nodeAt(document, path);
  if (node === undefined || node === null) {
    const end = endOf(pair?.key);
    if (end === undefined) throw notAlone(path);
    const colon = text.indexOf(":", end) + 1;
    return splice(text, colon, colon, ` ${value}`);
  }
  if (!(isScalar(node) || isCollection(node)) || node.anchor !== undefined) throw notAlone(path);
  const [start, end] = spanOf(node, path);
  // A block collection may end with the line breaks and comments after it.
  const last = isCollection(node) && node.flow !== true ? text.slice(0, end).trimEnd().length : end;
  const isEmpty = isScalar(node) && start === end;
  return splice(text, start, last, isEmpty ? ` ${value}` : value);
}

/** Inserts a key into the deepest mapping that the text has. */
function withNewKey(
  text: string,
  document: Document,
  {
    path,
    depth,
    value,
  }: { readonly path: ConfigPath; readonly depth: number; readonly value: string },
): string {
  const [key, ...below] = path.slice(depth);
  const nested = below.reduceRight((inner: string, name) => `{ ${name}: ${inner} }`, value);
  const at = path.slice(0, depth);
  const parent = depth === 0 ? document.contents : nodeAt(document, at);
  if (isScalar(parent) && parent.value === null)
    return withValue(text, document, at, `{ ${key}: ${nested} }`);
  if (!isMap(parent) || parent.anchor !== undefined) throw notAlone(path);
  const entry = `${key}: ${nested}`;
  return parent.flow === true
    ? intoFlowMap(text, parent, entry, path)
    : intoBlockMap(text, parent, entry, path);
}

function intoFlowMap(text: string, map: YAMLMap, entry: string, path: ConfigPath): string {
  const last = map.items.at(-1);
  if (last === undefined) return splice(text, ...spanOf(map, path), `{ ${entry} }`);
  const end = endOf(last.value) ?? endOf(last.key);
  if (end === undefined) throw notAlone(path);
  return splice(text, end, end, `, ${entry}`);
}

/** After the last key whose value is on one line, or else before the first key. */
function intoBlockMap(text: string, map: YAMLMap, entry: string, path: ConfigPath): string {
  const [first] = map.items;
  const start = (first?.key as Node | undefined)?.range?.[0];
  if (start === undefined) throw notAlone(path);
  const indent = text.slice(lineStart(text, start), start);
  if (indent.trim() !== "") throw notAlone(path);
  const oneLine = map.items.findLast(({ key, value }) => {
    const from = (key as Node | null)?.range?.[0];
    const to = endOf(value);
    return from !== undefined && to !== undefined && !text.slice(from, to).includes("\n");
  });
  if (oneLine === undefined) return splice(text, start, start, `${entry}\n${indent}`);
  const end = lineEnd(text, endOf(oneLine.value) ?? start);
  return splice(text, end, end, `\n${indent}${entry}`);
}

function withoutKey(text: string, document: Document, path: ConfigPath): string {
  const parent = path.length === 1 ? document.contents : nodeAt(document, path.slice(0, -1));
  const pair = pairAt(document, path);
  if (!isMap(parent) || pair === undefined) throw notAlone(path);
  const from = (pair.key as Node | null)?.range?.[0];
  const to = endOf(pair.value) ?? endOf(pair.key);
  if (from === undefined || to === undefined) throw notAlone(path);
  if (parent.flow === true) {
    const at = parent.items.indexOf(pair);
    const before = parent.items[at - 1];
    const next = parent.items[at + 1];
    const beforeEnd = before === undefined ? undefined : (endOf(before.value) ?? endOf(before.key));
    if (beforeEnd !== undefined) return splice(text, beforeEnd, to, "");
    return splice(text, from, (next?.key as Node | undefined)?.range?.[0] ?? to, "");
  }
  const start = lineStart(text, from);
  if (text.slice(start, from).trim() !== "") throw notAlone(path);
  if (parent.items.length === 1) throw notAlone(path);
  const last = text.slice(0, to).trimEnd().length;
  return splice(text, start, Math.min(text.length, lineEnd(text, Math.max(from, last)) + 1), "");
}

function nodeAt(document: Document, path: ConfigPath): Node | null | undefined {
  return document.getIn(path, true) as Node | null | undefined;
}

function pairAt(document: Document, path: ConfigPath): Pair | undefined {
  const parent = path.length === 1 ? document.contents : nodeAt(document, path.slice(0, -1));
  const key = path.at(-1);
  if (isSeq(parent) || !isMap(parent)) return undefined;
  return parent.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key);
}

function spanOf(node: Node, path: ConfigPath): [start: number, end: number] {
  const { range } = node;
  if (range === undefined || range === null) throw notAlone(path);
  return [range[0], range[1]];
}

function endOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[1];
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function splice(text: string, start: number, end: number, replacement: string): string {
  return `${text.slice(0, start)}${replacement}${text.slice(end)}`;
}

function notAlone(path: ConfigPath): ConfigError {
  return new ConfigError("cannot be edited alone: an alias, an anchor or its place forbids it", {
    field: path.join("."),
    expected: "the change in the file by hand",
  });
}
