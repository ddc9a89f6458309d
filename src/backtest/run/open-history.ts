import { relative, sep } from "node:path";
import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import { openKlines } from "../../history/columns/open-klines.js";
import { MarkSource, openFunding } from "../../history/columns/open-marks.js";
import { openTapes, rowsWithin } from "../../history/columns/open-tape.js";
import type { TapeSource } from "../../history/columns/tape-source.js";
import { instantText, parseInstant } from "../../history/day.js";
import type { DayManifest } from "../../history/day-manifest.js";
import { type HistoryKind, intervalMsOf, intervalOf } from "../../history/kinds.js";
import { gapsOf, type Span } from "../../history/spans.js";
import { HistoryStore } from "../../history/store.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import { EVER } from "../config/backtest-schema.js";
import type { DataFile, InputGrade } from "../report/run-meta.js";
import { missingCandles } from "./missing-candles.js";
import type { PlayedHistory, PlayedMarket } from "./played-history.js";

/** A market's history, opened in the store. */
export interface OpenedMarket extends PlayedMarket {
  readonly marks: MarkSource | undefined;
  readonly tapes: TapeSource | undefined;
}

/** A backtest's history, opened in the store. */
export interface OpenedHistory extends PlayedHistory {
  readonly markets: readonly OpenedMarket[];
}

type Asked = Pick<BacktestConfig["history"], "fromUs" | "toUs">;

/** How long the newest data may have been on its way. */
const TAIL_US = 1_000_000;

/** Of a candle in columns. */
const BYTES_A_BAR = 32;

/** Marks that pause for longer are missing. */
const MARKS_PAUSE_MS = 60_000;

/** Streams of one recording do not begin and end at one instant, and the tail is after both. */
const RAGGED_MS = 1_000 + TAIL_US / 1000;

const EVER_MS: Span = [parseInstant(EVER.from, "history.from"), parseInstant(EVER.to, "history.to")];

/** A market's rules in which its columns are counted, and gaps of its funding. */
type MarketGrid = Pick<BacktestConfig["rules"]["markets"][MarketId], "tickSize" | "stepSize" | "fundingIntervalMs">;

/** All of a configuration that decides what is opened. */
interface OpenedBy {
  readonly history: BacktestConfig["history"];
  readonly creditDecimals: number;
  readonly grids: Readonly<Record<MarketId, MarketGrid>>;
}

function openedBy({ history, rules: { creditDecimals, markets } }: BacktestConfig): OpenedBy {
  const grids = Object.keys(history.markets).map((marketId) => {
    const { tickSize, stepSize, fundingIntervalMs } = markets[marketId];
    return [marketId, { tickSize, stepSize, fundingIntervalMs }] as const;
  });
  return { history, creditDecimals, grids: Object.fromEntries(grids) };
}

/** The same of two configurations where one history serves both: columns are counted in ticks and lots, and delayed by what the configuration says. */
export function historyKey(config: BacktestConfig): string {
  return JSON.stringify(openedBy(config));
}

/**
 * Opens what a backtest replays. Marks and funding are taken where the store has them.
 * @param onMake told as a day's columns are made, which takes seconds the first time.
 * @throws ConfigError where the store lacks what is asked for; HistoryError naming a file that is broken
 */
export async function openHistory(config: BacktestConfig, onMake?: (market: string, day: string) => void): Promise<OpenedHistory> {
  const { history, creditDecimals, grids } = openedBy(config);
  const store = new HistoryStore(history.store);
  const grade = history.grade ?? bestGrade(store, Object.values(history.markets), history);
  const interval = grade === "klines" ? (history.interval ?? shortestInterval(store, Object.values(history.markets))) : undefined;
  const bytes = (history.memoryMb * 1_000_000) / Object.keys(history.markets).length;
  const markets: OpenedMarket[] = [];
  const files: DataFile[] = [];
  const gaps: string[] = [];
  const lacking: { readonly name: string; readonly gap: Span }[] = [];
  const others: { readonly marketId: MarketId; readonly name: string; readonly kind: HistoryKind }[] = [];
  for (const [marketId, name] of Object.entries(history.markets)) {
    const { tickSize, stepSize } = grids[marketId] as MarketGrid;
    const span = { fromUs: history.fromUs, toUs: history.toUs };
    const marksKind = grade === "klines" ? undefined : "marks";
    const marks =
      marksKind !== undefined && has(store, name, "marks", span) ? new MarkSource(store, name, { ...span, creditDecimals }) : undefined;
    const tellsFunding = (await marks?.tellsFunding()) === true;
    // A run begins without a position, so what is stamped at the instant at which one ends and another begins is paid by the one that ends, or by none.
    const toItsEnd = { ...span, toUs: span.toUs + 1 };
    const funding = has(store, name, "funding", toItsEnd) ? await openFunding(store, name, toItsEnd) : undefined;
    const kinds: HistoryKind[] = [...(marks === undefined ? [] : ["marks"]), ...(funding === undefined ? [] : ["funding"])];
    others.push(...kinds.map((kind) => ({ marketId, name, kind })));
    if (grade === "klines") {
      const kind = `klines-${interval}`;
      const tape = await openKlines(store, name, { ...span, kind, tickSize, stepSize, mostBars: Math.floor(bytes / BYTES_A_BAR) });
      const lacking = gapsOf(coveredBy(store, name, kind), [Math.floor(span.fromUs / 1000), Math.ceil(span.toUs / 1000)]);
      markets.push({ marketId, marks, tellsFunding, funding, tapes: undefined, klines: { ...tape, marketId }, lacking });
      kinds.push(kind);
    } else {
      const series = grade === "books" ? (["book", "trades"] as const) : (["trades"] as const);
      const tapes = await openTapes(store, name, {
        ...span,
        kinds: series,
        tickSize,
        stepSize,
        baseLatencyUs: Math.round(history.baseLatencyMs * 1000),
        blockRows: rowsWithin(bytes),
        ...(onMake === undefined ? {} : { onMake: (day) => onMake(name, day) }),
      });
      lacking.push(...tapes.gaps.map(({ kind, span: gap }) => ({ name: `${marketId} ${kind}`, gap })));
      markets.push({ marketId, marks, tellsFunding, funding, tapes, klines: undefined, lacking: tapes.gaps.map(({ span: gap }) => gap) });
      kinds.push(...series);
      // Of a day before the span, what is played of it is its book.
      const spanned = new Set(daysIn(store, name, "book", span).map(({ day }) => day));
      for (const { input } of tapes.days) {
        if (input.book !== undefined && !spanned.has(input.day)) files.push(fileOf(store, marketId, "book", input.book));
      }
    }
    for (const kind of kinds) {
      const read = kind === "funding" ? toItsEnd : span;
      for (const day of daysIn(store, name, kind, read)) files.push(fileOf(store, marketId, kind, day));
    }
  }
  for (const market of markets) requireRecords(market, history, store);
  const startUs = Math.max(history.fromUs, Math.min(...markets.map(firstUs)));
  const endUs = Math.min(history.toUs, Math.max(...markets.map(lastUs)) + TAIL_US);
  for (const { name, gap } of lacking) {
    const [fromMs, toMs] = askedOf(gap, [startUs / 1000, endUs / 1000]);
    const isWhole = fromMs === gap[0] && toMs === gap[1];
    if (toMs - fromMs > (isWhole ? 0 : RAGGED_MS)) gaps.push(`${name}: ${instantText(fromMs)} to ${instantText(toMs)}`);
  }
  for (const { marketId, klines } of markets) {
    if (klines === undefined) continue;
    const [fromUs, toUs] = askedOf([history.fromUs / 1000, history.toUs / 1000], [startUs / 1000, endUs / 1000]).map((ms) => ms * 1000);
    gaps.push(...missingCandles(klines, fromUs as number, toUs as number).map((text) => `${marketId} klines-${interval}: ${text}`));
  }
  // Where marks end a position goes on at the last one, and where funding ends none is paid: a run must not pass over that in silence.
  for (const { marketId, name, kind } of others) {
    const leastMs =
      kind === "funding" ? (grids[marketId] as MarketGrid).fundingIntervalMs : (intervalMsOf(intervalOf(kind)) ?? MARKS_PAUSE_MS);
    for (const [fromMs, toMs] of gapsOf(coveredBy(store, name, kind), [Math.floor(startUs / 1000), Math.ceil(endUs / 1000)])) {
      if (toMs - fromMs > leastMs) gaps.push(`${marketId} ${kind}: ${instantText(fromMs)} to ${instantText(toMs)}`);
    }
  }
  return { grade, interval, markets, startUs, endUs, files, gaps };
}

/** What of a gap was asked for: where the configuration names no begin or end, nothing before or after what is replayed. */
function askedOf([fromMs, toMs]: Span, [startMs, endMs]: Span): Span {
  return [fromMs === EVER_MS[0] ? Math.floor(startMs) : fromMs, toMs === EVER_MS[1] ? Math.ceil(endMs) : toMs];
}

/** A time that a store covers may have no record in it. @throws ConfigError naming the market and the time */
function requireRecords(market: OpenedMarket, history: BacktestConfig["history"], store: HistoryStore): void {
  if (firstUs(market) < history.toUs) return;
  throw new ConfigError("has no record of that time", {
    field: `history.markets.${market.marketId}`,
    value: `${instantText(Math.floor(history.fromUs / 1000))} to ${instantText(Math.floor(history.toUs / 1000))}`,
    expected: `a time in which ${store.root} has any of ${history.markets[market.marketId]} (marketwright data list --days)`,
  });
}

/** The first instant of what a market has; Infinity where that is nothing. */
export function firstUs({ tapes, klines }: OpenedMarket): number {
  if (klines !== undefined) return klines.startUs[0] ?? Number.POSITIVE_INFINITY;
  const days = (tapes as TapeSource).days.flatMap(({ tape }) => tape.footer.blocks.map((block) => block.firstUs));
  return Math.min(...days);
}

/** Whether a market may have a record between two instants, as the heads of its files tell: what lies between two blocks, or beside all, has none. */
export function mayHaveRecords({ tapes, klines }: OpenedMarket, { fromUs, toUs }: Asked): boolean {
  if (klines !== undefined) return klines.startUs.some((us) => us >= fromUs && us < toUs);
  return (tapes as TapeSource).days.some(({ tape }) =>
    tape.footer.blocks.some(({ firstUs, lastUs }) => firstUs < toUs && lastUs >= fromUs),
  );
}

/** The last instant of what a market has. */
function lastUs({ tapes, klines }: OpenedMarket): number {
  if (klines !== undefined) return (klines.startUs[klines.bars - 1] ?? 0) + klines.intervalUs;
  const days = (tapes as TapeSource).days.flatMap(({ tape }) => tape.footer.blocks.map((block) => block.lastUs));
  return Math.max(...days);
}

function bestGrade(store: HistoryStore, markets: readonly string[], span: Asked): InputGrade {
  const all = (kind: HistoryKind): boolean => markets.every((market) => has(store, market, kind, span));
  if (all("book") && all("trades")) return "books";
  if (all("trades")) return "trades";
  if (markets.every((market) => intervalsOf(store, market).length > 0)) return "klines";
  const there = store.series().map(({ market, kind }) => `${market} ${kind}`);
  throw new ConfigError("has no history of every market at that time", {
    field: "history.store",
    value: store.root,
    expected: `books and trades, trades, or candles of ${markets.join(", ")} (there are ${there.join(", ") || "none"}; marketwright data list shows their spans)`,
  });
}

function shortestInterval(store: HistoryStore, markets: readonly string[]): string {
  const [first, ...others] = markets.map((market) => intervalsOf(store, market));
  const common = (first ?? []).filter((interval) => others.every((known) => known.includes(interval)));
  const [shortest] = common.sort((a, b) => (intervalMsOf(a) ?? 0) - (intervalMsOf(b) ?? 0));
  if (shortest !== undefined) return shortest;
  throw new ConfigError("has no candles that all markets have", {
    field: "history.interval",
    expected: `klines of one interval for ${markets.join(", ")}`,
  });
}

function intervalsOf(store: HistoryStore, wanted: string): string[] {
  return store
    .series()
    .filter(({ market, kind }) => market === wanted && kind.startsWith("klines-"))
    .map(({ kind }) => intervalOf(kind));
}

function has(store: HistoryStore, market: string, kind: HistoryKind, span: Asked): boolean {
  const isThere = store.series().some((series) => series.market === market && series.kind === kind);
  return isThere && daysIn(store, market, kind, span).length > 0;
}

function coveredBy(store: HistoryStore, market: string, kind: HistoryKind): Span[] {
  return store.days({ market, kind }).flatMap((day) => day.covered);
}

function daysIn(store: HistoryStore, market: string, kind: HistoryKind, { fromUs, toUs }: Asked): DayManifest[] {
  return store.days({ market, kind }).filter(({ covered }) => covered.some(([from, to]) => from * 1000 < toUs && to * 1000 >= fromUs));
}

function fileOf(store: HistoryStore, marketId: MarketId, kind: HistoryKind, day: DayManifest): DataFile {
  const file = relative(store.root, store.dataPath(day, day.day)).split(sep).join("/");
  return { marketId, kind, file, rows: day.rows, sha256: day.sha256 };
}
