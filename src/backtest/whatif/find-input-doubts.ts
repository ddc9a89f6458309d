import { totalLengthMs } from "../../history/spans.js";
import { MANUAL_HALT } from "../../risk/halt.js";
import type { OpenedSessionMarket } from "../compare/open-session.js";
import type { TurnReplayResult } from "../compare/replay/replay-turns.js";
import { formatInstant } from "../report/page/format-instant.js";
import type { Session } from "../session/session-file.js";
import type { WhatIfDoubt } from "./find-doubts.js";

/** A session that was halted by hand for a greater share of its time is refused. */
const MOST_HALTED = 0.2;

/**
 * Finds what the reruns do not repeat of a session: manual halts, and opening orders that the
 * recording does not tell.
 * @param inputs what the session's own inputs gave again
 */
export function findInputDoubts(
  session: Pick<Session, "startedUs" | "endedUs">,
  opened: readonly {
    readonly marketId: string;
    readonly account: Pick<OpenedSessionMarket["account"], "openingOrders">;
  }[],
  inputs: Pick<TurnReplayResult, "halts" | "firstDifference">,
): readonly WhatIfDoubt[] {
  return [
    ...opened
      .filter(({ account }) => account.openingOrders === undefined)
      .map(
        ({ marketId }): WhatIfDoubt => ({
          weight: "warn",
          why: `the recording does not tell which orders were open in ${marketId} when the session began: the reruns begin without any`,
          expected: "a session that received its open orders at the start",
        }),
      ),
    ...manualHaltDoubts(session, inputs),
    ...differenceDoubts(inputs),
  ];
}

/** The reruns quote while the session was halted, with the old values as with the new ones. */
function manualHaltDoubts(
  { startedUs, endedUs }: Pick<Session, "startedUs" | "endedUs">,
  { halts }: Pick<TurnReplayResult, "halts">,
): WhatIfDoubt[] {
  const manual = halts.filter(({ reason }) => reason === MANUAL_HALT);
  const haltedMs = Math.max(0, ...manual.map(({ spans }) => totalLengthMs(spans)));
  if (haltedMs === 0) return [];
  const wholeMs = (endedUs - startedUs) / 1000;
  const markets = [...new Set(manual.map(({ marketId }) => marketId ?? "all markets"))];
  return [
    {
      weight: haltedMs > MOST_HALTED * wholeMs ? "refuse" : "warn",
      why: `the session was halted manually in ${markets.join(", ")} for up to ${seconds(haltedMs)} of its ${seconds(wholeMs)} s, and the reruns quote in that time`,
      expected: "a session without manual halts",
    },
  ];
}

/** Nothing is known of halts after the inputs gave other intents. */
function differenceDoubts({
  firstDifference,
}: Pick<TurnReplayResult, "firstDifference">): WhatIfDoubt[] {
  if (firstDifference === undefined) return [];
  const { atMs, why } = firstDifference;
  return [
    {
      weight: "warn",
      why: `the session's inputs do not give its intents again from ${formatInstant(atMs * 1000)} on (${why}): manual halts after that are not known`,
      expected: "the strategy and the version of marketwright that recorded the session",
    },
  ];
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
