import { RunError } from "../../core/errors.js";

/** A run was interrupted, and a report of a whole one lies where its own would: that stays. */
export class InterruptedRunError extends RunError {
  /** @param directory where the report lies. */
  constructor(directory: string) {
    super(
      "the run was interrupted: the whole report that lies there is kept, and nothing of this run is written",
      {
        field: "report directory",
        value: directory,
        expected: "another folder for the report of an interrupted run",
      },
    );
  }
}
