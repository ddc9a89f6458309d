import { RunError } from "../../core/errors.js";
import type { Hex, Ms } from "../../core/units.js";
import { JobRejectedError } from "./job-rejected-error.js";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;
/** Gas of a transfer, the cheapest transaction. */
const LEAST_GAS = 21_000n;

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
    throw new RunError("is not the lane of a liquidation", {
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

/**
 * Checks the fields of a job.
 * @throws JobRejectedError `invalid` when a field does not match its type's rule.
 */
export function checkJob({
  id,
  lane,
  to,
  data,
  valueWei = 0n,
  gasLimit,
  maxCostWei,
  deadlineMs,
  tipWei = 0n,
}: TransactionJob): void {
  requireField(id !== "" && id.length <= 200, "id", id, "1 to 200 characters");
  requireField(lane !== "" && lane.length <= 200, "lane", lane, "1 to 200 characters");
  requireField(ADDRESS.test(to), "to", to, "an address");
  requireField(BYTES.test(data), "data", data, "0x and bytes");
  requireField(
    gasLimit === "estimate" || gasLimit >= LEAST_GAS,
    "gasLimit",
    gasLimit,
    `${LEAST_GAS} or more, or "estimate"`,
  );
  requireField(valueWei >= 0n, "valueWei", valueWei, "0 or more");
  requireField(maxCostWei > 0n, "maxCostWei", maxCostWei, "more than 0");
  requireField(tipWei >= 0n, "tipWei", tipWei, "0 or more");
  requireField(
    Number.isSafeInteger(deadlineMs),
    "deadlineMs",
    deadlineMs,
    "whole milliseconds since the epoch",
  );
}

function requireField(isRight: boolean, field: string, value: unknown, expected: string): void {
  if (!isRight)
    throw new JobRejectedError("invalid", "has an invalid value", { field, value, expected });
}
