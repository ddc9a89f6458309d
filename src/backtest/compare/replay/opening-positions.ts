import type { CreditUnits, MarketId } from "../../../core/units.js";
import type { Session } from "../../session/session-file.js";
import type { OpeningPosition } from "../../venue/replay-account.js";
import type { OpenedSessionMarket } from "../open-session.js";

type HeldMarket = Pick<OpenedSessionMarket, "marketId" | "instrument" | "history">;

/**
 * The positions that a session began with, each valued at the market's mark price of that instant.
 * A market without a recorded mark price is left out: the value of its position is not known.
 * @param startUs when the replay begins, microseconds since 1970
 */
export function openingPositions(
  { start }: Pick<Session, "start">,
  opened: readonly HeldMarket[],
  startUs: number,
): Map<MarketId, OpeningPosition> {
  return new Map(
    opened.flatMap(({ marketId, instrument, history }): [MarketId, OpeningPosition][] => {
      const amount = start?.positionsBase[marketId] ?? "0";
      const lots = instrument.lotsOf(amount.replace("-", ""));
      const mark = markAt(history.marks, startUs);
      return lots === 0 || mark === undefined
        ? []
        : [[marketId, { lots: amount.startsWith("-") ? -lots : lots, mark }]];
    }),
  );
}

/** The newest mark price at an instant, or the first after it. */
function markAt(
  marks: OpenedSessionMarket["history"]["marks"],
  atUs: number,
): CreditUnits | undefined {
  if (marks === undefined) return undefined;
  const after = marks.localUs.findIndex((us) => us > atUs);
  return marks.markCredit[Math.max(0, (after === -1 ? marks.localUs.length : after) - 1)];
}
