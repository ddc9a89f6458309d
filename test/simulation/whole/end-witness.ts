import type { Hex, MarketId } from "#core/units.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import type { ProcessEnd } from "./bot-process.js";
import type { SentTakeover } from "./takeovers-under-way.js";

/** The facts against which the end of a run is checked. */
export interface EndFacts {
  readonly exchange: EmbeddedExchange;
  readonly account: Hex;
  readonly markets: readonly MarketId[];
  readonly openOrders: number;
  readonly underWay: readonly (SentTakeover & { readonly jobId: string | undefined })[];
  /** True if the faults were not over when the bot stopped. */
  readonly isDisturbed: boolean;
}

/**
 * Checks the summary and the exit code of a run against the exchange. Exit code 0 means that no
 * order is open and that the reported positions are the exchange's.
 */
export function checkEnd({ exitCode, positionBase, text }: ProcessEnd, facts: EndFacts): string[] {
  const { exchange, account, markets, openOrders, underWay, isDisturbed } = facts;
  const wrong = markets.flatMap((marketId) => {
    const { instrument } = exchange.market(marketId);
    const theirs = exchange.positionLots(account, marketId);
    const ours = positionBase[marketId];
    // A run that never received its account from the exchange reports no position.
    if (ours === null) return [];
    return ours !== undefined &&
      Math.abs(Number(ours)) === Number(instrument.formatAmount(Math.abs(theirs))) &&
      Math.sign(Number(ours)) === Math.sign(theirs)
      ? []
      : [`the summary has ${ours} in ${marketId}, the exchange ${theirs} lots`];
  });
  const violations: string[] = [];
  if (exitCode === 0) violations.push(...wrong.map((what) => `exit code 0, and ${what}`));
  if (exitCode === 0 && openOrders > 0)
    violations.push(`exit code 0 with ${openOrders} orders open`);
  for (const { jobId, lots, marketId } of underWay)
    if (jobId === undefined || !text.includes(jobId))
      violations.push(
        `a takeover of ${lots} lots in ${marketId} is in flight, but the summary does not name it`,
      );
  if (
    exitCode !== 0 &&
    !isDisturbed &&
    wrong.length === 0 &&
    openOrders === 0 &&
    underWay.length === 0
  )
    violations.push(`exit code ${exitCode} although everything is in order: ${text.slice(-300)}`);
  return violations;
}
