import { RunError } from "../../core/errors.js";
import type { Hex, Ms } from "../../core/units.js";

/**
 * Key that allows one transaction in flight at a time, such as a victim and a market. Any text;
 * {@link liquidationLane} makes that of a liquidation.
 */
export type LaneId = string;

/** The lane of a liquidation: one victim's position in one market. */
export function liquidationLane(victim: Hex, perp: Hex): LaneId {
  return `${victim.toLowerCase()}/${perp.toLowerCase()}`;
}

/**
 * Parses the position and market of a {@link liquidationLane}. @throws RunError for any other lane.
 */
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

/** A call to be mined once, or not at all. */
export interface TransactionJob {
  /** Chosen by the caller and never reused: a known id is rejected, also after a restart. */
  readonly id: string;
  readonly lane: LaneId;
  readonly to: Hex;
  readonly data: Hex;
  /** Default 0. */
  readonly valueWei?: bigint;
  /** Gas limit of the transaction; `estimate` requests it from the node and adds a half. */
  readonly gasLimit: bigint | "estimate";
  /**
   * Largest total gas cost, whatever the outcome: gas limit times fee never exceeds it, for the
   * original, a replacement or a cancel. The parent chain's fee on a chain of the OP stack comes on
   * top: leave room.
   */
  readonly maxCostWei: bigint;
  /** By the clock's wall time: if it is not mined by then, it is cancelled. */
  readonly deadlineMs: Ms;
  /** Starting tip; default: the manager's. */
  readonly tipWei?: bigint;
}
