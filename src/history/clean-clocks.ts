import { type Duck, wholeOf } from "./duck.js";
import { HistoryError } from "./history-errors.js";
import { layoutOf } from "./kinds.js";
import { reading } from "./measure.js";
import type { ShapedFile } from "./sources/shape.js";

/** What is known of a recorder's clock. */
export interface ClockWish {
  /** The places in the capture at which another recording begins, each with a clock of its own. */
  readonly partsAt: readonly bigint[];
  /** Latency that the fastest message is given after a correction. */
  readonly baseLatencyNs: bigint;
  /** What to add to every local stamp, instead of what the data say. */
  readonly offsetNs?: bigint;
}

/** What is added to the local stamps of one part of a capture. */
export interface ClockPart {
  readonly fromSeq: bigint;
  readonly addedNs: bigint;
  /** Smallest local less exchange time before the correction. */
  readonly smallestNs: bigint;
}

/** A file of a capture, by its path for errors. */
export interface CaptureFile {
  readonly file: string;
  readonly shaped: ShapedFile;
}

/**
 * Cleans a recorder's clock as hftbacktest does (backtest rules, B1): with m the smallest of local less exchange time over all files of
 * a capture, where m is below zero every local stamp gets -m and the base latency. Files of one capture share their clock, and so their m.
 * @returns one correction a part that has local stamps.
 * @throws HistoryError when a file cannot be read
 */
export async function cleanClocks(duck: Duck, files: readonly CaptureFile[], wish: ClockWish): Promise<readonly ClockPart[]> {
  const starts = [0n, ...[...wish.partsAt].sort((one, other) => (one < other ? -1 : 1))];
  const smallest = new Map<bigint, bigint>();
  for (const { file, shaped } of files) {
    if (!layoutOf(shaped.kind).columns.some(({ name }) => name === "recvNs")) continue;
    const asked = starts.map((start, index) => {
      const end = starts[index + 1];
      return `min(recvNs - timeNs) FILTER (seq >= ${start}${end === undefined ? "" : ` AND seq < ${end}`}) AS part_${index}`;
    });
    const found = await reading(file, () => duck.row(`SELECT ${asked.join(", ")} FROM (${shaped.select})`));
    for (const [index, start] of starts.entries()) {
      const value = found[`part_${index}`];
      if (value === null || value === undefined) continue;
      const here = wholeOf(value);
      const before = smallest.get(start);
      if (before === undefined || here < before) smallest.set(start, here);
    }
  }
  const parts: ClockPart[] = [];
  for (const start of starts) {
    const smallestNs = smallest.get(start);
    if (smallestNs === undefined) {
      if (start === 0n || smallest.size === 0) continue;
      throw new HistoryError(files.map(({ file }) => file).join(", "), `no row is recorded from place ${start} on`, {
        expected: "places of the capture at which another recording begins",
      });
    }
    const addedNs = wish.offsetNs ?? (smallestNs < 0n ? wish.baseLatencyNs - smallestNs : 0n);
    parts.push({ fromSeq: start, addedNs, smallestNs });
  }
  return parts;
}

/** SQL of what a row's local stamp gets. */
export function shiftSql(parts: readonly ClockPart[]): string {
  const cases = [...parts].reverse().map(({ fromSeq, addedNs }) => `WHEN seq >= ${fromSeq} THEN ${addedNs}`);
  return cases.length === 0 ? "0" : `CASE ${cases.join(" ")} ELSE 0 END`;
}
