import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import { toDay } from "../day.js";
import type { HistoryKind } from "../kinds.js";
import type { Span } from "../spans.js";
import type { HistoryStore } from "../store/history-store.js";

/** The error for a store that is not there or is empty; undefined where it has anything. */
export function emptyStoreError(store: HistoryStore): ConfigError | undefined {
  const absent = store.emptyReason();
  if (absent === undefined) return undefined;
  return new ConfigError(absent, {
    field: "store",
    value: store.root,
    expected: "the folder of a store, from where the command is run",
  });
}

/** What is said where a store has nothing of any of these kinds in a span of a market, with what it has of that market. */
export function noDataError(
  store: HistoryStore,
  market: MarketId,
  kinds: readonly HistoryKind[],
  [fromMs, toMs]: Span,
): ConfigError {
  const nothing = emptyStoreError(store);
  if (nothing !== undefined) return nothing;
  return new ConfigError(`has no ${kinds.join(" and no ")} of that time`, {
    field: market,
    value: `${toDay(fromMs)} to ${toDay(Math.max(fromMs, toMs - 1))}`,
    expected: `${whatIsThere(store, market)} (npx marketwright data list --store ${store.root})`,
  });
}

function whatIsThere(store: HistoryStore, wanted: MarketId): string {
  const all = store.series();
  const spans = all
    .filter(({ market }) => market === wanted)
    .flatMap((series) => {
      // One that is broken is no reason to hide the others: what reads it will say so.
      const days = store.inspect(series).days.map(({ day }) => day);
      const [first, last] = [days[0], days.at(-1)];
      return first === undefined
        ? []
        : [`${series.kind} of ${first === last ? first : `${first} to ${last}`}`];
    });
  if (spans.length > 0) return `what the store has of it: ${spans.join(", ")}`;
  return `a market that the store has: ${[...new Set(all.map(({ market }) => market))].join(", ")}`;
}
