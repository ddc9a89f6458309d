import { ConfigError } from "../../core/errors.js";
import { shellWord } from "../../core/files/shell-word.js";
import type { MarketId } from "../../core/units.js";
import { toDay } from "../day.js";
import type { HistoryKind } from "../kinds.js";
import type { Span } from "../spans.js";
import type { HistoryStore } from "../store/history-store.js";

/** The error for a store that is missing or empty; undefined if it has any data. */
export function emptyStoreError(store: HistoryStore): ConfigError | undefined {
  const absent = store.emptyReason();
  if (absent === undefined) return undefined;
  return new ConfigError(absent, {
    field: "store",
    value: store.root,
    expected: "the folder of a history store; a relative path begins at the current folder",
  });
}

/**
 * The error for a store without data of the requested kinds in a span of a market. It lists the
 * data that the store has of that market.
 */
export function noDataError(
  store: HistoryStore,
  market: MarketId,
  kinds: readonly HistoryKind[],
  [fromMs, toMs]: Span,
): ConfigError {
  const nothing = emptyStoreError(store);
  if (nothing !== undefined) return nothing;
  return new ConfigError(`has no ${kinds.join(" and no ")} at that time`, {
    field: market,
    value: `${toDay(fromMs)} to ${toDay(Math.max(fromMs, toMs - 1))}`,
    expected: `${whatIsThere(store, market)} (marketwright data list --store ${shellWord(store.root)})`,
  });
}

function whatIsThere(store: HistoryStore, wanted: MarketId): string {
  const all = store.series();
  const spans = all
    .filter(({ market }) => market === wanted)
    .flatMap((series) => {
      // A broken series must not hide the others; reading it reports the fault.
      const days = store.inspect(series).days.map(({ day }) => day);
      const [first, last] = [days[0], days.at(-1)];
      return first === undefined
        ? []
        : [`${series.kind} of ${first === last ? first : `${first} to ${last}`}`];
    });
  if (spans.length > 0) return `a time within the store's data: ${spans.join(", ")}`;
  return `a market of the store: ${[...new Set(all.map(({ market }) => market))].join(", ")}`;
}
