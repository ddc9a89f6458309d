import { ceilDivide } from "../../../core/bigints.js";
import { ConfigError } from "../../../core/errors.js";
import { HistoryError } from "../../history-errors.js";
import { intervalFor, intervalName, intervalToMs } from "../../kinds.js";
import { plausibleTimes } from "../../staging/plausible-times.js";
import { type Duck, toBigInt } from "../../store/duck.js";
import type { ShapedFile } from "./shape.js";

/** A file of candles whose interval is not known yet. */
interface CandleFile {
  /** SQL that gives the kind's columns. */
  readonly select: string;
  /**
   * SQL of each candle's duration in nanoseconds as `length`, with its `timeNs`; absent if the file
   * does not contain it.
   */
  readonly lengths?: string;
  /** The file's name in errors. */
  readonly file: string;
}

const SECOND_NS = 1_000_000_000n;
const MINUTE_S = 60n;
const DAY_S = 86_400n;
const [MONTH_FROM_S, MONTH_TO_S] = [28n * DAY_S, 31n * DAY_S];
const KEPT = "1M (a minute) to 1W (a week)";
const NO_LENGTH = "a month has no fixed length";

/**
 * Determines the kind of candles: the requested one, else the interval from the file. If the file
 * has no end times, the interval is the smallest step between two candles. Candles cannot overlap,
 * while the most common step is longer if quiet times have no candle.
 * @param kind such as `klines-1H`, or only the family
 * @returns undefined if the interval cannot be determined
 * @throws HistoryError if the candles are of seconds or of months; ConfigError if they are not of
 * the requested interval
 */
export async function withInterval(
  duck: Duck,
  { select, lengths, file }: CandleFile,
  kind: string,
): Promise<ShapedFile | undefined> {
  const requested = intervalFor(kind);
  if (requested !== "") requireKeptInterval(requested, "interval");
  const isPlausible = `NOT (${plausibleTimes("timeNs", "ns", "").broken})`;
  const isFirst = "day(make_timestamp(CAST(timeNs // 1000 AS BIGINT))) = 1";
  // One invalid stamp does not matter; in a file of another unit all are invalid.
  const { isSome } = await duck.row(
    `SELECT count(*) FILTER (${isPlausible}) > 0 AS isSome FROM (${select})`,
  );
  const of = (rows: string): string =>
    isSome === true ? `SELECT * FROM (${rows}) WHERE ${isPlausible}` : rows;
  const steps = `SELECT timeNs - lag(timeNs) OVER (ORDER BY timeNs) AS length, ${isFirst} AS isFirst FROM (${of(select)})`;
  const monthly = lengths === undefined ? "bool_and(isFirst)" : "true";
  const found = await duck.row(
    `SELECT min(length) AS least, max(length) AS most, mode(length) AS usual, ${monthly} AS monthly FROM (${lengths === undefined ? steps : of(lengths)}) WHERE length > 0`,
  );
  const [least, most] = [secondsOf(found.least), secondsOf(found.most)];
  const isTold = least !== undefined && most !== undefined;
  // Without end times, candles of a requested interval may lie further apart than they last.
  const tellsLength = lengths !== undefined || requested === "";
  if (isTold && (tellsLength || least < MINUTE_S)) {
    if (lengths === undefined) refuseOff(file, least, secondsOf(found.usual));
    if (!isMonth(least) || found.monthly === true)
      refuseUnkept(file, least, lengths === undefined ? least : most);
  }
  const isCertain = isTold && (lengths === undefined ? !isMonth(least) : least === most);
  const interval = isCertain ? intervalName(Number(least) * 1000) : undefined;
  if (requested === "")
    return interval === undefined
      ? undefined
      : { kind: `${kind}-${interval}`, select, findings: [] };
  const lasts = BigInt((intervalToMs(requested) as number) / 1000);
  const fits =
    !isTold ||
    (lengths === undefined
      ? lasts <= least
      : requested === interval || (lasts === least && lasts === most));
  if (fits) return { kind, select, findings: [] };
  throw new ConfigError(`is not the interval of the candles of ${file}`, {
    field: "interval",
    value: requested,
    expected:
      lengths === undefined
        ? `${interval ?? `${least} s`} or less, since some candles begin that long after each other`
        : (interval ?? `one interval: the file's are from ${least} to ${most} s`),
  });
}

/**
 * Checks an interval that a user names for candles.
 * @throws ConfigError naming the field, for an interval of seconds, of months or of unknown
 * spelling
 */
export function requireKeptInterval(interval: string, field: string): void {
  if (intervalToMs(interval) !== undefined) return;
  const refuse = (summary: string, expected = KEPT): ConfigError =>
    new ConfigError(summary, { field, value: interval, expected });
  if (/^\d+s$/i.test(interval))
    throw refuse("is an interval of seconds, which the store does not support");
  if (/^\d+mo$/i.test(interval))
    throw refuse(`is an interval of months, which the store does not support: ${NO_LENGTH}`);
  throw refuse("is not an interval", "an interval such as 1M (a minute), 15M, 1H, 1D or 1W");
}

/** @throws HistoryError for candles that the store does not keep, with their length in seconds */
function refuseUnkept(file: string, least: bigint, most: bigint): void {
  if (least % MINUTE_S !== 0n && least === most) {
    throw new HistoryError(
      file,
      `has candles of ${least} s, but the store does not support intervals of seconds`,
      {
        value: `${least} s`,
        expected: `candles of whole minutes, ${KEPT}, or the trades of the same time`,
      },
    );
  }
  if (isMonth(least) && isMonth(most)) {
    throw new HistoryError(
      file,
      `has candles of a month, but the store does not support intervals of months: ${NO_LENGTH}`,
      {
        value: `${least / DAY_S} days`,
        expected: `candles of ${KEPT}`,
      },
    );
  }
}

/**
 * Steps of a month's length mean monthly candles only if they begin on the first day of the month.
 */
function isMonth(seconds: bigint): boolean {
  return seconds >= MONTH_FROM_S && seconds <= MONTH_TO_S;
}

/**
 * @throws HistoryError if the smallest step is not in whole minutes, while the most common one is
 */
function refuseOff(file: string, least: bigint, usual: bigint | undefined): void {
  if (least % MINUTE_S === 0n || usual === undefined || usual % MINUTE_S !== 0n) return;
  throw new HistoryError(
    file,
    `has a candle that begins ${least} s after the one before, while most begin ${usual} s after it`,
    {
      value: `${least} s`,
      expected: "candles whose starts are whole intervals apart",
    },
  );
}

/** Files end a candle at its last millisecond or microsecond, or at the next one's start. */
function secondsOf(ns: unknown): bigint | undefined {
  return ns === null || ns === undefined ? undefined : ceilDivide(toBigInt(ns), SECOND_NS);
}
