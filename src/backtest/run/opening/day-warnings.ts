import { Decimal } from "decimal.js";
import type { MarketId } from "../../../core/units.js";
import type { SourceDay } from "../../../history/columns/source-day.js";
import { clockFindings } from "../../../history/staging/clean-clocks.js";
import { cutSnapshotsText } from "../../../history/staging/left-out-gaps.js";
import type { DayManifest } from "../../../history/store/day-manifest.js";

/** A market's steps in a run. */
interface RunGrid {
  readonly tickSize: string;
  readonly stepSize: string;
}

/** Warnings about the local clocks of days that were corrected on opening, as text. */
export function clockWarnings(marketId: MarketId, days: readonly SourceDay[]): string[] {
  const texts = days.flatMap(({ tape }) =>
    clockFindings([{ smallestNs: -BigInt(tape.footer.addedLocalNs) }]),
  );
  return [...new Set(texts)].map((text) => `${marketId}: ${text}`);
}

/**
 * Warnings against a run from the store's notes of the played days, as text, each with its days.
 */
export function dayWarnings(
  marketId: MarketId,
  days: readonly DayManifest[],
  grid: RunGrid,
): string[] {
  return eachWithDays(marketId, days, (manifest) => doubtsOf(manifest, grid));
}

/**
 * Numbers that were rounded and rows that were left out in the source files of the days, as text,
 * each with its days.
 */
export function repairWarnings(marketId: MarketId, days: readonly DayManifest[]): string[] {
  return eachWithDays(marketId, days, ({ sources }) => {
    const texts = sources.flatMap(({ name, rounded = 0, dropped = 0, cutSnapshots = 0 }) => [
      ...(rounded === 0
        ? []
        : [
            `${rounded} ${rounded === 1 ? "number" : "numbers"} of ${name} rounded at the import (--round)`,
          ]),
      ...(dropped === 0
        ? []
        : [
            `${dropped} ${dropped === 1 ? "row" : "rows"} of ${name} left out at the import (--drop-bad-rows)`,
          ]),
      ...(cutSnapshots === 0 ? [] : [`${cutSnapshotsText(cutSnapshots)} (${name})`]),
    ]);
    return new Set(texts);
  });
}

function eachWithDays(
  marketId: MarketId,
  days: readonly DayManifest[],
  textsOf: (day: DayManifest) => ReadonlySet<string>,
): string[] {
  const daysOf = new Map<string, string[]>();
  for (const manifest of days) {
    for (const doubt of textsOf(manifest)) {
      const text = `${marketId} ${manifest.kind}: ${doubt}`;
      daysOf.set(text, [...(daysOf.get(text) ?? []), manifest.day]);
    }
  }
  return [...daysOf].map(
    ([text, [first, ...rest]]) =>
      `${text} (${rest.length === 0 ? first : `${first} to ${rest.at(-1)}`})`,
  );
}

function doubtsOf({ sources, grid }: DayManifest, run: RunGrid): Set<string> {
  const found = new Set<string>();
  for (const { isInContracts, clock = [] } of sources) {
    if (isInContracts === true)
      found.add("its amounts count contracts, and each contract is counted as one base unit");
    const parts = clock.map(({ smallestNs, isByHand }) => ({
      smallestNs: BigInt(smallestNs),
      isByHand,
    }));
    for (const text of clockFindings(parts)) found.add(text);
  }
  if (grid === undefined) return found;
  const isFiner = (one: string, other: string): boolean => new Decimal(one).lt(other);
  if (isFiner(run.tickSize, grid.tickSize))
    found.add(`a tick of ${run.tickSize} is finer than the exchange's, ${grid.tickSize}`);
  if (isFiner(run.stepSize, grid.stepSize))
    found.add(`a step of ${run.stepSize} is finer than the exchange's, ${grid.stepSize}`);
  return found;
}
