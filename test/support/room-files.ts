import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vitest/config";
import { roomFiles } from "../../scripts/room-files.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Resolves `#room/file.js` to the file of src, as tsconfig.rooms.json does for TypeScript. */
export function roomFilesPlugin(): Plugin {
  return {
    name: "marketwright:room-files",
    enforce: "pre",
    resolveId: (imported) => sourceFile(imported),
  };
}

let files: ReadonlyMap<string, string> | undefined;

/**
 * The absolute path of `#room/file.js`; undefined of any other specifier and of a file that is not
 * there.
 */
export function sourceFile(specifier: string): string | undefined {
  if (!specifier.startsWith("#")) return undefined;
  files ??= roomFiles(ROOT);
  let path = files.get(specifier);
  // Where the tests run while files are edited, one may have come or gone.
  if (path === undefined || !existsSync(resolve(ROOT, path))) {
    files = roomFiles(ROOT);
    path = files.get(specifier);
  }
  return path === undefined ? undefined : resolve(ROOT, path);
}
