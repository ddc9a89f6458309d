import { absolute } from "../../core/bigints.js";
import { instantText, nsToMs } from "../day.js";
import { HistoryError } from "../history-errors.js";
import type { ShapedFile } from "../import/formats/shape.js";
import { type HistoryKind, layoutFor } from "../kinds.js";
import { type Duck, literal, toBigInt } from "../store/duck.js";
import { withReadErrors } from "./decimal-places.js";

/** The known facts about a recorder's clock. */
export interface ClockOptions {
  /**
   * The sequence numbers in the capture at which another recording begins, each with a separate
   * clock.
   */
  readonly partsAt: readonly bigint[];
  /** Nanoseconds of latency of the fastest message after a correction. */
  readonly baseLatencyNs: bigint;
  /** Nanoseconds to add to every local stamp, instead of the value from the data. */
  readonly offsetNs?: bigint;
}

/** The correction of the local stamps of one part of a capture. */
export interface ClockPart {
  readonly fromSeq: bigint;
  readonly addedNs: bigint;
  /** Smallest local minus exchange time before the correction. */
  readonly smallestNs: bigint;
  /** True if the user chose the correction. */
  readonly isByHand?: true | undefined;
}

/**
 * The largest plausible difference between local and exchange stamps. A larger one comes from a
 * wrong unit or time zone, not from a clock or latency.
 */
const MOST_SHIFT_NS = 15n * 60n * 1_000_000_000n;
/** A difference above this is unusual. */
const ODD_SHIFT_NS = 10n * 1_000_000_000n;

/**
 * The reason to doubt local stamps that lie so far from the exchange's; undefined if there is none.
 * @param shiftNs local minus exchange time
 */
function oddShift(shiftNs: bigint): string | undefined {
  const isBefore = shiftNs < 0n;
  const distanceNs = isBefore ? -shiftNs : shiftNs;
  if (distanceNs <= ODD_SHIFT_NS) return undefined;
  // The smallest difference is the farthest before, or the nearest after.
  const lie = isBefore ? `up to ${placeOf(shiftNs)}` : `at least ${placeOf(shiftNs)}`;
  return `local times are ${lie}, more than a clock or a connection can explain`;
}

/**
 * The distance of a local stamp from the exchange's, in words.
 * @param shiftNs local minus exchange time
 */
function placeOf(shiftNs: bigint): string {
  const distanceNs = absolute(shiftNs);
  return `${Number(distanceNs / 1_000_000n) / 1000} s ${shiftNs < 0n ? "before" : "after"} the exchange's`;
}

/** The findings about clocks that were corrected by the data, one per part. */
export function clockFindings(
  parts: readonly Pick<ClockPart, "smallestNs" | "isByHand">[],
): string[] {
  const odd = parts.flatMap(({ smallestNs, isByHand }) =>
    isByHand === true ? [] : (oddShift(smallestNs) ?? []),
  );
  return [...new Set(odd)];
}

/** A file of a capture, with its path for errors. */
interface CaptureFile {
  readonly file: string;
  readonly shaped: ShapedFile;
}

/**
 * Cleans a recorder's clock as hftbacktest does (docs/guides/import-history.md#clocks). Let m be
 * the smallest difference of local and exchange time over all files of a capture. If m is below
 * zero, every local stamp gets -m plus the base latency. Files of one capture share their clock,
 * and so their m.
 * @returns one correction for each part with local stamps.
 * @throws HistoryError when a file cannot be read
 */
export async function cleanClocks(
  duck: Duck,
  files: readonly CaptureFile[],
  options: ClockOptions,
): Promise<readonly ClockPart[]> {
  const starts = [0n, ...[...options.partsAt].sort((one, other) => (one < other ? -1 : 1))];
  const smallest = new Map<bigint, bigint>();
  for (const { file, shaped } of files) {
    if (!isStamped(shaped.kind)) continue;
    const selected = starts.map((start, index) => {
      const end = starts[index + 1];
      return `min(recvNs - timeNs) FILTER (seq >= ${start}${end === undefined ? "" : ` AND seq < ${end}`}) AS part_${index}`;
    });
    const found = await withReadErrors(file, () =>
      duck.row(`SELECT ${selected.join(", ")} FROM (${shaped.select})`),
    );
    for (const [index, start] of starts.entries()) {
      const value = found[`part_${index}`];
      if (value === null || value === undefined) continue;
      const here = toBigInt(value);
      const before = smallest.get(start);
      if (before === undefined || here < before) smallest.set(start, here);
    }
  }
  const parts: ClockPart[] = [];
  for (const start of starts) {
    const smallestNs = smallest.get(start);
    if (smallestNs === undefined) {
      if (start === 0n || smallest.size === 0) continue;
      throw new HistoryError(
        files.map(({ file }) => file).join(", "),
        `no row is recorded from position ${start} on`,
        {
          expected: "positions in the capture at which another recording begins",
        },
      );
    }
    const addedNs = options.offsetNs ?? (smallestNs < 0n ? options.baseLatencyNs - smallestNs : 0n);
    parts.push({
      fromSeq: start,
      addedNs,
      smallestNs,
      ...(options.offsetNs === undefined ? {} : { isByHand: true }),
    });
  }
  return parts;
}

/**
 * Refuses files of other recorders whose local stamps no clock explains, or whose few outliers lie
 * far before all other stamps, unless the user chose a correction. Shifting all stamps would hide
 * that they have another meaning, or delay all for the sake of a few. Our own recordings know their
 * clock.
 * @throws HistoryError naming those of the files that have such stamps
 */
export async function refuseImplausibleClocks(
  duck: Duck,
  files: readonly CaptureFile[],
  parts: readonly ClockPart[],
): Promise<void> {
  for (const [index, part] of parts.entries()) {
    const { smallestNs, isByHand } = part;
    if (isByHand === true) continue;
    if (smallestNs < -ODD_SHIFT_NS) await refuseApart(duck, files, part, parts[index + 1]?.fromSeq);
    if (smallestNs >= -MOST_SHIFT_NS && smallestNs <= MOST_SHIFT_NS) continue;
    const names = files.filter(({ shaped }) => isStamped(shaped.kind)).map(({ file }) => file);
    throw new HistoryError(names.join(", "), oddShift(smallestNs) ?? "", {
      value: `${smallestNs} ns`,
      expected:
        "local times within 15 minutes of the exchange's, in UTC and in the right unit (--recv-time-unit); --clock-offset-ns if the clock was off",
    });
  }
}

/**
 * Refuses a part of a capture if fewer than half of its local stamps lie far before the others, and
 * the clock of the others is right or slightly off.
 */
async function refuseApart(
  duck: Duck,
  files: readonly CaptureFile[],
  { fromSeq, smallestNs }: ClockPart,
  endSeq?: bigint,
): Promise<void> {
  const stamped = files.filter(({ shaped }) => isStamped(shaped.kind));
  const all = stamped.map(
    ({ file, shaped }) =>
      `SELECT ${literal(file)} AS file, timeNs, recvNs - timeNs AS shiftNs, seq FROM (${shaped.select})`,
  );
  const part = `(FROM (${all.join(" UNION ALL ")}) WHERE seq >= ${fromSeq}${endSeq === undefined ? "" : ` AND seq < ${endSeq}`})`;
  const names = stamped.map(({ file }) => file).join(", ");
  const row = (sql: string) => withReadErrors(names, () => duck.row(sql));
  const { middle } = await row(
    `SELECT CAST(approx_quantile(shiftNs, 0.5) AS BIGINT) AS middle FROM ${part}`,
  );
  const middleNs = toBigInt(middle);
  if (middleNs < -MOST_SHIFT_NS || middleNs - smallestNs <= ODD_SHIFT_NS) return;
  const isApart = `shiftNs < ${middleNs - ODD_SHIFT_NS}`;
  const { apart, rows, rest, apartFiles, first } = await row(
    `SELECT count(*) FILTER (${isApart}) AS apart, count(*) AS rows, min(shiftNs) FILTER (NOT ${isApart}) AS rest, string_agg(DISTINCT file, ', ' ORDER BY file) FILTER (${isApart}) AS apartFiles, min(timeNs) FILTER (${isApart}) AS first FROM ${part}`,
  );
  const [count, total] = [toBigInt(apart), toBigInt(rows)];
  throw new HistoryError(
    String(apartFiles),
    `${count} of ${total} local times are up to ${placeOf(smallestNs)}, but the other ${total - count} are not: the farthest of them is ${placeOf(toBigInt(rest))}`,
    {
      value: `${smallestNs} ns; the first of them is at ${instantText(nsToMs(toBigInt(first)))}`,
      expected:
        "local times of one clock, since no correction fits all of them: correct or remove those rows, or give the positions at which another recording begins (--clock-parts)",
    },
  );
}

function isStamped(kind: HistoryKind): boolean {
  return layoutFor(kind).columns.some(({ name }) => name === "recvNs");
}

/** SQL of the correction of a row's local stamp. */
export function shiftSql(parts: readonly ClockPart[]): string {
  const cases = [...parts]
    .reverse()
    .map(({ fromSeq, addedNs }) => `WHEN seq >= ${fromSeq} THEN ${addedNs}`);
  return cases.length === 0 ? "0" : `CASE ${cases.join(" ")} ELSE 0 END`;
}
