import { rmSync } from "node:fs";

/** Removes what could not be written, if that can be done: why it could not is what is told. */
export function discardFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It is removed before the next one is written.
  }
}
