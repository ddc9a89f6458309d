import type { RuleId, Side } from "./rules.js";

/** A rule switched off: a change of the sources that the rule's tests on that side have to notice. */
export interface Break {
  readonly rule: RuleId;
  readonly side: Side;
  /** What no longer holds, for the table. */
  readonly what: string;
  /** From the project's root. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** The breaks of one side, as the tables write them. */
export type BreakRow = readonly [rule: RuleId, what: string, file: string, find: string, replace: string];

/** Reads a table. */
export function breaksOf(side: Side, folder: string, rows: readonly BreakRow[]): readonly Break[] {
  return rows.map(([rule, what, file, find, replace]) => ({ rule, side, what, file: `${folder}/${file}`, find, replace }));
}
