import { needsFairReference } from "../fair-price.js";
import { adjustableQuotes } from "../quotes-operator.js";
import { baseToExactLots } from "../size-lots.js";
import { defineStrategy, type StrategyContext } from "../strategy.js";
import { CarryEstimates } from "./carry-estimates.js";
import { createCarryStep, type FundingStep } from "./carry-step.js";
import { type CarryParams, type FundingParams, fundingParams } from "./funding-params.js";
import { createLeanStep, type LeanEstimates } from "./lean-step.js";

/**
 * A ladder whose target inventory is on the side that funding pays: as large as the expected carry
 * over the holding time is worth after fees and risk. With `carry`, a position here and the
 * opposite one at the market's hedge, for the difference of their fundings.
 */
export const funding = defineStrategy({
  params: fundingParams,
  viewLevels: 1,
  needsReference: needsFairReference,
  hedge: ({ carry }) => (carry === undefined ? "refused" : "needed"),
  create: (params, context, changes) => {
    const { instrument, marketId } = context;
    baseToExactLots(params.sizeBase, instrument, `markets.${marketId}.params.sizeBase`);
    // Once here, so that a file of rates that cannot be read is refused before the start.
    let first: FundingStep | undefined = createStep(params, context);
    return adjustableQuotes(() => {
      const step = first ?? createStep(params, context);
      first = undefined;
      return step;
    }, changes);
  },
});

/** Creates the step of the parameters; with the estimates of an earlier one of the same form. */
function createStep(
  params: FundingParams,
  context: StrategyContext,
  estimates?: LeanEstimates | CarryEstimates,
): FundingStep {
  const stepFor = (changed: FundingParams, kept?: LeanEstimates | CarryEstimates): FundingStep =>
    createStep(changed, context, kept);
  return hasCarry(params)
    ? createCarryStep(
        params,
        context,
        stepFor,
        estimates instanceof CarryEstimates ? estimates : undefined,
      )
    : createLeanStep(
        params,
        context,
        stepFor,
        estimates instanceof CarryEstimates ? undefined : estimates,
      );
}

function hasCarry(params: FundingParams): params is CarryParams {
  return params.carry !== undefined;
}
