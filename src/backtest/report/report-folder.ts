import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { ConfigError, MarketwrightError } from "../../core/errors.js";
import { syncPath } from "../../core/files/atomic-file.js";
import { makeFolder } from "../../core/files/make-folder.js";
import { readPathKind } from "../../core/files/path-kind.js";
import { currentProcessName, processLifeFor } from "../../core/files/process-life.js";

/** The file that makes a folder a report. */
export const REPORT_JSON = "report.json";

/**
 * A folder that appears complete or not at all. Everything is written into a hidden folder beside
 * it, which is renamed at the end. A killed process leaves a hidden folder, which nothing reads.
 * The next process that makes a report of the same name here removes it.
 */
export class ReportFolder {
  /** The hidden folder. */
  readonly path: string;
  readonly #target: string;
  readonly #given: string;
  readonly #replace: boolean;
  #isOpen = true;

  /**
   * @param replace true if an existing report may be replaced. Anything else in its place is never
   * touched.
   * @throws ConfigError when the place is taken, or cannot be made.
   */
  constructor(target: string, replace: boolean) {
    this.#target = resolve(target);
    this.#given = target;
    this.#replace = replace;
    try {
      removeLeftovers(this.#target);
      assertFree(this.#target, target, replace);
      makeFolder(dirname(this.#target));
      this.path = mkdtempSync(`${hiddenStart(this.#target, "unfinished")}${currentProcessName()}-`);
    } catch (cause) {
      if (cause instanceof MarketwrightError) throw cause;
      throw new ConfigError(
        `the report's folder cannot be created: ${cause instanceof Error ? cause.message : String(cause)}`,
        {
          field: "report directory",
          value: target,
          expected: "a path in a writable folder",
          cause,
        },
      );
    }
  }

  /**
   * Gives the folder its name, once everything in it is on the disk. An existing report is removed
   * only when the new one is complete.
   * @throws ConfigError when meanwhile something appeared there that may not be replaced.
   */
  place(): void {
    assertFree(this.#target, this.#given, this.#replace);
    for (const entry of readdirSync(this.path, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) syncPath(join(entry.parentPath, entry.name));
    }
    syncPath(this.path);
    const before = `${hiddenStart(this.#target, "replaced")}${this.path.slice(hiddenStart(this.#target, "unfinished").length)}`;
    const isReplacing = existsSync(this.#target);
    if (isReplacing) renameSync(this.#target, before);
    renameSync(this.path, this.#target);
    syncPath(dirname(this.#target));
    this.#isOpen = false;
    if (isReplacing) rmSync(before, { recursive: true, force: true });
  }

  /** True if the report of an uninterrupted run is in the target's place. */
  get holdsWhole(): boolean {
    return isReport(this.#target) && !isInterrupted(this.#target);
  }

  /** Removes the hidden folder; does nothing after it was placed. */
  abandon(): void {
    if (this.#isOpen) rmSync(this.path, { recursive: true, force: true });
    this.#isOpen = false;
  }
}

/**
 * Removes the hidden folders that killed processes of this machine left beside a report. Restores
 * the report that one of them had moved away to replace it. Folders of living processes stay.
 */
function removeLeftovers(target: string): void {
  const folder = dirname(target);
  if (readPathKind(folder) !== "folder") return;
  for (const what of ["replaced", "unfinished"] as const) {
    const start = hiddenStart(target, what);
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const maker = path.startsWith(start)
        ? /^(.+)-\w{6}$/.exec(path.slice(start.length))?.[1]
        : undefined;
      const life = maker === undefined ? undefined : processLifeFor(maker);
      // `elsewhere` means an earlier life of this machine: a restarted container keeps its name,
      // and no other has it.
      if (life !== "gone" && life !== "elsewhere") continue;
      if (what === "replaced" && readPathKind(target) === undefined) renameSync(path, target);
      else rmSync(path, { recursive: true, force: true });
    }
  }
}

/**
 * Prefix of the hidden folders that this machine makes beside a report; the process id and six
 * letters follow.
 */
function hiddenStart(target: string, what: "unfinished" | "replaced"): string {
  return join(dirname(target), `.${basename(target)}.${what}-${hostname()}-`);
}

function assertFree(target: string, given: string, replace: boolean): void {
  const kind = readPathKind(target);
  if (kind === undefined) return;
  const detail = { field: "report directory", value: given };
  if (kind !== "folder")
    throw new ConfigError("is not a folder", {
      ...detail,
      expected: "a folder that does not exist yet",
    });
  if (readdirSync(target).length === 0) return;
  if (!isReport(target))
    throw new ConfigError("holds files that do not belong to a report", {
      ...detail,
      expected: "an empty folder, or one that does not exist yet",
    });
  if (!replace)
    throw new ConfigError(`The folder ${given} already holds a report`, {
      expected: "another folder, or --replace to replace the report",
    });
}

/** True if a report states that its run was interrupted. An unreadable report counts as whole. */
function isInterrupted(folder: string): boolean {
  try {
    const { ended } = JSON.parse(readFileSync(join(folder, REPORT_JSON), "utf8")) as {
      readonly ended?: unknown;
    };
    return ended === "stopped";
  } catch (cause) {
    if (cause instanceof SyntaxError) return false;
    throw cause;
  }
}

function isReport(folder: string): boolean {
  const path = join(folder, REPORT_JSON);
  if (readPathKind(path) !== "file") return false;
  return /^\s*\{\s*"format":\s*"marketwright-report\//.test(
    readFileSync(path, "utf8").slice(0, 200),
  );
}
