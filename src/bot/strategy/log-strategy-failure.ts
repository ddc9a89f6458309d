import type { Log } from "../../monitoring/log.js";
import type { BotEvent } from "../engine/bot-event.js";

/**
 * Puts a strategy's failure into the log, with its stack; of other notices nothing. @param fields
 * beside it: of which run it was, for one.
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
