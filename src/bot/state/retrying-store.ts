import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { SetAside } from "./set-aside.js";
import type { StateStore } from "./state-dir.js";

/** A text of the state directory that could not be written. */
export interface UnwrittenText {
  readonly name: string;
  /** The file system's error at the last attempt. */
  readonly error: unknown;
  /** Since when its newest version is in memory alone, on the monotonic clock. */
  readonly sinceMs: Ms;
}

/** Options of a {@link RetryingStore}. */
export interface RetryingStoreOptions {
  readonly store: StateStore;
  readonly clock: Clock;
  /** How long a text may stay unwritten. */
  readonly givesUpAfterMs: Ms;
  /** Called when a text cannot be written for the first time, and again when it can. */
  readonly onChange: (text: UnwrittenText, isWritten: boolean) => void;
  /** Called once, when a text has stayed unwritten for too long. */
  readonly onGivenUp: (text: UnwrittenText) => void;
}

type Way = "writeBehind" | "writeLater";

/**
 * A state directory whose repeated texts (heartbeat, spent tokens, peak) may fail for a moment: a
 * disk that is full, or a process that is out of file descriptors, for 100 ms does not end the bot.
 * Each such text is retried at every later write. Records that must not be lost (`append`, `write`)
 * and the first version of each text fail at once, as they do in the store itself.
 */
export class RetryingStore implements StateStore {
  readonly #options: RetryingStoreOptions;
  readonly #store: StateStore;
  readonly #written = new Set<string>();
  readonly #unwritten = new Map<
    string,
    UnwrittenText & { readonly text: string; readonly way: Way }
  >();
  #isGivenUp = false;

  constructor(options: RetryingStoreOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  get isDiscarded(): boolean {
    return this.#store.isDiscarded === true;
  }

  names(): readonly string[] {
    return this.#store.names();
  }

  read(name: string): string | undefined {
    return this.#store.read(name);
  }

  readTail(name: string, maxBytes: number): string | undefined {
    return this.#store.readTail(name, maxBytes);
  }

  write(name: string, text: string): void {
    this.#store.write(name, text);
    this.#noteWritten(name);
  }

  writeBehind(name: string, text: string): void {
    this.#tryAll(name, text, "writeBehind");
  }

  writeLater(name: string, text: string): void {
    this.#tryAll(name, text, "writeLater");
  }

  append(name: string, line: string): void {
    this.#store.append(name, line);
  }

  setAside(folder: string, names: readonly string[]): SetAside {
    return this.#store.setAside(folder, names);
  }

  takeBack(folder: string): readonly string[] {
    return this.#store.takeBack(folder);
  }

  close(): void {
    this.#store.close();
  }

  #tryAll(name: string, text: string, way: Way): void {
    this.#try(name, text, way);
    for (const other of [...this.#unwritten.values()])
      if (other.name !== name) this.#try(other.name, other.text, other.way);
  }

  #try(name: string, text: string, way: Way): void {
    try {
      this.#store[way](name, text);
    } catch (error) {
      if (!this.#written.has(name)) throw error;
      this.#noteUnwritten(name, text, way, error);
      return;
    }
    this.#noteWritten(name);
  }

  #noteWritten(name: string): void {
    this.#written.add(name);
    const before = this.#unwritten.get(name);
    if (before === undefined) return;
    this.#unwritten.delete(name);
    this.#options.onChange(before, true);
  }

  #noteUnwritten(name: string, text: string, way: Way, error: unknown): void {
    const { clock, givesUpAfterMs, onChange, onGivenUp } = this.#options;
    const before = this.#unwritten.get(name);
    const sinceMs = before?.sinceMs ?? clock.monotonicMs();
    const unwritten = { name, text, way, error, sinceMs };
    this.#unwritten.set(name, unwritten);
    if (before === undefined) onChange(unwritten, false);
    if (this.#isGivenUp || clock.monotonicMs() - sinceMs < givesUpAfterMs) return;
    this.#isGivenUp = true;
    onGivenUp(unwritten);
  }
}
