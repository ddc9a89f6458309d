import type { MarketId } from "../../core/units.js";
import type { BotContext } from "../engine/context.js";

/** Queues a market's cancel-all, and logs the manual orders of the account that it cancels too. */
export function queueCancelAll(
  { notify, account, dispatcher }: BotContext,
  marketId: MarketId,
  why: string,
): void {
  const manual = account.orders.foreign(marketId).map(({ id }) => id);
  if (manual.length > 0) {
    notify({
      kind: "log",
      level: "warn",
      message: `the cancel-all cancels manual orders too: ${why}`,
      fields: { marketId, manual },
    });
  }
  dispatcher.enqueue({ kind: "cancel-all", marketId, why });
}
