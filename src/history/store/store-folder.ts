import { RunError } from "../../core/errors.js";
import { makeFolder } from "../../core/files/make-folder.js";
import { toDiskError } from "./to-disk-error.js";

/** Makes a folder of a store, with those above it. @throws RunError naming it where it cannot be made */
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
