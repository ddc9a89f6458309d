import { mkdirSync } from "node:fs";
import type { Ms } from "#core/units.js";
import { answerCase } from "./answer-case.js";
import type { CheckedSession } from "./coverage-table.js";
import { drawCase } from "./draw-case.js";
import { measureTruth } from "./measure-truth.js";

/** How long the sessions of the check take. */
export const SESSION_MS: Ms = 120_000;

/**
 * Checks one drawn session: its answer against the mean change over continuations of its opening.
 * @param folder where its recording and its truth are kept, and found again
 */
export async function checkSession(
  name: string,
  seeds: number,
  folder: string,
  durationMs: Ms = SESSION_MS,
): Promise<CheckedSession> {
  mkdirSync(folder, { recursive: true });
  const drawn = drawCase(name, durationMs);
  const { differences } = await measureTruth(drawn, seeds, folder);
  const truth =
    differences.reduce((sum, { total = Number.NaN }) => sum + total, 0) / differences.length;
  const { estimate, doubts } = await answerCase(drawn, folder);
  const { value = 0, low = 0, high = 0 } = estimate?.total ?? {};
  return {
    name,
    truth,
    estimate: value,
    low,
    high,
    isRefused: estimate === undefined || doubts.some(({ weight }) => weight === "refuse"),
  };
}
