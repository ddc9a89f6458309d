import type { RehearsedDeath, RehearsedRun } from "../rehearsal-result.js";
import type { RehearsalRuns } from "../summary/rehearsal-runs.js";
import { largestBy } from "./largest-by.js";

/** A death of the bot after which its orders stayed open, since no guard ran. */
export interface UnguardedDeath {
  readonly run: RehearsedRun;
  readonly death: RehearsedDeath;
}

/**
 * Finds the death that cost most while orders of some kind stayed open.
 * @param ordersAt number of such orders at the death
 */
export function findUnguardedDeath(
  runs: RehearsalRuns,
  ordersAt: (death: RehearsedDeath) => number,
): UnguardedDeath | undefined {
  const deaths = runs
    .struckBy("bot-killed")
    .flatMap(({ run }) => run.deaths.map((death) => ({ run, death })))
    .filter(({ death }) => death.guardActedMs === undefined && ordersAt(death) > 0);
  // Without a fill no money was lost, and the longest exposure shows the danger.
  return (
    largestBy(
      deaths.filter(({ death }) => death.filledWhileDeadLots > 0),
      ({ death }) => death.lossWhileDeadScaled,
    ) ?? largestBy(deaths, ({ death }) => death.downMs ?? Number.POSITIVE_INFINITY)
  );
}

/** The time that orders were open without a bot, in words. */
export function openTimeText({ ordersGoneMs, downMs }: RehearsedDeath): string {
  if (ordersGoneMs !== undefined) return `after a death of the bot for ${seconds(ordersGoneMs)} s`;
  return downMs === undefined
    ? "after a death of the bot to the end of the run"
    : `after a death of the bot until it ran again, for ${seconds(downMs)} s`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
