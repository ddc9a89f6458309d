import type { MarketId, Ms } from "../../core/units.js";
import type { DayRow } from "../days/day-row.js";
import { type DaySpan, readDays } from "../days/read-days.js";
import { factsByRun, readIntervals } from "../days/read-intervals.js";
import type { CreditEvent } from "../ledger-event.js";

/** The begin of the year 9999: days are compared as texts of four digits of a year. */
const LAST_MS: Ms = 253_370_764_800_000;

/** The incomes that a bot's day files have, and where they have none. */
export interface DayIncomes {
  readonly credits: readonly CreditEvent[];
  /** Times without a record, between the first row and the last; undefined without any row. */
  readonly gaps: readonly DaySpan[] | undefined;
}

/**
 * Funding and transfers of a folder of day files, by their intervals: the day files keep sums, not
 * single payments.
 * @param creditDecimals of the ledger's credit
 * @param sinceMs when the account was created: earlier rows are of another one
 * @throws as {@link readDays}
 */
export async function readDayIncomes(
  folder: string,
  creditDecimals: number,
  sinceMs: Ms = 0,
): Promise<DayIncomes> {
  const span: DaySpan = { fromMs: sinceMs, toMs: LAST_MS };
  const sparse: DayRow[] = [];
  for await (const { rows } of readDays(folder, span, "facts-and-fills"))
    sparse.push(...rows.filter(({ facts }) => facts !== undefined));
  const credits: CreditEvent[] = [];
  const gaps: DaySpan[] = [];
  const last = new Map<MarketId, { readonly session: Ms; readonly amount: bigint }>();
  let [untilMs, ofSession]: (Ms | undefined)[] = [];
  for await (const { account, markets, facts, isWhole } of readIntervals(
    folder,
    span,
    factsByRun(sparse),
  )) {
    const { session, fromMs, atMs } = account;
    if (!isWhole || atMs < sinceMs) continue;
    // Within a run nothing is lost with a row: it sums from its start.
    if (untilMs !== undefined && session !== ofSession && fromMs > untilMs)
      gaps.push({ fromMs: untilMs, toMs: fromMs });
    [untilMs, ofSession] = [atMs, session];
    const unit = 10n ** BigInt(facts.profitDecimals - creditDecimals);
    const changed = ({ marketId }: DayRow, sum: bigint): bigint => {
      const before = last.get(marketId);
      last.set(marketId, { session, amount: sum });
      return (sum - (before?.session === session ? before.amount : 0n)) / unit;
    };
    const add = (row: DayRow, entry: CreditEvent["entry"], amount: bigint): void => {
      if (amount === 0n) return;
      const marketId = row.marketId === "" ? undefined : row.marketId;
      credits.push({
        kind: "credit",
        entry,
        timeMs: atMs,
        marketId,
        id: `days.${marketId ?? "account"}.${atMs}.${entry}`,
        amount,
        source: "file",
        detail: "sum of an interval of the day files",
      });
    };
    const moved = changed(account, account.transfers ?? 0n);
    add(account, moved > 0n ? "deposit" : "withdrawal", moved);
    for (const row of markets) add(row, "funding", changed(row, row.funding ?? 0n));
  }
  return { credits, gaps: untilMs === undefined ? undefined : gaps };
}
