import { renameSync, rmSync } from "node:fs";
import { renameDurably, replaceFile } from "../../core/files/atomic-file.js";
import type { Day } from "../day.js";
import { type DayManifest, manifestText } from "./day-manifest.js";
import type { HistoryStore, Series } from "./history-store.js";

interface PendingDay {
  readonly manifest: DayManifest;
  readonly path: string;
}

/**
 * A store as it will be once days go into it that are written beside it by now: whatever does not agree is found before the first of them is
 * in the store. Who writes holds the locks of all their series until {@link commit}.
 */
export class PendingDays {
  readonly #store: HistoryStore;
  readonly #replaces: boolean;
  readonly #pending = new Map<string, PendingDay>();
  #paths = 0;

  /** @param replaces what the store has of a day that is written is dropped. */
  constructor(store: HistoryStore, replaces = false) {
    this.#store = store;
    this.#replaces = replaces;
  }

  /** What a day will hold before what is written next; undefined for nothing. @throws HistoryError naming a file that is broken */
  day(series: Series, day: Day): DayManifest | undefined {
    return (
      this.#pending.get(keyOf(series, day))?.manifest ??
      (this.#replaces ? undefined : this.#store.day(series, day))
    );
  }

  /** The file of what {@link day} gives. */
  dataPath(series: Series, day: Day): string {
    return this.#pending.get(keyOf(series, day))?.path ?? this.#store.dataPath(series, day);
  }

  /** @throws HistoryError naming a file of the store that is broken */
  async verify(manifest: DayManifest): Promise<void> {
    if (this.#pending.get(keyOf(manifest, manifest.day))?.manifest !== manifest)
      await this.#store.verify(manifest);
  }

  /** Where the next version of a day is written: a name that no other has, and that the store takes away where this process ends. */
  nextPath(series: Series, day: Day): string {
    this.#paths += 1;
    return this.#store.nextPath(series, day).replace(/next$/, `${this.#paths}.next`);
  }

  /** Has a day be what was written to a path of {@link nextPath}, which is on the disk by then. */
  put(manifest: DayManifest, path: string): void {
    const key = keyOf(manifest, manifest.day);
    const before = this.#pending.get(key);
    this.#pending.set(key, { manifest, path });
    if (before !== undefined) rmSync(before.path);
  }

  /** Puts all of them into the store, each whole or not at all. @throws Error of the system */
  commit(): void {
    for (const [key, { manifest, path }] of this.#pending) {
      const nextPath = this.#store.nextPath(manifest, manifest.day);
      renameSync(path, nextPath);
      replaceFile(this.#store.manifestPath(manifest, manifest.day), manifestText(manifest));
      // From here on the next writer puts the file in place if this one cannot.
      this.#pending.delete(key);
      renameDurably(nextPath, this.#store.dataPath(manifest, manifest.day));
    }
  }

  /** Takes away what is not in the store. */
  drop(): void {
    for (const { path } of this.#pending.values()) rmSync(path, { force: true });
    this.#pending.clear();
  }
}

function keyOf({ market, kind }: Series, day: Day): string {
  return `${market}/${kind}/${day}`;
}
