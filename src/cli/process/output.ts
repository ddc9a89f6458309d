import { stringify } from "yaml";
import type { CliContext } from "../cli-context.js";

/** Prints a command's data: one JSON document for machines, or indented text for people. */
export function printData(context: CliContext, data: unknown, json: boolean | undefined): void {
  context.stdout.write(
    json === true ? jsonText(data, 2) : stringify(plain(data), { lineWidth: 0 }),
  );
}

/** One JSON document and a line feed; bigints are decimal strings. */
export function jsonText(data: unknown, indent?: number): string {
  return `${JSON.stringify(plain(data), undefined, indent) ?? "null"}\n`;
}

/** Formats rows of text in columns, each as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    });
  }
  return rows
    .map((row) =>
      row
        .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

function plain(data: unknown): unknown {
  return JSON.parse(
    JSON.stringify(data ?? null, (_key, held: unknown) =>
      typeof held === "bigint" ? held.toString() : held,
    ),
  );
}
