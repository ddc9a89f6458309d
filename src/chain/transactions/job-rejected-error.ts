import { type ErrorDetail, MarketwrightError } from "../../core/errors.js";

/** A job that was not accepted. Nothing was done, and no event follows. */
export class JobRejectedError extends MarketwrightError {
  /**
   * `busy`: a job is in flight in its lane. `known`: its id was used before. `closed`: the manager
   * accepts no more jobs. `fault`: the store failed. `invalid`: a field does not match its type's
   * rule.
   */
  readonly reason: "busy" | "known" | "closed" | "fault" | "invalid";

  constructor(why: JobRejectedError["reason"], summary: string, detail: ErrorDetail = {}) {
    super(summary, detail);
    this.reason = why;
  }
}
