import type { RecordChange, RecordStore } from "#simulator/record-store.js";

/** Records in memory, with the content that a process killed between two commits leaves. */
export class MemoryRecords implements RecordStore {
  readonly place = "memory";
  readonly texts: Map<string, string>;
  /** Keys by their part before the last slash, since a list is removed from its beginning. */
  readonly #lists = new Map<string, Set<string>>();

  constructor(texts: ReadonlyMap<string, string> = new Map()) {
    this.texts = new Map(texts);
    for (const key of texts.keys()) {
      this.#list(key).add(key);
    }
  }

  /** The records that a process starting now would find. */
  copy(): MemoryRecords {
    return new MemoryRecords(this.texts);
  }

  withPrefix(prefix: string): (readonly [string, string])[] {
    return [...this.texts]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  commit({ puts, removed, removedRanges }: RecordChange): void {
    for (const { from, to } of removedRanges) {
      // A list grows at its end, so earlier keys come first.
      for (const key of this.#list(from)) {
        if (key >= to) {
          break;
        }
        this.#remove(key);
      }
    }
    for (const key of removed) {
      this.#remove(key);
    }
    for (const [key, text] of puts) {
      this.texts.set(key, text);
      this.#list(key).add(key);
    }
  }

  #remove(key: string): void {
    this.texts.delete(key);
    this.#list(key).delete(key);
  }

  #list(key: string): Set<string> {
    const name = key.slice(0, key.lastIndexOf("/") + 1);
    const list = this.#lists.get(name) ?? new Set();
    this.#lists.set(name, list);
    return list;
  }
}
