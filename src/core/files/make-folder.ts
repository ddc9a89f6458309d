import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { readPathKind } from "./path-kind.js";

/**
 * Creates a folder that only its owner may enter, with its parents. It goes folder by folder,
 * because Node's own recursion never ends below a folder that accepts none, such as /proc.
 * @throws Error of the system, or one for a file at the path.
 */
export function makeFolder(directory: string): void {
  const kind = readPathKind(directory);
  if (kind === "folder") return;
  if (kind !== undefined) throw new Error("it is not a folder");
  makeFolder(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (cause) {
    // Another process of the same account may have been faster.
    if (
      !(cause instanceof Error && "code" in cause && cause.code === "EEXIST") ||
      readPathKind(directory) !== "folder"
    )
      throw cause;
  }
}
