import { RunError } from "../../core/errors.js";
import type { Hex, Ms } from "../../core/units.js";

/**
 * What one transaction at a time is allowed for: a victim and a market. Any text; {@link liquidationLane} makes that of a liquidation.
 */
export type LaneId = string;

/** The lane of a liquidation: one victim's position in one market. */
export function liquidationLane(victim: Hex, perp: Hex): LaneId {
  return `${victim.toLowerCase()}/${perp.toLowerCase()}`;
}

/** Whose position in which market a lane of {@link liquidationLane} is for. @throws RunError for any other lane. */
export function parseLiquidationLane(lane: LaneId): { readonly victim: Hex; readonly perp: Hex } {
  const [victim, perp, ...rest] = lane.split("/");
  if (victim === undefined || perp === undefined || rest.length > 0)
    throw new RunError("is no lane of a liquidation", {
      field: "lane",
      value: lane,
      expected: "victim/perp",
    });
  return { victim, perp };
}

/** One call that shall be mined once, or not at all. */
export interface TransactionJob {
  /** The caller's, never used twice: a job whose id is known is refused, also after a restart. */
  readonly id: string;
  readonly lane: LaneId;
  readonly to: Hex;
  readonly data: Hex;
  /** Default 0. */
  readonly valueWei?: bigint;
  /** Gas that the transaction may burn; `estimate` asks the node and adds a half. */
  readonly gasLimit: bigint | "estimate";
  /**
   * The most that gas may cost in all, at any outcome: gas limit times fee never exceeds it, of the original, of a replacement or of
   * a cancel. What a chain of the OP stack charges for its parent chain comes on top: leave room.
   */
  readonly maxCostWei: bigint;
  /** By the clock's wall time: when it is not mined by then, it is cancelled. */
  readonly deadlineMs: Ms;
  /** Tip to begin with; default: the lanes'. */
  readonly tipWei?: bigint;
}
