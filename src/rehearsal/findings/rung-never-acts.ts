import { severityFor } from "../../risk/risk-ladder.js";
import type { RehearsedRung } from "../rehearsal-result.js";
import { quoteAmount } from "../summary/quote-amount.js";
import type { RehearsalRule } from "./rehearsal-finding.js";

/**
 * Finds a rung that never acted since another one had done as much or more at a smaller loss: the
 * rungs are in the wrong order.
 */
export const findRungNeverActs: RehearsalRule = ({ rehearsal, runs }) => {
  const all = runs.faults.flatMap((fault) => runs.under(fault));
  const acted = new Set(
    all.flatMap(({ rungs }) =>
      rungs.filter(({ firedAfterMs }) => firedAfterMs !== undefined).map(({ name }) => name),
    ),
  );
  for (const { run } of runs.struckBy("price-trend", "price-jump")) {
    for (const rung of run.rungs) {
      if (acted.has(rung.name)) continue;
      const before = run.rungs.find(
        (other) => other.firedAfterMs !== undefined && makesUseless(other, rung),
      );
      if (before === undefined) continue;
      const at = quoteAmount(before.atScaled, rehearsal.decimals);
      return {
        id: "rung-never-acts",
        fault: run.fault,
        seed: run.seed,
        lossScaled: undefined,
        key: keyOf(rung, run.rungs),
        text: `${rung.name} (${rung.action}) never acted: ${before.name} had done ${before.action} at a loss of ${at} quote`,
        advice: "let the severer action act at the greater loss, or leave this one out",
      };
    }
  }
  return undefined;
};

/** True if a rung cannot do anything once the other one has acted. */
function makesUseless(before: RehearsedRung, rung: RehearsedRung): boolean {
  // A daily loss ends with its day; the drawdown of several days can pass its limit later.
  if (before.measure === "daily-loss" && rung.measure === "drawdown") return false;
  if (before.name === rung.name || before.atScaled > rung.atScaled) return false;
  const difference = severityFor(before.action) - severityFor(rung.action);
  const lasts = before.action === "halt" || before.action === "flatten";
  return difference > 0 || (difference === 0 && lasts);
}

/** The key of a rung; the highest one of a measure is its limit. */
function keyOf({ measure, atScaled }: RehearsedRung, rungs: readonly RehearsedRung[]): string {
  const isHighest = rungs.every((rung) => rung.measure !== measure || rung.atScaled <= atScaled);
  if (measure === "drawdown") return isHighest ? "risk.maxDrawdownQuote" : "risk.ladder.drawdown";
  return isHighest ? "risk.maxDailyLossQuote" : "risk.ladder.dailyLoss";
}
