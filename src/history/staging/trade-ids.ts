import { NS_A_MS, nsToMs } from "../day.js";
import type { Span } from "../spans.js";
import type { DayManifest } from "../store/day-manifest.js";
import { type Duck, toBigInt } from "../store/duck.js";
import { parquetSql } from "./decimal-places.js";

/** Ids with more than a hundred gaps per trade count something else. */
const MOST_MISSING = 100;
/**
 * Ids that count a market's trades step by one, except for one trade in a hundred. With few trades,
 * up to three may differ, and one in eight.
 */
const [BROKEN_SHARE, FEW_BREAKS, FEW_SHARE] = [1 / 100, 3, 1 / 8];

/** The ids of a day's trades, and the time of the trades that are missing by them. */
interface TradeIds {
  /** Undefined if the ids do not count the trades. */
  readonly ids: DayManifest["ids"];
  readonly holes: readonly Span[];
}

/**
 * Finds missing trades by gaps in a day's ids. Ids that an exchange counts over all its markets, or
 * draws at random, show nothing. Ids that count trades nearly all step by one.
 * @param path of the day's Parquet file
 * @param leftOut spans in which trades are known to be missing; gaps of ids there do not contradict
 * a count
 */
export async function tradeIds(
  duck: Duck,
  path: string,
  {
    rows,
    firstId,
    lastId,
  }: {
    readonly rows: number;
    readonly firstId: bigint | undefined;
    readonly lastId: bigint | undefined;
  },
  leftOut: readonly Span[],
): Promise<TradeIds> {
  if (firstId === undefined || lastId === undefined) return { ids: undefined, holes: [] };
  const missing = lastId - firstId + 1n - BigInt(rows);
  if (missing !== 0n && !mayBeMissing(missing, rows)) return { ids: undefined, holes: [] };
  const first = String(firstId);
  if (missing === 0n) return { ids: { first, breaks: 0, missing: 0 }, holes: [] };
  const steps = `SELECT timeNs, id - lag(id) OVER byId AS step, lag(timeNs) OVER byId AS before FROM ${parquetSql(path)} WINDOW byId AS (ORDER BY id)`;
  const counted = await duck.row(
    `SELECT count(*) AS breaks, count(*) FILTER (${isWithin(leftOut)}) AS explained FROM (${steps}) WHERE step > 1`,
  );
  const ids = { first, breaks: Number(counted.breaks), missing: Number(missing) };
  if (!isCount(rows - 1, ids.breaks - Number(counted.explained)))
    return { ids: undefined, holes: [] };
  const found = await duck.rows(
    `SELECT before, timeNs FROM (${steps}) WHERE step > 1 ORDER BY timeNs`,
  );
  return {
    ids,
    holes: found.flatMap(({ before, timeNs }) => betweenRows(toBigInt(before), toBigInt(timeNs))),
  };
}

/** SQL that is true if any of the spans lies between a row and the one before it. */
function isWithin(spans: readonly Span[]): string {
  if (spans.length === 0) return "false";
  const ns = spans
    .map(([from, to]) => `(${BigInt(from) * NS_A_MS}, ${BigInt(to) * NS_A_MS})`)
    .join(", ");
  return `EXISTS (SELECT 1 FROM (VALUES ${ns}) AS spans(fromNs, toNs) WHERE before < toNs AND timeNs >= fromNs)`;
}

/**
 * True if ids count trades, judged by the number of steps between two ids, and of breaks among
 * them.
 */
export function isCount(steps: number, breaks: number): boolean {
  return breaks <= Math.max(steps * BROKEN_SHARE, Math.min(FEW_BREAKS, steps * FEW_SHARE));
}

/** True if that many missing trades may belong to the same count. */
export function mayBeMissing(missing: bigint, rows: number): boolean {
  return missing > 0n && missing <= BigInt(rows * MOST_MISSING);
}

/** The whole milliseconds between two rows, each of which covers its own. */
export function betweenRows(fromNs: bigint, toNs: bigint): Span[] {
  const span: Span = [nsToMs(fromNs) + 1, nsToMs(toNs)];
  return span[1] > span[0] ? [span] : [];
}
