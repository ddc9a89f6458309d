import { ConfigError } from "../../core/errors.js";
import { type Duck, wholeOf } from "../duck.js";
import { intervalMsOf, intervalName, intervalOf } from "../kinds.js";
import type { ShapedFile } from "./shape.js";

/** A file of candles, before it is known how long each is. */
export interface CandleFile {
  /** SQL that gives the kind's columns. */
  readonly select: string;
  /** SQL of how long each candle is, in nanoseconds as `length`; absent where the file does not say. */
  readonly lengths?: string;
  /** For errors. */
  readonly file: string;
}

const SECOND_NS = 1_000_000_000n;
const DAY_S = 86_400n;
const MONTH = "1MO";
const [MONTH_FROM_S, MONTH_TO_S] = [28n * DAY_S, 31n * DAY_S];

/**
 * Candles of the kind that is wished, or else of the interval that the file tells. Where it says no end of its candles that is the smallest step
 * between two: they cannot overlap, while the most common step is longer where quiet times have no candle.
 * @param kind such as `klines-1H`, or only the family
 * @returns undefined where nothing tells the interval
 * @throws ConfigError where the file's candles are not of the interval that is wished
 */
export async function withInterval(duck: Duck, { select, lengths, file }: CandleFile, kind: string): Promise<ShapedFile | undefined> {
  const steps = `SELECT timeNs - lag(timeNs) OVER (ORDER BY timeNs) AS length FROM (${select})`;
  const found = await duck.row(`SELECT min(length) AS least, max(length) AS most FROM (${lengths ?? steps}) WHERE length > 0`);
  const [least, most] = [secondsOf(found.least), secondsOf(found.most)];
  const isTold = least !== undefined && most !== undefined;
  const told = isTold ? nameOf(least, lengths === undefined ? least : most) : undefined;
  if (!kind.includes("klines-")) return told === undefined ? undefined : { kind: `${kind}-${told}`, select, findings: [] };
  const wished = intervalOf(kind);
  const lasts = secondsOfInterval(wished);
  const fits = !isTold || (lengths === undefined ? lasts <= least : wished === told || (lasts === least && lasts === most));
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

/** Files end a candle at the last millisecond or microsecond of it, or at the next one's start. */
function secondsOf(ns: unknown): bigint | undefined {
  return ns === null || ns === undefined ? undefined : (wholeOf(ns) + SECOND_NS - 1n) / SECOND_NS;
}

function nameOf(least: bigint, most: bigint): string | undefined {
  if (least >= MONTH_FROM_S && most <= MONTH_TO_S) return MONTH;
  return least === most ? intervalName(Number(least) * 1000) : undefined;
}

function secondsOfInterval(interval: string): bigint {
  const ms = intervalMsOf(interval);
  return ms === undefined ? MONTH_FROM_S : BigInt(ms / 1000);
}
