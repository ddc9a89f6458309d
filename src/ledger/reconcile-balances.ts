import type { CreditUnits, MarketId, Ms, PaperUnits } from "../core/units.js";
import { instantText } from "../history/day.js";
import { type BalanceCheckpoint, balancesAt, checkpointFor } from "./balance-checkpoint.js";
import type { LedgerFinding } from "./finding.js";
import type { LedgerEvent } from "./ledger-event.js";
import type { ExchangeStatement } from "./sources/exchange-statement.js";

/** An amount that the exchange has and no record explains. */
export interface BalanceDifference {
  /** The exchange's credit, or the base of a market. */
  readonly asset: "credit" | MarketId;
  /** The exchange's balance less the ledger's, in the asset's smallest unit. */
  readonly amount: bigint;
  /** It arose after this; undefined for the beginning of the account. */
  readonly fromMs: Ms | undefined;
  readonly toMs: Ms;
}

/** The comparison of the ledger with the exchange's balances. */
export interface Reconciliation {
  readonly differences: readonly BalanceDifference[];
  readonly findings: readonly LedgerFinding[];
}

/** Checkpoints that are compared, beside the newest statement. */
const MOST_CHECKPOINTS = 100;

/**
 * Compares the sum of all events with the exchange's balances, to the smallest unit: now, and at
 * each earlier export, so that a difference has an interval in which it arose.
 */
export function reconcileBalances(
  events: readonly LedgerEvent[],
  statement: ExchangeStatement,
  checkpoints: readonly BalanceCheckpoint[],
): Reconciliation {
  const now = checkpointFor(statement);
  const known = [...checkpoints.slice(-MOST_CHECKPOINTS), now];
  const differences: BalanceDifference[] = [];
  const before = new Map<BalanceDifference["asset"], bigint>();
  let fromMs: Ms | undefined;
  for (const checkpoint of known) {
    const ours = balancesAt(events, checkpoint === now ? undefined : checkpoint);
    for (const [asset, amount] of missingFrom(ours, checkpoint)) {
      const change = amount - (before.get(asset) ?? 0n);
      before.set(asset, amount);
      if (change !== 0n) differences.push({ asset, amount: change, fromMs, toMs: checkpoint.atMs });
    }
    fromMs = checkpoint.atMs;
  }
  return { differences, findings: positionFindings(statement) };
}

/** The exchange's balance less the ledger's, of every asset that either has. */
function missingFrom(
  ours: ReturnType<typeof balancesAt>,
  checkpoint: BalanceCheckpoint,
): ReadonlyMap<BalanceDifference["asset"], CreditUnits | PaperUnits> {
  const markets = new Set([...checkpoint.paper.keys(), ...ours.paper.keys()]);
  return new Map<BalanceDifference["asset"], bigint>([
    ["credit", checkpoint.credit - ours.credit],
    ...[...markets].map((marketId): [MarketId, bigint] => [
      marketId,
      (checkpoint.paper.get(marketId) ?? 0n) - (ours.paper.get(marketId) ?? 0n),
    ]),
  ]);
}

/** The exchange states positions twice: settled, and as matched. */
function positionFindings({ trades, balances }: ExchangeStatement): LedgerFinding[] {
  const { settledPaper, matchedPaper } = balances;
  const pending = new Map<MarketId, PaperUnits>();
  for (const { marketId, state, side, paper } of trades) {
    if (state !== "pending") continue;
    pending.set(marketId, (pending.get(marketId) ?? 0n) + (side === "BUY" ? paper : -paper));
  }
  const markets = new Set([...settledPaper.keys(), ...matchedPaper.keys(), ...pending.keys()]);
  return [...markets].flatMap((marketId): LedgerFinding[] => {
    const settled = settledPaper.get(marketId) ?? 0n;
    const matched = matchedPaper.get(marketId) ?? 0n;
    const waiting = pending.get(marketId) ?? 0n;
    if (settled + waiting === matched) return [];
    const detail = `settled ${settled}, not settled ${waiting}, but matched ${matched}`;
    return [{ kind: "positions-differ", marketId, id: marketId, detail }];
  });
}

/** The interval of a difference, as text. */
export function intervalText({ fromMs, toMs }: Pick<BalanceDifference, "fromMs" | "toMs">): string {
  const since = fromMs === undefined ? "the account's beginning" : instantText(fromMs);
  return `arose between ${since} and ${instantText(toMs)}`;
}
