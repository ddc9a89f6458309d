import { isHaltFile } from "./manual-halt-store.js";
import type { SetAside } from "./set-aside.js";
import type { StateStore } from "./state-dir.js";

/**
 * A state without the manual halts. Halts of the live bot do not apply to a dry run, and halts
 * given to a dry run do not apply to a live one.
 */
export class DryRunStateStore implements StateStore {
  readonly #store: StateStore;

  constructor(store: StateStore) {
    this.#store = store;
  }

  names(): readonly string[] {
    return this.#store.names().filter((name) => !isHaltFile(name));
  }

  read(name: string): string | undefined {
    return isHaltFile(name) ? undefined : this.#store.read(name);
  }

  readTail(name: string, maxBytes: number): string | undefined {
    return isHaltFile(name) ? undefined : this.#store.readTail(name, maxBytes);
  }

  write(name: string, text: string): void {
    if (!isHaltFile(name)) this.#store.write(name, text);
  }

  writeBehind(name: string, text: string): void {
    if (!isHaltFile(name)) this.#store.writeBehind(name, text);
  }

  writeLater(name: string, text: string): void {
    if (!isHaltFile(name)) this.#store.writeLater(name, text);
  }

  append(name: string, line: string): void {
    if (!isHaltFile(name)) this.#store.append(name, line);
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
}
