import type { ExplainedCandidate, ExplainedLiquidator } from "./explanation.js";

/** A liquidator's part of an explanation as text. */
export function formatLiquidator(explained: ExplainedLiquidator): string[] {
  const {
    state,
    reasons,
    troubles,
    dryRun,
    rules,
    sender,
    mayAct,
    blockNumber,
    watched,
    nearest,
    gas,
    margin,
    capacity,
    candidates,
  } = explained;
  const {
    minProfitQuote,
    maxNotionalQuote,
    maxGasQuote,
    gasShareFraction,
    marginBufferFraction,
    takeUpTo,
    maxInFlight,
  } = rules;
  const ceiling = `${gasShareFraction * 100} % of the profit above the least${maxGasQuote === undefined ? "" : `, at most ${maxGasQuote}`}`;
  const lines = [
    `liquidator: ${state}${dryRun ? ", dry run" : ""}`,
    ...reasons.map((reason) => `  but       ${reason}`),
    ...troubles.map((trouble) => `  trouble   ${trouble}`),
    `  watches   ${watched} accounts${blockNumber === undefined ? "" : `, block ${blockNumber}`}`,
    ...nearest.map(
      ({ account, distanceBps, discountQuote }) =>
        `  nearest   ${account}: ${distanceText(distanceBps)}, discount ${discountQuote}`,
    ),
    `  rules     least profit ${minProfitQuote}, up to ${takeUpTo === "cure" ? "the cure" : "the whole position"}, ${maxInFlight} at a time${maxNotionalQuote === undefined ? "" : `, at most ${maxNotionalQuote} together`}`,
    `  gas       ${gas === undefined ? "unknown" : `${gas.costQuote} (${gas.costEth} ETH at ${gas.feePerGasGwei} gwei) a takeover`}; ceiling ${ceiling}`,
    `  margin    ${margin === undefined ? "unknown" : `net value ${margin.netValueQuote}, maintenance ${margin.maintenanceQuote}, ${margin.freeQuote} above it and its buffer of ${marginBufferFraction * 100} %`}`,
    ...capacity.map(
      ({ marketId, longBase, shortBase, boundBy, hasBook }) =>
        `  room      ${marketId}: longs of ${longBase}, shorts of ${shortBase} at the mark${boundBy.length === 0 ? "" : ` (${boundBy.join(", ")})`}${hasBook ? "" : "; no book to sell on"}`,
    ),
  ];
  if (sender !== undefined)
    lines.push(`  key       ${sender}${mayAct === true ? "" : ": may not act for the account"}`);
  return [...lines, ...candidates.map(candidateLine)];
}

function candidateLine({
  victim,
  marketId,
  fate,
  why,
  amountBase,
  expectedProfitQuote,
  worstProfitQuote,
  shortOfQuote,
}: ExplainedCandidate): string {
  const profit =
    expectedProfitQuote === undefined
      ? ""
      : `, ${amountBase} at an expected profit of ${expectedProfitQuote}, at worst ${worstProfitQuote}`;
  const short = shortOfQuote === undefined ? "" : `, short by ${shortOfQuote}`;
  return `  ${marketId} of ${victim} ${fate}${profit}${short}${why === undefined ? "" : `: ${why}`}`;
}

function distanceText(distanceBps: number | undefined): string {
  if (distanceBps === undefined || distanceBps >= 10_000) return "far";
  return distanceBps === 0 ? "unsafe" : `${distanceBps.toFixed(1)} bps to the edge`;
}
