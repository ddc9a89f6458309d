import { stringify } from "yaml";
import type { ConfigPath } from "../../core/config/config-yaml.js";

/** One key of the YAML file that `init` writes, with the reason for its value. */
export interface ConfigLine {
  readonly key: string;
  /** The value as YAML, or the lines below the key. */
  readonly value: string | readonly ConfigLine[];
  /** Absent if the value explains itself. */
  readonly reason?: string;
}

/** A value with its place and its reason, for programs. */
export interface ExplainedValue {
  readonly path: ConfigPath;
  readonly value: string;
  readonly reason: string | undefined;
}

const COLUMNS = 100;

/** Formats lines as YAML. A reason stands behind its value, or above it if the line is too long. */
export function renderConfigLines(lines: readonly ConfigLine[], indent = ""): string {
  return lines
    .map(({ key, value, reason }) => {
      const isText = typeof value === "string";
      const head = `${indent}${key}:${isText ? ` ${value}` : ""}`;
      const below = isText ? "" : renderConfigLines(value, `${indent}  `);
      if (reason === undefined) return `${head}\n${below}`;
      const line = `${head} # ${reason}`;
      return line.length <= COLUMNS
        ? `${line}\n${below}`
        : `${renderComment(reason, indent)}${head}\n${below}`;
    })
    .join("");
}

/** Formats a text as comment lines of at most 100 columns. */
export function renderComment(text: string, indent = ""): string {
  const lines: string[] = [];
  let line = `${indent}#`;
  for (const word of text.split(" ")) {
    if (line.length + 1 + word.length > COLUMNS && line !== `${indent}#`) {
      lines.push(line);
      line = `${indent}#`;
    }
    line += ` ${word}`;
  }
  return `${[...lines, line].join("\n")}\n`;
}

/** The values of lines and of the lines below them, in their order. */
export function explainedValues(
  lines: readonly ConfigLine[],
  above: ConfigPath = [],
): readonly ExplainedValue[] {
  return lines.flatMap(({ key, value, reason }) => {
    const path = [...above, key];
    return typeof value === "string" ? [{ path, value, reason }] : explainedValues(value, path);
  });
}

/** A text as a YAML key or value, quoted if it would read as something else. */
export function yamlText(text: string): string {
  return stringify(text, { lineWidth: 0 }).trim();
}
