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
      new RunError("cannot be made", {
        field: folder,
        expected: "a path below a folder that may be written to, with no file in its way",
        cause,
      })
    );
  }
}
