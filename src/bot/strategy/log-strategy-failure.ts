import type { Log } from "../../monitoring/log.js";
import type { BotEvent } from "../engine/bot-event.js";

/**
 * Logs a strategy's failure with its stack; ignores other events. @param fields added to the entry,
 * for example the run.
 */
export function logStrategyFailure(
  log: Log,
  notice: BotEvent,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  if (notice.kind !== "strategy-failed") return;
  const { marketId, why, stack } = notice;
  log.error({ ...fields, marketId, why, stack }, "the strategy failed");
}
