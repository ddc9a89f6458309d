import { expect } from "vitest";

/** What of two texts is shown where they part. */
const SHOWN = 300;

/** Expects two transcripts of whole runs to be one, and shows where they part: all of both would be megabytes. */
export function expectSameText(one: string, other: string): void {
  const at = differsAt(one, other);
  expect(one.slice(at, at + SHOWN)).toBe(other.slice(at, at + SHOWN));
}

/** Where two texts part, a little before it; their end when they are one. */
function differsAt(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return one === other ? at : Math.max(0, at - 100);
}
