import { readFileSync } from "node:fs";
import type { Side } from "./rules.js";

/** The environment variable that names the file to write the record of a run to. */
export const RECORD_VARIABLE = "MARKETWRIGHT_CONFORMANCE_RECORD";

/** The outcome of one test of a rule. */
export interface RecordedTest {
  readonly rule: string;
  readonly side: Side;
  readonly title: string;
  /** From the project's root, with slashes. */
  readonly file: string;
  readonly state: "passed" | "failed" | "skipped" | "pending";
  readonly assertions: number;
}

/** A run: the tests of rules that it met, and the files that could not even be read. */
export interface ConformanceRecord {
  readonly tests: readonly RecordedTest[];
  readonly brokenFiles: readonly string[];
}

/** Reads what the reporter wrote. */
export function readRecord(file: string): ConformanceRecord {
  return JSON.parse(readFileSync(file, "utf8")) as ConformanceRecord;
}
