import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../core/errors.js";
import { DAY_MS, type MarketId, type Ms } from "../../core/units.js";
import type { ExchangeClient } from "../../exchange/client/exchange-client.js";
import { KLINE_INTERVALS } from "../../exchange/protocol/parameters.js";
import { HistoryError } from "../history-errors.js";
import { fundingShape, klinesShape, tradesShape } from "../import/formats/exchange-shapes.js";
import { familyFor, type HistoryKind, intervalFor, intervalToMs } from "../kinds.js";
import { clipSpans, findGaps, mergeSpans, type Span, subtractSpans } from "../spans.js";
import { dropRows, stageRows } from "../staging/stage-rows.js";
import { StagedRecords } from "../staging/staged-records.js";
import { writeDays } from "../staging/write-days.js";
import type { DayManifest } from "../store/day-manifest.js";
import { Duck, type DuckLimits } from "../store/duck.js";
import type { HistoryStore } from "../store/history-store.js";
import { toDiskError } from "../store/to-disk-error.js";
import { compareVolumes, type VolumeComparison } from "./compare-volumes.js";
import { type FetchedRecord, fetchRecords } from "./fetch-records.js";
import { StagingFindings } from "./staging-findings.js";

/**
 * An exchange may list a record later than its own time. Records younger than this are left for the
 * next download.
 */
const UNSETTLED_MS: Ms = 5000;

/** The span, kinds and market to download. */
export interface DownloadOptions {
  readonly market: MarketId;
  /**
   * From an instant, inclusive, to another, exclusive. The part after the exchange's clock is left
   * for the next download.
   */
  readonly span: Span;
  /** `trades`, `klines-1M`, `mark-klines-1H`, `funding`, ... */
  readonly kinds: readonly HistoryKind[];
  /** The exchange's address, for the manifests. */
  readonly address: string;
  readonly pageSize?: number;
  readonly limits?: DuckLimits;
  /** Called periodically with the progress of a kind. */
  readonly onProgress?: (kind: HistoryKind, atMs: Ms) => void;
  /** Ends the download. The next one continues after the last record. */
  readonly signal?: AbortSignal;
}

/** The result for one kind. */
interface DownloadedKind {
  readonly kind: HistoryKind;
  /** The number of records fetched by this download. */
  readonly rows: number;
  readonly days: readonly DayManifest[];
  /** The spans that lie before the oldest record of the exchange's list. They remain gaps. */
  readonly unlisted: readonly Span[];
  readonly findings: readonly string[];
}

/** The result of a download. */
export interface Downloaded {
  readonly kinds: readonly DownloadedKind[];
  readonly volumes: VolumeComparison;
  /**
   * The end of the download. It is before the requested end if the exchange's clock has not reached
   * it.
   */
  readonly toMs: Ms;
}

/** Refuses kinds for which an exchange has no list. @throws ConfigError naming the first */
export function requireDownloadable(kinds: readonly HistoryKind[]): void {
  for (const kind of kinds) {
    const interval = intervalFor(kind);
    const isCandle =
      interval !== "" &&
      KLINE_INTERVALS.some((known) => known === interval) &&
      (intervalToMs(interval) ?? DAY_MS + 1) <= DAY_MS;
    if (kind === "trades" || kind === "funding" || (isCandle && familyFor(kind).endsWith("klines")))
      continue;
    throw new ConfigError("cannot be downloaded", {
      field: "kinds",
      value: kind,
      expected:
        "trades, funding, klines-INTERVAL or mark-klines-INTERVAL, with an interval of 1M to 1D",
    });
  }
}

/**
 * Downloads the parts of a span that the store does not cover yet, day by day. However the process
 * ends, the next download continues after the last record.
 * @throws errors of the client; HistoryError when the exchange contradicts the store; RunError when
 * another process writes the series, or if the store's disk is full or cannot be written
 */
export async function download(
  store: HistoryStore,
  client: ExchangeClient,
  options: DownloadOptions,
): Promise<Downloaded> {
  try {
    return await downloaded(store, client, options);
  } catch (error) {
    throw toDiskError(error, store.root) ?? error;
  }
}

async function downloaded(
  store: HistoryStore,
  client: ExchangeClient,
  options: DownloadOptions,
): Promise<Downloaded> {
  const { market, kinds, span } = options;
  requireDownloadable(kinds);
  const grid = await gridOf(client, market);
  const nowMs = client.nowMs();
  const toMs = Math.min(span[1], nowMs - UNSETTLED_MS);
  const duck = await Duck.open(store.spillFolder, options.limits);
  try {
    const done: DownloadedKind[] = [];
    for (const kind of kinds) {
      // A candle that has not ended may change.
      const stepMs = intervalToMs(intervalFor(kind)) ?? 1;
      done.push(
        await downloadKind({ store, duck, client, options, kind, grid }, [
          span[0],
          Math.floor(toMs / stepMs) * stepMs,
        ]),
      );
    }
    const volumes = { candles: 0, differing: 0, first: [] as VolumeComparison["first"][number][] };
    for (const kind of kinds.filter(
      (each) => each.startsWith("klines-") && kinds.includes("trades"),
    )) {
      const compared = await compareVolumes(store, duck, market, kind, [span[0], toMs]);
      volumes.candles += compared.candles;
      volumes.differing += compared.differing;
      volumes.first.push(...compared.first);
    }
    return { kinds: done, volumes, toMs };
  } finally {
    duck.close();
  }
}

/** The inputs for the download of a kind. */
interface KindWork {
  readonly store: HistoryStore;
  readonly duck: Duck;
  readonly client: ExchangeClient;
  readonly options: DownloadOptions;
  readonly kind: HistoryKind;
  readonly grid: NonNullable<DayManifest["grid"]>;
}

async function downloadKind(work: KindWork, span: Span): Promise<DownloadedKind> {
  const { store, options, kind } = work;
  const series = { market: options.market, kind };
  const lock = await store.open(series);
  const findings: string[] = [];
  const days: DayManifest[] = [];
  const unlisted: Span[] = [];
  let rows = 0;
  const fetched = ({ timeMs }: FetchedRecord): void => {
    rows += 1;
    if (rows % 100 === 0) options.onProgress?.(kind, timeMs);
  };
  try {
    const folder = store.staging(series);
    const covered = store.writtenDays(series).flatMap((day) => day.covered);
    for (const day of byDay(findGaps(covered, span))) {
      const doubts = new StagingFindings(join(folder, `${day[0]}.doubts.ndjson`));
      const staged = new StagedRecords(join(folder, `${day[0]}.ndjson`));
      await fetchInto(staged, doubts, work, day, fetched);
      findings.push(...doubts.findings);
      const unknown = clipSpans(doubts.unlisted, day);
      unlisted.push(...unknown);
      const known = subtractSpans([day], unknown);
      const isNothing = known.length === 0 && staged.isEmpty;
      if (!isNothing) days.push(...(await takeStaged(staged, doubts.findings, work, known)));
      staged.remove();
      doubts.remove();
      if (!isNothing) options.onProgress?.(kind, day[1]);
    }
    // Staged files of other spans hold only records that are in the store, or that will be fetched
    // again.
    for (const name of readdirSync(folder))
      if (/\.ndjson(\.parquet)?$/.test(name)) rmSync(join(folder, name));
    return { kind, rows, days, unlisted: mergeSpans(unlisted), findings };
  } finally {
    lock.release();
  }
}

/**
 * Fetches the records of a day that an earlier process has not staged.
 * @param onRecord called for each staged record.
 */
async function fetchInto(
  staged: StagedRecords,
  doubts: StagingFindings,
  { client, options, kind }: KindWork,
  span: Span,
  onRecord: (record: FetchedRecord) => void,
): Promise<void> {
  const { market: marketId, pageSize, signal } = options;
  try {
    const [first, last] = [staged.first, staged.last].map((record) =>
      recordOf(record, kind, staged.path),
    );
    for await (const record of fetchRecords({
      client,
      marketId,
      kind,
      span,
      first,
      last,
      pageSize,
      onFinding: (finding) => doubts.addFinding(finding),
      onUnlisted: (missing) => doubts.addUnlisted(missing),
    })) {
      signal?.throwIfAborted();
      staged.add(record.fields);
      onRecord(record);
    }
  } finally {
    staged.close();
  }
}

/** Moves a staged day into the store. */
async function takeStaged(
  { path }: StagedRecords,
  findings: readonly string[],
  { store, duck, options, kind, grid }: KindWork,
  covered: readonly Span[],
): Promise<DayManifest[]> {
  const series = { market: options.market, kind };
  const rows = await stageRows(duck, {
    series,
    select: await shapeOf(duck, path, kind),
    file: path,
    path: `${path}.parquet`,
    grid,
  });
  const days = await writeDays(store, duck, {
    series,
    rows,
    file: path,
    source: { name: options.address },
    covered,
    grid,
    findings,
  });
  dropRows(rows);
  return days;
}

async function shapeOf(duck: Duck, path: string, kind: HistoryKind): Promise<string> {
  const family = familyFor(kind);
  if (family === "trades") return tradesShape(path, { format: "ndjson" }).select;
  if (family === "funding") return fundingShape(path, { format: "ndjson" }).select;
  const shaped = await klinesShape(duck, path, { format: "ndjson" }, kind, path);
  if (shaped === undefined) throw new HistoryError(path, "has no interval", { expected: kind });
  return shaped.select;
}

/** Checks a record that an earlier process staged. */
function recordOf(value: unknown, kind: HistoryKind, path: string): FetchedRecord | undefined {
  if (value === undefined) return undefined;
  const fields = value as FetchedRecord["fields"];
  const timeMs = fields[familyFor(kind) === "funding" ? "fundingTime" : "time"];
  if (typeof timeMs === "number") return { timeMs, fields };
  throw new HistoryError(path, "has a record without a valid time", {
    value: JSON.stringify(value),
    expected: "a file that this program wrote; delete it and download again",
  });
}

async function gridOf(
  client: ExchangeClient,
  market: MarketId,
): Promise<NonNullable<DayManifest["grid"]>> {
  const { markets } = await client.exchangeInfo();
  const found = markets.find(({ id }) => id === market);
  if (found === undefined) {
    throw new ConfigError("is not a market of this exchange", {
      field: "market",
      value: market,
      expected: `one of ${markets.map(({ id }) => id).join(", ")}`,
    });
  }
  let [tickSize, stepSize] = ["", ""];
  for (const filter of found.filters) {
    if (filter.filterType === "PRICE_FILTER")
      tickSize = String((filter as { readonly tickSize: unknown }).tickSize);
    if (filter.filterType === "AMOUNT_FILTER")
      stepSize = String((filter as { readonly stepSize: unknown }).stepSize);
  }
  return { tickSize, stepSize };
}

/** Cuts spans at the midnights within them. */
function byDay(spans: readonly Span[]): Span[] {
  const days: Span[] = [];
  for (const [from, to] of spans) {
    let startMs = from;
    while (startMs < to) {
      const endMs = Math.min(to, (Math.floor(startMs / DAY_MS) + 1) * DAY_MS);
      days.push([startMs, endMs]);
      startMs = endMs;
    }
  }
  return days;
}
