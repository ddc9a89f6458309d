import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigError } from "../../../core/errors.js";
import { readPathKind } from "../../../core/files/path-kind.js";

/** The files of a sweep's folder: a line a job that is done, and what all of them come to. */
export const SWEEP_FILES = {
  results: "results.jsonl",
  json: "sweep.json",
  html: "sweep.html",
} as const;

/** The folder in it that has the whole report of the best point. */
export const BEST_FOLDER = "best";

/** What a sweep puts into its folder. */
const OURS = new Set<string>([...Object.values(SWEEP_FILES), BEST_FOLDER, "lock"]);

/** What lies there for an instant, and longer only where a process was killed in it. */
function isPassing(name: string): boolean {
  return name.endsWith(".next") || name.startsWith(".best.") || name.startsWith("lock.");
}

/** @throws ConfigError when a folder holds what no sweep has put there */
export function refuseForeignFolder(directory: string, replace: boolean): void {
  const kind = readPathKind(resolve(directory));
  if (kind === undefined) return;
  const detail = { field: "--out", value: directory };
  if (kind !== "folder")
    throw new ConfigError("is no folder", {
      ...detail,
      expected: "a folder of a sweep's, or one that does not exist yet",
    });
  const foreign = readdirSync(resolve(directory)).find(
    (name) => !OURS.has(name) && !isPassing(name),
  );
  if (foreign === undefined) return;
  throw new ConfigError(`holds something that is no sweep's, ${foreign}`, {
    ...detail,
    expected: `a folder of a sweep's, or one that does not exist yet${replace ? " (--replace replaces sweeps alone)" : ""}`,
  });
}

/** Drops another sweep's results, and what came of them: nobody shall take it for what comes of the new ones. */
export function dropResults(directory: string): void {
  for (const name of [BEST_FOLDER, ...Object.values(SWEEP_FILES)])
    rmSync(join(directory, name), { recursive: true, force: true });
}

/** Drops the report of the best point, where that was another one than `best` when the folder's figures were written. */
export function dropOtherBest(directory: string, best: number): void {
  if (bestIn(join(directory, SWEEP_FILES.json)) !== best)
    rmSync(join(directory, BEST_FOLDER), { recursive: true, force: true });
}

const TOO_LONG: ReadonlySet<string> = new Set(["ERR_STRING_TOO_LONG", "ERR_FS_FILE_TOO_LARGE"]);

function bestIn(json: string): unknown {
  if (readPathKind(json) !== "file") return undefined;
  try {
    return (JSON.parse(readFileSync(json, "utf8")) as { readonly best?: unknown } | null)?.best;
  } catch (cause) {
    // Of a million runs it is longer than a text may be, or a file that is read at once: nobody can tell then which point was the best.
    const isTooLong = cause instanceof Error && "code" in cause && TOO_LONG.has(String(cause.code));
    if (!isTooLong && !(cause instanceof SyntaxError)) throw cause;
    return undefined;
  }
}
