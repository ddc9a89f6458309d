import { type ErrorDetail, MarketwrightError } from "../../core/errors.js";

/** A job that was not taken. Nothing was done, and no event follows. */
export class LaneRefusal extends MarketwrightError {
  /**
   * `busy`: a job is in flight in its lane. `known`: its id was used before. `closed`: the lanes take nothing any more.
   * `fault`: their store failed. `invalid`: a field is not what its type says.
   */
  readonly why: "busy" | "known" | "closed" | "fault" | "invalid";

  constructor(why: LaneRefusal["why"], summary: string, detail: ErrorDetail = {}) {
    super(summary, detail);
    this.why = why;
  }
}
