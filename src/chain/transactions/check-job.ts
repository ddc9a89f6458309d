import { JobRejectedError } from "./job-rejected-error.js";
import type { TransactionJob } from "./transaction-job.js";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;
/** Gas of a transfer, the cheapest transaction. */
const LEAST_GAS = 21_000n;

/** @throws JobRejectedError `invalid` when a field does not match its type's rule. */
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
  require(id !== "" && id.length <= 200, "id", id, "1 to 200 characters");
  require(lane !== "" && lane.length <= 200, "lane", lane, "1 to 200 characters");
  require(ADDRESS.test(to), "to", to, "an address");
  require(BYTES.test(data), "data", data, "0x and bytes");
  require(gasLimit === "estimate" ||
    gasLimit >= LEAST_GAS, "gasLimit", gasLimit, `${LEAST_GAS} or more, or "estimate"`);
  require(valueWei >= 0n, "valueWei", valueWei, "0 or more");
  require(maxCostWei > 0n, "maxCostWei", maxCostWei, "more than 0");
  require(tipWei >= 0n, "tipWei", tipWei, "0 or more");
  require(Number.isSafeInteger(
    deadlineMs,
  ), "deadlineMs", deadlineMs, "whole milliseconds since the epoch");
}

function require(isRight: boolean, field: string, value: unknown, expected: string): void {
  if (!isRight)
    throw new JobRejectedError("invalid", "is no such value", { field, value, expected });
}
