import { statSync } from "node:fs";
import { ConfigError } from "../errors.js";

/** A path that leads through a folder which this user may not enter, or round in a circle of links: what lies there cannot be known. */
class UnfollowedPath extends ConfigError {
  /** The system's, such as EACCES. */
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
 * What lies at a path, links followed; undefined where nothing does, the path below a file included.
 * @throws UnfollowedPath where that cannot be known
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
