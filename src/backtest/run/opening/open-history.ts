import type { MarketId } from "../../../core/units.js";
import { knownCandles } from "../../../history/columns/known-candles.js";
import { openKlines } from "../../../history/columns/open-klines.js";
import { MarkSource, openFunding } from "../../../history/columns/open-marks.js";
import { openTapes, rowsWithin } from "../../../history/columns/tape/open-tapes.js";
import { withGridDiagnosis } from "../../../history/columns/with-grid-diagnosis.js";
import type { HistoryKind } from "../../../history/kinds.js";
import { findGaps, type Span } from "../../../history/spans.js";
import type { DayManifest } from "../../../history/store/day-manifest.js";
import { HistoryStore } from "../../../history/store/history-store.js";
import type { BacktestConfig } from "../../config/backtest-config.js";
import type { DataFile, InputGrade } from "../../report/run-meta.js";
import type { PlayedHistory } from "../played-history.js";
import { bestGrade, shortestInterval } from "./best-grade.js";
import { requireCommonTime } from "./common-time.js";
import { clockWarnings, dayWarnings, repairWarnings } from "./day-warnings.js";
import { fundingQuerySpan, fundingWithin } from "./funding-within.js";
import {
  candleGapTexts,
  type SeriesCoverage,
  seriesGapTexts,
  TAIL_US,
  type TapeGap,
  tapeGapTexts,
} from "./history-gaps.js";
import { type OpenedReference, openReferenceHistories } from "./open-reference-histories.js";
import { firstUs, lastUs, type OpenedMarket, requireRecords } from "./opened-market.js";
import { coveredBy, daysIn, has, toDataFile } from "./recorded-days.js";

/** A backtest's history, opened in the store. */
export interface OpenedHistory extends PlayedHistory {
  readonly markets: readonly OpenedMarket[];
  readonly references?: readonly OpenedReference[];
}

/** Size of a candle in columns. */
const BYTES_A_BAR = 32;

/** A market's rules that define the units of its columns, and gaps of its funding. */
type MarketGrid = Pick<
  BacktestConfig["rules"]["markets"][MarketId],
  "tickSize" | "stepSize" | "fundingIntervalMs"
>;

/** The part of a configuration that decides what is opened. */
interface OpenedBy {
  readonly history: BacktestConfig["history"];
  readonly creditDecimals: number;
  readonly grids: Readonly<Record<MarketId, MarketGrid>>;
  readonly references: BacktestConfig["references"];
}

function openedBy(config: BacktestConfig): OpenedBy {
  const { history, references } = config;
  const { creditDecimals, markets } = config.rules;
  const grids = Object.keys(history.markets).map((marketId) => {
    const { tickSize, stepSize, fundingIntervalMs } = markets[marketId];
    return [marketId, { tickSize, stepSize, fundingIntervalMs }] as const;
  });
  return { history, creditDecimals, grids: Object.fromEntries(grids), references };
}

/**
 * A key that is equal for two configurations if one history serves both: columns are counted in
 * ticks and lots, and delayed as the configuration says.
 */
export function historyKey(config: BacktestConfig): string {
  return JSON.stringify(openedBy(config));
}

/**
 * Opens the history of a backtest. Marks and funding are included where the store has them.
 * @param onMake called when a day's columns are built, which takes seconds the first time.
 * @throws ConfigError where the store lacks requested data; HistoryError naming a file that is
 * broken
 */
export async function openHistory(
  config: BacktestConfig,
  onMake?: (market: string, day: string) => void,
): Promise<OpenedHistory> {
  const { history, creditDecimals, grids, references } = openedBy(config);
  const store = new HistoryStore(history.store);
  const names = Object.values(history.markets);
  const grade = history.grade ?? bestGrade(store, names, history);
  const interval =
    grade === "klines" ? (history.interval ?? shortestInterval(store, names)) : undefined;
  const bytes = (history.memoryMb * 1_000_000) / names.length;
  const opened: FoundMarket[] = [];
  for (const [marketId, name] of Object.entries(history.markets)) {
    const grid = grids[marketId] as MarketGrid;
    opened.push(
      await openMarket(store, {
        marketId,
        name,
        history,
        grid,
        creditDecimals,
        grade,
        interval,
        bytes,
        onMake,
      }),
    );
  }
  const markets = opened.map(({ market }) => market);
  for (const market of markets) requireRecords(market, history, store);
  requireCommonTime(markets, history);
  const startUs = Math.max(history.fromUs, Math.min(...markets.map(firstUs)));
  const endUs = Math.min(history.toUs, Math.max(...markets.map(lastUs)) + TAIL_US);
  const replayedMs: Span = [startUs / 1000, endUs / 1000];
  const outside = openReferenceHistories(store, references, {
    grade,
    markets,
    names,
    fromUs: startUs,
    toUs: endUs,
  });
  const gaps = [
    ...tapeGapTexts(
      opened.flatMap(({ tapeGaps }) => tapeGaps),
      replayedMs,
    ),
    ...candleGapTexts(markets, interval, history, replayedMs),
    ...seriesGapTexts(
      opened.flatMap(({ beside }) => beside),
      replayedMs,
    ),
    ...outside.gaps,
  ];
  const doubts = opened.flatMap((each) => each.warnings);
  return {
    grade,
    interval,
    markets,
    startUs,
    endUs,
    ...(outside.references.length === 0 ? {} : { references: outside.references }),
    files: [...opened.flatMap(({ files }) => files), ...outside.files],
    gaps,
    warnings: doubts,
  };
}

/** Options for opening a market. */
interface OpenMarketOptions {
  readonly marketId: MarketId;
  /** Name in the store. */
  readonly name: string;
  readonly history: BacktestConfig["history"];
  readonly grid: MarketGrid;
  readonly creditDecimals: number;
  readonly grade: InputGrade;
  readonly interval: string | undefined;
  /** Memory budget of its history. */
  readonly bytes: number;
  readonly onMake: ((market: string, day: string) => void) | undefined;
}

/** A market of the store, and notes on its files. */
interface FoundMarket {
  readonly market: OpenedMarket;
  readonly files: readonly DataFile[];
  readonly tapeGaps: readonly TapeGap[];
  readonly beside: readonly SeriesCoverage[];
  /** Warnings against a run over its days from the store's notes, as text. */
  readonly warnings: readonly string[];
}

async function openMarket(store: HistoryStore, options: OpenMarketOptions): Promise<FoundMarket> {
  const { marketId, name, history, grid, creditDecimals, grade, interval, bytes, onMake } = options;
  const { tickSize, stepSize, fundingIntervalMs } = grid;
  const span = { fromUs: history.fromUs, toUs: history.toUs };
  const marks =
    grade !== "klines" && has(store, name, "marks", span)
      ? new MarkSource(store, name, { ...span, creditDecimals })
      : undefined;
  const tellsFunding = (await marks?.hasFundingSchedule()) === true;
  const reach = fundingQuerySpan(span);
  const funding = has(store, name, "funding", reach)
    ? fundingWithin(await openFunding(store, name, reach), span)
    : undefined;
  const besideKinds: HistoryKind[] = [
    ...(marks === undefined ? [] : ["marks"]),
    ...(funding === undefined ? [] : ["funding"]),
  ];
  const beside = besideKinds.map((kind) => ({
    marketId,
    kind,
    covered: coveredBy(store, name, kind),
    fundingIntervalMs,
  }));
  const daysOf = (kind: HistoryKind): DayManifest[] =>
    daysIn(store, name, kind, kind === "funding" ? reach : span);
  const filesOf = (kinds: readonly HistoryKind[]): DataFile[] =>
    kinds.flatMap((kind) => daysOf(kind).map((day) => toDataFile(store, marketId, kind, day)));
  const besideDays = besideKinds.flatMap(daysOf);
  // Files are named before they are read, which takes a while where columns are built: meanwhile an
  // import may rewrite a day.
  if (grade === "klines") {
    const kind = `klines-${interval}`;
    const files = filesOf([...besideKinds, kind]);
    const days = daysIn(store, name, kind, span);
    const klines = await withGridDiagnosis(store, days, grid, () =>
      openKlines(store, name, {
        ...span,
        kind,
        tickSize,
        stepSize,
        mostBars: Math.floor(bytes / BYTES_A_BAR),
      }),
    );
    const spanMs: Span = [Math.floor(span.fromUs / 1000), Math.ceil(span.toUs / 1000)];
    const lacking = findGaps(knownCandles(days, klines, spanMs), spanMs);
    const market = {
      marketId,
      marks,
      hasFundingSchedule: tellsFunding,
      funding,
      tapes: undefined,
      klines: { ...klines, marketId },
      missingSpans: lacking,
    };
    return {
      market,
      files,
      tapeGaps: [],
      beside,
      warnings: [
        ...dayWarnings(marketId, days, grid),
        ...repairWarnings(marketId, [...days, ...besideDays]),
      ],
    };
  }
  const kinds = grade === "books" ? (["book", "trades"] as const) : (["trades"] as const);
  const files = filesOf([...besideKinds, ...kinds]);
  const spanned = new Set(daysIn(store, name, "book", span).map(({ day }) => day));
  const days = kinds.flatMap((kind) =>
    has(store, name, kind, span) ? daysIn(store, name, kind, span) : [],
  );
  const tapes = await withGridDiagnosis(store, days, grid, () =>
    openTapes(store, name, {
      ...span,
      kinds,
      tickSize,
      stepSize,
      baseLatencyUs: Math.round(history.baseLatencyMs * 1000),
      blockRows: rowsWithin(bytes),
      ...(onMake === undefined ? {} : { onMake: (day) => onMake(name, day) }),
    }),
  );
  // Of a day before the span, only the book at its end is played.
  const before = tapes.days.flatMap(({ input: { book, day } }) =>
    book === undefined || spanned.has(day) ? [] : [toDataFile(store, marketId, "book", book)],
  );
  return {
    market: {
      marketId,
      marks,
      hasFundingSchedule: tellsFunding,
      funding,
      tapes,
      klines: undefined,
      missingSpans: tapes.gaps.map(({ span: gap }) => gap),
    },
    files: [...before, ...files],
    tapeGaps: tapes.gaps.map(({ kind, span: gap }) => ({ marketId, kind, gap })),
    beside,
    warnings: [
      ...dayWarnings(marketId, days, grid),
      ...clockWarnings(marketId, tapes.days),
      ...repairWarnings(marketId, [...days, ...besideDays]),
    ],
  };
}
