import type { RunSummary } from "../bot/run/run-summary.js";
import type { CliContext } from "./cli-context.js";
import { NotWell } from "./exit.js";
import { printData } from "./output.js";

/** Prints a run's summary. @throws NotWell when an order of ours may still fill: its fate is named. */
export function endWith(context: CliContext, summary: RunSummary, json: boolean | undefined): void {
  printData(context, summary, json);
  const { ordersLeft, openOrdersLeft } = summary;
  if (ordersLeft.length === 0 && (openOrdersLeft ?? 0) === 0) return;
  const named = ordersLeft.map(({ marketId, hash, phase }) => `${marketId} ${hash} (${phase})`).join(", ");
  context.stderr.write(
    `marketwright: orders that may still fill are left: ${named === "" ? `${openOrdersLeft} open at the exchange` : named}\n`,
  );
  throw new NotWell();
}
