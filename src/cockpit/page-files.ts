import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};
const INDEX = "index.html";

/** A file of the page. */
export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

/**
 * The files of the page by their paths: `/` is index.html, and each other file has its name, alone
 * and below `/assets`. All of them are read once, so that no request reaches the disk.
 */
export function readPageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of pageNames(folder)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const file = { type, body: readFileSync(join(folder, name)) };
    if (name === INDEX) files.set("/", file);
    for (const path of [`/${name}`, `/assets/${name}`]) files.set(path, file);
  }
  return files;
}

/** Names of the files; none if the page was not built. */
function pageNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The server answers that the page is missing.
    return [];
  }
}
