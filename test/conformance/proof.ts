import { existsSync, readFileSync } from "node:fs";
import type { Side } from "./rules.js";

/** One rule that was switched off, and the test that failed. */
export interface ProvenBreak {
  readonly rule: string;
  readonly side: Side;
  readonly what: string;
  /** The function, method or constant that was changed. */
  readonly place: string;
  /** Titles of the rule's tests that failed; the first one is shown. */
  readonly failed: readonly string[];
}

/** The last proof: which seed drew the rules, and what came of each. */
export interface Proof {
  readonly seed: number;
  readonly rules: number;
  readonly breaks: readonly ProvenBreak[];
}

/** Reads the proof that was kept; null when there is none yet. */
export function readProof(file: string): Proof | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Proof) : null;
}
