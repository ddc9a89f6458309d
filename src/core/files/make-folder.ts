import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { readPathKind } from "./path-kind.js";

/**
 * Makes a folder that only its owner may enter, with those above it. Folder by folder: Node's own recursion never ends below a
 * folder that takes none, such as /proc.
 * @throws Error of the system, or one that says that a file lies at the path.
 */
export function makeFolder(directory: string): void {
  const kind = readPathKind(directory);
  if (kind === "folder") return;
  if (kind !== undefined) throw new Error("it is no folder");
  makeFolder(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (cause) {
    // Another process of the same account may have been quicker.
    if (
      !(cause instanceof Error && "code" in cause && cause.code === "EEXIST") ||
      readPathKind(directory) !== "folder"
    )
      throw cause;
  }
}
