import { createHash } from "node:crypto";
import type { MarketId } from "../../core/units.js";
import type { Day } from "../day.js";
import type { Mapping } from "../import/formats/mapping.js";
import type { ShapedFile } from "../import/formats/shape.js";
import type { ClockOptions } from "../staging/clean-clocks.js";
import type { Repaired } from "../staging/repair-rows.js";
import type { SourceNote } from "./day-manifest.js";
import type { HistoryStore } from "./history-store.js";

/** The import settings of a file, as far as they affect its rows. */
export interface Reading {
  readonly shaped: Pick<ShapedFile, "shape" | "ofMarket">;
  readonly mapping: Mapping | undefined;
  readonly repaired: Repaired;
  /** Absent if no local stamp is corrected. */
  readonly clock?: ClockOptions | undefined;
}

/**
 * Returns the SHA-256 of a reading, equal for settings that give the same rows of one file. Repairs
 * count by their effect, so an option that changed nothing does not matter.
 */
export function hashReading({
  shaped: { shape, ofMarket },
  mapping,
  repaired: { rounded, dropped },
  clock,
}: Reading): string {
  const { columns = {}, timeUnit, recvTimeUnit = timeUnit } = mapping ?? {};
  const named = Object.entries(columns).sort(([one], [other]) => (one < other ? -1 : 1));
  const clockSettings =
    clock === undefined
      ? []
      : [clock.partsAt.map(String), String(clock.baseLatencyNs), String(clock.offsetNs ?? "")];
  const parts = [
    shape ?? null,
    ofMarket ?? null,
    named,
    timeUnit ?? null,
    recvTimeUnit ?? null,
    rounded,
    dropped,
    clockSettings,
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/**
 * True if a source of a day is the same file in another reading; false for earlier versions, which
 * stored no reading.
 */
function isReadOtherwise(
  held: Pick<SourceNote, "sha256" | "reading">,
  { sha256, reading }: Pick<SourceNote, "sha256" | "reading">,
): boolean {
  return (
    sha256 !== undefined &&
    held.sha256 === sha256 &&
    held.reading !== undefined &&
    held.reading !== reading
  );
}

/** The days of a series that still hold the file in another reading, ascending. */
export function findDaysReadOtherwise(
  store: HistoryStore,
  { market, kind }: { readonly market: MarketId; readonly kind: string },
  source: Pick<SourceNote, "sha256" | "reading">,
): Day[] {
  const { days } = store.inspect({ market, kind });
  return days
    .filter(({ sources }) => sources.some((held) => isReadOtherwise(held, source)))
    .map(({ day }) => day);
}
