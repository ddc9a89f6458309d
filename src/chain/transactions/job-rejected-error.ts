import { type ErrorDetail, MarketwrightError } from "../../core/errors.js";

/** A job that was not taken. Nothing was done, and no event follows. */
export class JobRejectedError extends MarketwrightError {
  /**
   * `busy`: a job is in flight in its lane. `known`: its id was used before. `closed`: the lanes take nothing any more.
   * `fault`: their store failed. `invalid`: a field is not what its type says.
   */
  readonly reason: "busy" | "known" | "closed" | "fault" | "invalid";

  constructor(why: JobRejectedError["reason"], summary: string, detail: ErrorDetail = {}) {
    super(summary, detail);
    this.reason = why;
  }
}
