import type { Ms } from "#core/units.js";

/** A broken rule. */
export interface Violation {
  readonly atMs: Ms;
  readonly rule: string;
  readonly text: string;
}

/** Notes that a rule was broken. */
export type Violate = (rule: string, what: string) => void;
