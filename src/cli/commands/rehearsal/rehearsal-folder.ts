import { join } from "node:path";
import { ConfigError, RunError } from "../../../core/errors.js";
import { replaceFile } from "../../../core/files/atomic-file.js";
import { makeFolder } from "../../../core/files/make-folder.js";
import { readPathKind } from "../../../core/files/path-kind.js";
import { rehearsalPage } from "../../../rehearsal/page/rehearsal-page.js";
import type { RehearsalReport } from "../../../rehearsal/summary/rehearsal-report.js";
import { jsonText } from "../../process/output.js";

/** The folder of a rehearsal's page and its data. */
export class RehearsalFolder {
  readonly #folder: string;

  /**
   * Makes the folder, before anything is run. @param replace true if a rehearsal in it may be
   * replaced. @throws ConfigError if the folder holds one that may not be, or cannot be made
   */
  constructor(folder: string, replace: boolean) {
    this.#folder = folder;
    if (!replace && readPathKind(join(folder, JSON_NAME)) !== undefined)
      throw new ConfigError("already holds a rehearsal", {
        field: "--out",
        value: folder,
        expected: "another folder, or --replace",
      });
    try {
      makeFolder(folder);
    } catch (cause) {
      throw new ConfigError("cannot be made", {
        field: "--out",
        value: folder,
        expected: "a folder that may be written",
        cause,
      });
    }
  }

  /** Writes page and data. @returns their paths @throws RunError if the disk refuses them */
  write(report: RehearsalReport): readonly string[] {
    const files = [
      [join(this.#folder, "rehearsal.html"), rehearsalPage(report)],
      [join(this.#folder, JSON_NAME), jsonText(report, 2)],
    ] as const;
    for (const [path, text] of files) {
      try {
        replaceFile(path, text);
      } catch (cause) {
        throw new RunError("cannot be written", {
          field: path,
          expected: "a writable disk with free space",
          cause,
        });
      }
    }
    return files.map(([path]) => path);
  }
}

const JSON_NAME = "rehearsal.json";
