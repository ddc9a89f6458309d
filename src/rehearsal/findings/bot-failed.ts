import type { RehearsedRun } from "../rehearsal-result.js";
import type { RehearsalRule } from "./rehearsal-finding.js";

/** The halt of a market whose strategy has thrown an error. */
export const STRATEGY_ERROR = "strategy-error";

/** Finds a run that ended with an error, or in which a strategy threw one. */
export const findBotFailed: RehearsalRule = ({ rehearsal: { runs } }) => {
  const failed = runs.find(({ error }) => error !== undefined);
  if (failed?.error !== undefined)
    return {
      ...botFailed(failed),
      text: `the bot ended with an error: ${failed.error}`,
      advice: "repeat the run, and correct the error",
    };
  for (const run of runs) {
    const halt = run.halts.find(({ name }) => name === STRATEGY_ERROR);
    if (halt === undefined) continue;
    const { marketId = "*" } = halt;
    return {
      ...botFailed(run, marketId),
      text: `the strategy of ${marketId} threw an error, and its market halted`,
      advice: "repeat the run, and correct the error that its time line names",
    };
  }
  return undefined;
};

function botFailed({ fault, seed }: Pick<RehearsedRun, "fault" | "seed">, marketId = "*") {
  const key = `markets.${marketId}.strategy`;
  return { id: "bot-failed", fault, seed, lossScaled: undefined, key } as const;
}
