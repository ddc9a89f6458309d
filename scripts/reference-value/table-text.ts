import type { Estimate } from "./estimates.js";

/** A mean with half of its interval. */
export function estimateText({ mean, half }: Estimate, digits: number): string {
  return `${fixedText(mean, digits)} ± ${fixedText(half, digits)}`;
}

/** A number with so many decimals; 0 without a sign. */
export function fixedText(value: number, digits: number): string {
  const written = value.toFixed(digits);
  return Number(written) === 0 ? (0).toFixed(digits) : written;
}

/** A table of a page. */
export function tableText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
