import { statSync } from "node:fs";
import { ConfigError } from "../errors.js";

/**
 * A path through a folder that this user may not enter, or through a loop of links: its target is
 * unknown.
 */
class UnfollowedPath extends ConfigError {
  /** The system's error code, such as EACCES. */
  readonly code: string;

  constructor(path: string, code: string, cause: unknown) {
    super(`the path cannot be followed (${code})`, {
      value: path,
      expected: "a path through folders that this user may enter",
      cause,
    });
    this.code = code;
  }
}

/**
 * Returns the kind of a path's target, links followed; undefined if it does not exist, which
 * includes a path below a file.
 * @throws UnfollowedPath if it cannot be determined
 */
export function readPathKind(path: string): "file" | "folder" | "other" | undefined {
  try {
    const found = statSync(path);
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG") return undefined;
    throw code === undefined ? error : new UnfollowedPath(path, code, error);
  }
}
