import { RunError } from "../../core/errors.js";
import { makeFolder } from "../../core/files/make-folder.js";
import { toDiskError } from "./to-disk-error.js";

/**
 * Creates a folder of a store, with its parents.
 * @throws RunError naming the folder if it cannot be created
 */
export function makeStoreFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    throw (
      toDiskError(cause, folder) ??
      new RunError("cannot be created", {
        field: folder,
        expected: "a path in a writable folder, where no file has this name",
        cause,
      })
    );
  }
}
