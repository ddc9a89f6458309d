import type { Ms } from "../../core/units.js";
import { type DayRow, parseFacts, type RunFacts } from "./day-row.js";
import { type DaySpan, readDays } from "./read-days.js";

/** One interval of a bot: the row of its account, and that of every market of the run. */
export interface DayInterval {
  readonly account: DayRow;
  readonly markets: readonly DayRow[];
  readonly facts: RunFacts;
  /** False if a crash cut it: only its fills and events are right. */
  readonly isWhole: boolean;
}

/** The facts of each run of the rows that states them, by the start of the run. */
export function factsByRun(rows: Iterable<DayRow>): Map<Ms, RunFacts> {
  const facts = new Map<Ms, RunFacts>();
  for (const { session, facts: text } of rows) {
    if (text === undefined || facts.has(session)) continue;
    const parsed = parseFacts(text);
    if (parsed !== undefined) facts.set(session, parsed);
  }
  return facts;
}

/**
 * Reads the intervals of a folder of day files in order of time. Runs without facts are left out:
 * their units are not known.
 * @throws as {@link readDays}
 */
export async function* readIntervals(
  folder: string,
  span: DaySpan,
  facts: ReadonlyMap<Ms, RunFacts>,
): AsyncGenerator<DayInterval, void> {
  let open: { account: DayRow; markets: DayRow[]; facts: RunFacts } | undefined;
  const toInterval = (interval: Omit<DayInterval, "isWhole">): DayInterval => ({
    ...interval,
    isWhole: interval.markets.length === Object.keys(interval.facts.markets).length,
  });
  for await (const { rows } of readDays(folder, span))
    for (const row of rows) {
      if (row.marketId !== "") {
        if (row.session === open?.account.session && row.atMs === open.account.atMs)
          open.markets.push(row);
        continue;
      }
      if (open !== undefined) yield toInterval(open);
      const own = facts.get(row.session);
      open = own === undefined ? undefined : { account: row, markets: [], facts: own };
    }
  if (open !== undefined) yield toInterval(open);
}
