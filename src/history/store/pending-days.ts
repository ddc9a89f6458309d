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
 * A store with the days that are being written beside it, so that conflicts are found before the
 * first of them enters the store. The writer holds the locks of all their series until {@link
 * commit}.
 */
export class PendingDays {
  readonly #store: HistoryStore;
  readonly #replaces: boolean;
  readonly #pending = new Map<string, PendingDay>();
  #paths = 0;

  /** @param replaces drops the existing data of a written day. */
  constructor(store: HistoryStore, replaces = false) {
    this.#store = store;
    this.#replaces = replaces;
  }

  /**
   * The contents of a day before the next write; undefined if it is empty.
   * @throws HistoryError naming a file that is broken
   */
  day(series: Series, day: Day): DayManifest | undefined {
    return (
      this.#pending.get(keyOf(series, day))?.manifest ??
      (this.#replaces ? undefined : this.#store.day(series, day))
    );
  }

  /** The file of the day that {@link day} returns. */
  dataPath(series: Series, day: Day): string {
    return this.#pending.get(keyOf(series, day))?.path ?? this.#store.dataPath(series, day);
  }

  /** @throws HistoryError naming a file of the store that is broken */
  async verify(manifest: DayManifest): Promise<void> {
    if (this.#pending.get(keyOf(manifest, manifest.day))?.manifest !== manifest)
      await this.#store.verify(manifest);
  }

  /**
   * A unique path for the next version of a day. The store deletes the file if this process ends.
   */
  nextPath(series: Series, day: Day): string {
    this.#paths += 1;
    return this.#store.nextPath(series, day).replace(/next$/, `${this.#paths}.next`);
  }

  /** Sets a day to the file at a path of {@link nextPath}, which is synced to disk by then. */
  put(manifest: DayManifest, path: string): void {
    const key = keyOf(manifest, manifest.day);
    const before = this.#pending.get(key);
    this.#pending.set(key, { manifest, path });
    if (before !== undefined) rmSync(before.path);
  }

  /** Puts all days into the store, each completely or not at all. @throws Error of the system */
  commit(): void {
    for (const [key, { manifest, path }] of this.#pending) {
      const nextPath = this.#store.nextPath(manifest, manifest.day);
      renameSync(path, nextPath);
      replaceFile(this.#store.manifestPath(manifest, manifest.day), manifestText(manifest));
      // From here on the next writer puts the file in place if this process fails to.
      this.#pending.delete(key);
      renameDurably(nextPath, this.#store.dataPath(manifest, manifest.day));
    }
  }

  /** Deletes the days that are not in the store. */
  drop(): void {
    for (const { path } of this.#pending.values()) rmSync(path, { force: true });
    this.#pending.clear();
  }
}

function keyOf({ market, kind }: Series, day: Day): string {
  return `${market}/${kind}/${day}`;
}
