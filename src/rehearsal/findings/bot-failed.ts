import type { RehearsalRule } from "./rehearsal-finding.js";

/** Finds a run that ended with an error. */
export const findBotFailed: RehearsalRule = ({ rehearsal: { runs } }) => {
  const failed = runs.find(({ error }) => error !== undefined);
  if (failed?.error === undefined) return undefined;
  const { fault, seed, error } = failed;
  return {
    id: "bot-failed",
    fault,
    seed,
    lossScaled: undefined,
    key: "markets.*.strategy",
    text: `the bot ended with an error: ${error}`,
    advice: "repeat the run, and correct the error",
  };
};
