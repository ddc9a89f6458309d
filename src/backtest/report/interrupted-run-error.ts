import { RunError } from "../../core/errors.js";

/**
 * A run was interrupted, and the report of a whole run is where its own would go. That report
 * stays.
 */
export class InterruptedRunError extends RunError {
  /** @param directory of the report. */
  constructor(directory: string) {
    super(
      "the run was interrupted: the complete report in this folder is kept, and nothing of this run is written",
      {
        field: "report directory",
        value: directory,
        expected: "another folder for the report of an interrupted run",
      },
    );
  }
}
