import type { FaultInterface } from "./fault-shape.js";

/** The names by which faults select requests and frames of one interface. */
export interface FaultNames {
  readonly interface: FaultInterface;
  /** Methods and paths: `POST /v1/order`. */
  readonly endpoints: readonly string[];
  readonly streams: readonly string[];
  /** True if a stream sends snapshots of the book. */
  readonly hasSnapshots: boolean;
}
