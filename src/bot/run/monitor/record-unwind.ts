import type { Lots, MarketId } from "../../../core/units.js";
import type { LiquidationLedger } from "../../../liquidator/ledger/liquidation-ledger.js";
import type { UnsoldValue } from "../../../liquidator/unsold-value.js";
import type { BotEvent } from "../../engine/bot-event.js";

/**
 * Records the progress of an unwinding in the ledger. Its earnings are known once the remainder has
 * a mark.
 */
export function recordUnwind(
  ledger: LiquidationLedger,
  notice: BotEvent,
  restValue: (marketId: MarketId, lots: Lots) => UnsoldValue | undefined,
): void {
  if (notice.kind !== "unwind") return;
  const { takeoverId, marketId, state, remainingLots, acquiredCredit, proceedsCredit, feesCredit } =
    notice.unwind;
  const decided = notice.unwind.decision === undefined ? {} : { decision: notice.unwind.decision };
  const sold = acquiredCredit + proceedsCredit - feesCredit;
  if (remainingLots === 0)
    return ledger.recordUnwound(takeoverId, {
      state,
      remainingLots,
      earnedCredit: sold,
      ...decided,
    });
  const rest = restValue(marketId, remainingLots);
  if (rest !== undefined)
    ledger.recordUnwound(takeoverId, {
      state,
      remainingLots,
      earnedCredit: sold + rest.credit,
      restBy: rest.by,
      ...decided,
    });
}
