import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { ConfigError } from "../../core/errors.js";
import { syncPath } from "../../core/files/atomic-file.js";
import { makeFolder } from "../../core/files/make-folder.js";
import { readPathKind } from "../../core/files/path-kind.js";
import { currentProcessName, processLifeFor } from "../../core/files/process-life.js";

/** The file that makes a folder a report. */
export const REPORT_JSON = "report.json";

/**
 * A folder that appears whole or not at all: everything is written into a hidden one beside it, which gets its name at the end. A process that
 * is killed leaves a hidden folder, which nothing reads; the next one that makes a report of the same name here removes it.
 */
export class ReportFolder {
  /** The hidden folder. */
  readonly path: string;
  readonly #target: string;
  readonly #given: string;
  readonly #replace: boolean;
  #isOpen = true;

  /**
   * @param replace whether a report that is there already may go. Anything else that lies there is never touched.
   * @throws ConfigError when the place is taken, or cannot be made.
   */
  constructor(target: string, replace: boolean) {
    this.#target = resolve(target);
    this.#given = target;
    this.#replace = replace;
    removeLeftovers(this.#target);
    assertFree(this.#target, target, replace);
    try {
      makeFolder(dirname(this.#target));
      this.path = mkdtempSync(`${hiddenStart(this.#target, "unfinished")}${currentProcessName()}-`);
    } catch (cause) {
      throw new ConfigError(
        `the folder of a report cannot be made: ${cause instanceof Error ? cause.message : String(cause)}`,
        {
          field: "report directory",
          value: target,
          expected: "a path below a folder that may be written",
          cause,
        },
      );
    }
  }

  /**
   * Gives the folder its name, with everything in it on the disk. A report that was there is gone once, and only once, the new one is whole.
   * @throws ConfigError when meanwhile something came to lie there that may not be replaced.
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

  /** Whether a report of a run that was not interrupted lies where this one is to be. */
  get holdsWhole(): boolean {
    return isReport(this.#target) && !isInterrupted(this.#target);
  }

  /** Removes the hidden folder; nothing after it was placed. */
  abandon(): void {
    if (this.#isOpen) rmSync(this.path, { recursive: true, force: true });
    this.#isOpen = false;
  }
}

/**
 * Removes what killed processes of this machine left beside a report, and puts the report back that one of them had moved away to replace it.
 * What a living process writes is left alone.
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
      // Elsewhere is before: a container that is started again keeps its name, and no other has it.
      if (life !== "gone" && life !== "elsewhere") continue;
      if (what === "replaced" && readPathKind(target) === undefined) renameSync(path, target);
      else rmSync(path, { recursive: true, force: true });
    }
  }
}

/** How the paths of what this machine hides beside a report begin; the name of the process and six letters follow. */
function hiddenStart(target: string, what: "unfinished" | "replaced"): string {
  return join(dirname(target), `.${basename(target)}.${what}-${hostname()}-`);
}

function assertFree(target: string, given: string, replace: boolean): void {
  const kind = readPathKind(target);
  if (kind === undefined) return;
  const detail = { field: "report directory", value: given };
  if (kind !== "folder")
    throw new ConfigError("something that is no folder lies there", {
      ...detail,
      expected: "a folder that does not exist yet",
    });
  if (readdirSync(target).length === 0) return;
  if (!isReport(target))
    throw new ConfigError("the folder holds something that is no report", {
      ...detail,
      expected: "a folder that is empty or does not exist yet",
    });
  if (!replace)
    throw new ConfigError("a report lies there already", {
      ...detail,
      expected: "another folder, or --replace to have it replaced",
    });
}

/** Whether a report says that its run was interrupted. One that cannot be read is taken for whole. */
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
