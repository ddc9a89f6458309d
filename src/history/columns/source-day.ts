import type { DayInput, DayTape } from "./day-tape.js";

/** A day that a source reads. */
export interface SourceDay {
  readonly input: DayInput;
  readonly tape: DayTape;
}
