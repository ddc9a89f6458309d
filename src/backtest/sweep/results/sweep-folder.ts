import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigError } from "../../../core/errors.js";
import { readPathKind } from "../../../core/files/path-kind.js";

/** The files of a sweep's folder: one line per finished job, and the results of the whole sweep. */
export const SWEEP_FILES = {
  results: "results.jsonl",
  json: "sweep.json",
  html: "sweep.html",
} as const;

/** The subfolder with the whole report of the best point. */
export const BEST_FOLDER = "best";

/** Everything that a sweep puts into its folder. */
const OURS = new Set<string>([...Object.values(SWEEP_FILES), BEST_FOLDER, "lock"]);

/** True for a temporary file, which stays only where a process was killed. */
function isPassing(name: string): boolean {
  return name.endsWith(".next") || name.startsWith(".best.") || name.startsWith("lock.");
}

/** @throws ConfigError when a folder holds files that no sweep has put there */
export function refuseForeignFolder(directory: string, replace: boolean): void {
  const kind = readPathKind(resolve(directory));
  if (kind === undefined) return;
  const detail = { field: "--out", value: directory };
  if (kind !== "folder")
    throw new ConfigError("is not a folder", {
      ...detail,
      expected: "the folder of a sweep, or one that does not exist yet",
    });
  const foreign = readdirSync(resolve(directory)).find(
    (name) => !OURS.has(name) && !isPassing(name),
  );
  if (foreign === undefined) return;
  throw new ConfigError(`holds a file that does not belong to a sweep, ${foreign}`, {
    ...detail,
    expected: `the folder of a sweep, or one that does not exist yet${replace ? " (--replace only replaces sweeps)" : ""}`,
  });
}

/**
 * Deletes another sweep's results, and the figures from them: they must not be taken for those of
 * the new one.
 */
export function dropResults(directory: string): void {
  for (const name of [BEST_FOLDER, ...Object.values(SWEEP_FILES)])
    rmSync(join(directory, name), { recursive: true, force: true });
}

/**
 * Deletes the report of the best point, where it is not of point `best`, the one in the folder's
 * figures.
 */
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
    // With a million runs the file exceeds the longest string, or the largest file that is read at
    // once. The best point is then unknown.
    const isTooLong = cause instanceof Error && "code" in cause && TOO_LONG.has(String(cause.code));
    if (!isTooLong && !(cause instanceof SyntaxError)) throw cause;
    return undefined;
  }
}
