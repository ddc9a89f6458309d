import { expect } from "vitest";

/** Length of the excerpt at the first difference. */
const SHOWN = 300;

/**
 * Expects two transcripts of whole runs to be equal, and shows the first difference: both in full
 * would be megabytes.
 */
export function expectSameText(one: string, other: string): void {
  const at = differsAt(one, other);
  expect(one.slice(at, at + SHOWN)).toBe(other.slice(at, at + SHOWN));
}

/** Index of the first difference, a little before it; the common end when they are equal. */
function differsAt(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return one === other ? at : Math.max(0, at - 100);
}
