import { statSync } from "node:fs";

/** What lies at a path, links followed; undefined where nothing does, the path below a file included. */
export function pathKind(path: string): "file" | "folder" | "other" | undefined {
  try {
    const found = statSync(path);
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG") return undefined;
    throw error;
  }
}
