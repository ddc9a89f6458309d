import type { RehearsedRun } from "../../../rehearsal/rehearsal-result.js";
import { table } from "../../process/output.js";

/** Formats everything that happened in one run, a line each. */
export function formatTimeline({ fault, seed, timeline = [] }: RehearsedRun): string {
  const rows = timeline.map(({ atMs, kind, text }) => [
    `${(atMs / 1000).toFixed(3).padStart(8)} s`,
    kind,
    text,
  ]);
  return `seed ${seed} under ${fault}\n${table(rows)}\n`;
}
