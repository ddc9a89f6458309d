import { ceilDivide } from "../../../core/bigints.js";
import { ConfigError } from "../../../core/errors.js";
import { HistoryError } from "../../history-errors.js";
import { intervalFor, intervalName, intervalToMs } from "../../kinds.js";
import { plausibleTimes } from "../../staging/plausible-times.js";
import { type Duck, toBigInt } from "../../store/duck.js";
import type { ShapedFile } from "./shape.js";

/** A file of candles, before it is known how long each is. */
interface CandleFile {
  /** SQL that gives the kind's columns. */
  readonly select: string;
  /** SQL of how long each candle is, in nanoseconds as `length`, with its `timeNs`; absent where the file does not say. */
  readonly lengths?: string;
  /** For errors. */
  readonly file: string;
}

const SECOND_NS = 1_000_000_000n;
const MINUTE_S = 60n;
const DAY_S = 86_400n;
const [MONTH_FROM_S, MONTH_TO_S] = [28n * DAY_S, 31n * DAY_S];
const KEPT = "1M (a minute) to 1W (a week)";
const NO_LENGTH = "a month has no fixed length";

/**
 * Candles of the kind that is wished, or else of the interval that the file tells. Where it says no end of its candles that is the smallest step
 * between two: they cannot overlap, while the most common step is longer where quiet times have no candle.
 * @param kind such as `klines-1H`, or only the family
 * @returns undefined where nothing tells the interval
 * @throws HistoryError where the candles are of seconds or of months; ConfigError where they are not of the interval that is wished
 */
export async function withInterval(
  duck: Duck,
  { select, lengths, file }: CandleFile,
  kind: string,
): Promise<ShapedFile | undefined> {
  const wished = intervalFor(kind);
  if (wished !== "") requireKeptInterval(wished, "interval");
  const isPlausible = `NOT (${plausibleTimes("timeNs", "ns", "").broken})`;
  const isFirst = "day(make_timestamp(CAST(timeNs // 1000 AS BIGINT))) = 1";
  // A stamp that cannot be says nothing of the others; of a file in another unit none can be.
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
  // Where no end is told, candles of a wished interval may lie further apart than they last.
  const tellsLength = lengths !== undefined || wished === "";
  if (isTold && (tellsLength || least < MINUTE_S)) {
    if (lengths === undefined) refuseOff(file, least, secondsOf(found.usual));
    if (!isMonth(least) || found.monthly === true)
      refuseUnkept(file, least, lengths === undefined ? least : most);
  }
  const tells = isTold && (lengths === undefined ? !isMonth(least) : least === most);
  const told = tells ? intervalName(Number(least) * 1000) : undefined;
  if (wished === "")
    return told === undefined ? undefined : { kind: `${kind}-${told}`, select, findings: [] };
  const lasts = BigInt((intervalToMs(wished) as number) / 1000);
  const fits =
    !isTold ||
    (lengths === undefined
      ? lasts <= least
      : wished === told || (lasts === least && lasts === most));
  if (fits) return { kind, select, findings: [] };
  throw new ConfigError(`is not what the candles of ${file} are of`, {
    field: "interval",
    value: wished,
    expected:
      lengths === undefined
        ? `${told ?? `${least} s`} or less, since some begin so long after each other`
        : (told ?? `one interval, and not from ${least} to ${most} s`),
  });
}

/** Checks an interval that a user names for candles. @throws ConfigError naming the field, for one of seconds, of months or of no known spelling */
export function requireKeptInterval(interval: string, field: string): void {
  if (intervalToMs(interval) !== undefined) return;
  const refuse = (summary: string, expected = KEPT): ConfigError =>
    new ConfigError(summary, { field, value: interval, expected });
  if (/^\d+s$/i.test(interval)) throw refuse("is of seconds, which are not kept");
  if (/^\d+mo$/i.test(interval)) throw refuse(`is of months, which are not kept: ${NO_LENGTH}`);
  throw refuse("is not an interval", "an interval such as 1M (a minute), 15M, 1H, 1D or 1W");
}

/** @throws HistoryError for candles that the store does not keep, with their length in seconds */
function refuseUnkept(file: string, least: bigint, most: bigint): void {
  if (least % MINUTE_S !== 0n && least === most) {
    throw new HistoryError(
      file,
      `has candles of ${least} s, and intervals of seconds are not kept`,
      {
        value: `${least} s`,
        expected: `candles of whole minutes, ${KEPT}, or the trades of the same time`,
      },
    );
  }
  if (isMonth(least) && isMonth(most)) {
    throw new HistoryError(
      file,
      `has candles of a month, and intervals of months are not kept: ${NO_LENGTH}`,
      {
        value: `${least / DAY_S} days`,
        expected: `candles of ${KEPT}`,
      },
    );
  }
}

/** Steps of a month are those of candles of a month only where they begin on the first day of it. */
function isMonth(seconds: bigint): boolean {
  return seconds >= MONTH_FROM_S && seconds <= MONTH_TO_S;
}

/** @throws HistoryError where the smallest step is not of whole minutes, while the most common one is */
function refuseOff(file: string, least: bigint, usual: bigint | undefined): void {
  if (least % MINUTE_S === 0n || usual === undefined || usual % MINUTE_S !== 0n) return;
  throw new HistoryError(
    file,
    `has a candle that begins ${least} s after the one before, while most begin ${usual} s after it`,
    {
      value: `${least} s`,
      expected: "candles that begin whole intervals after each other",
    },
  );
}

/** Files end a candle at the last millisecond or microsecond of it, or at the next one's start. */
function secondsOf(ns: unknown): bigint | undefined {
  return ns === null || ns === undefined ? undefined : ceilDivide(toBigInt(ns), SECOND_NS);
}
