import { formatCount } from "../../core/format-count.js";
import type { Ms } from "../../core/units.js";
import { TARGET_LEVEL } from "../../executor/plan-target.js";
import { referenceText } from "../status/reference-text.js";
import type { UnwindDecisionStatus } from "../status/unwind-status.js";
import type { ExplainedPlan, ExplainedPlanEnd } from "./explain-inventory-plan.js";
import { formatLiquidator } from "./explain-liquidator-text.js";
import type {
  ExplainedMarket,
  ExplainedQuote,
  ExplainedReference,
  ExplainedTokens,
  ExplainedUnwinding,
  Explanation,
} from "./explanation.js";

/** An explanation as plain text, one block per market. */
export function formatExplanation(explanation: Explanation): string {
  const { account, registered, complete, halts, markets } = explanation;
  const lines = [
    `account ${account}${registered ? "" : ": not registered, so balances and margin are unknown (a run registers it)"}`,
  ];
  if (!complete) lines.push("not every market had a plan in time");
  for (const halt of halts) lines.push(`halted: ${halt}`);
  for (const [marketId, market] of Object.entries(markets))
    lines.push("", ...marketLines(marketId, market, explanation.atMs));
  if (explanation.liquidator !== undefined)
    lines.push("", ...formatLiquidator(explanation.liquidator));
  lines.push(
    "",
    ...accountLines(explanation),
    "",
    "loss limits",
    ...explanation.losses.map((line) => `  ${line}`),
    "",
    ...tokenLines(explanation),
    "",
  );
  if (explanation.implausible.length > 0)
    lines.push(
      ...explanation.implausible.map(({ field, text }) => `warning: ${field}: ${text}`),
      "",
    );
  return lines.join("\n");
}

function marketLines(marketId: string, market: ExplainedMarket, nowMs: Ms): string[] {
  const { strategy, state, bestBid, bestAsk, markQuote, positionBase, reason, unwinding, worst } =
    market;
  const lines = [
    `${marketId}: ${state}, ${strategy}`,
    `  book      ${bestBid ?? "-"} / ${bestAsk ?? "-"}, mark ${markQuote ?? "unknown"}, position ${positionBase ?? "unknown"}`,
  ];
  if (market.reference !== undefined) lines.push(...referenceLines(market.reference));
  if (reason !== undefined) {
    const terms = Object.entries(reason.terms).map(([name, value]) => `${name} ${short(value)}`);
    lines.push(
      `  reason    fair ${short(reason.fairQuote)}, centred on ${short(reason.reservationQuote)}, half spread ${bpsText(reason.halfSpreadBps)}`,
    );
    if (terms.length > 0) lines.push(`  terms     ${terms.join(", ")}`);
    if (reason.viewsBehind !== undefined)
      lines.push(`  decided   ${formatCount(reason.viewsBehind, "view")} before this book`);
    for (const clamp of reason.clamps) lines.push(`  clamp     ${clamp}`);
  }
  if (market.plan !== undefined) lines.push(...inventoryPlanLines(market.plan));
  if (unwinding !== undefined) lines.push(...unwindingLines(unwinding, nowMs));
  for (const { takeoverId, laidOffBase, decision } of market.laidOff ?? [])
    lines.push(`  laid off  ${takeoverId}: ${laidOffBase}, ${decisionText(decision)}`);
  const width = Math.max(0, ...market.quotes.map(({ price }) => price.length));
  for (const quote of market.quotes) lines.push(`  ${quoteLine(quote, width)}`);
  for (const { hash, why } of market.cancels) lines.push(`  cancel    ${hash}: ${why}`);
  for (const why of market.reasons) lines.push(`  but       ${why}`);
  lines.push(
    `  worst     long ${worst.longBase} or short ${worst.shortBase}, ${worst.notionalQuote} notional, margin ${worst.initialMarginQuote}`,
    `            ${worst.toLiquidationBps === undefined ? "distance to liquidation unknown, or no position" : `${bpsText(worst.toLiquidationBps)} to liquidation at ${short(worst.liquidationPriceQuote)}`}`,
    `  tokens    ${tokensText(market.tokens)}`,
  );
  return lines;
}

function referenceLines(reference: ExplainedReference): string[] {
  const { sources, basisFrozen, worst } = reference;
  return [
    `  reference ${referenceText(reference)}`,
    ...(basisFrozen === undefined ? [] : [`  basis     frozen: ${basisFrozen}`]),
    ...sources.map(
      ({ name, weight, price, ageMs, leftOut }) =>
        `  source    ${name}: ${price ?? "no price"}${ageMs === undefined ? "" : `, ${(ageMs / 1000).toFixed(1)} s old`}, weight ${weight}: ${leftOut ?? "counts"}`,
    ),
    ...worst.map((sentence) => `  if wrong  ${sentence}`),
  ];
}

/** Most levels that the text of a plan lists. */
const MOST_ROWS = 12;

/** A plan as lines of text. */
function inventoryPlanLines(plan: ExplainedPlan): string[] {
  const { levels, roundTrip, lowest, highest } = plan;
  const every = Math.ceil(levels.length / MOST_ROWS);
  const rows = levels.filter((_, at) => at % every === 0 || at === levels.length - 1);
  return [
    `  plan      ${levels.length} levels from ${lowest.price} to ${highest.price}; a round trip earns ${roundTrip.leastQuote} to ${roundTrip.mostQuote} after fees, nothing at a maker fee of ${roundTrip.breakEvenFeeBps.toFixed(2)} bps`,
    ...rows.map(({ price, positionBase }) => `            at ${price} it holds ${positionBase}`),
    endLine(lowest),
    endLine(highest),
  ];
}

function endLine(end: ExplainedPlanEnd): string {
  if (end.averagePriceQuote === undefined) return `  plan      at ${end.price}: no position`;
  const trips =
    end.roundTripsToEarnLoss === undefined
      ? ""
      : `, as much as ${end.roundTripsToEarnLoss} round trips earn`;
  return `  plan      at ${end.price}: ${end.positionBase} at an average of ${short(end.averagePriceQuote)}, breaks even at ${short(end.breakEvenPriceQuote)} after the fees of both ways; loss there ${end.lossQuote} with the fees of its fills alone${trips}; with margin ${end.marginQuote} it needs ${end.capitalQuote}`;
}

function unwindingLines(
  { state, why, remainingBase, allowedBase, nextSliceAtMs, takeovers }: ExplainedUnwinding,
  nowMs: Ms,
): string[] {
  const inSeconds = (atMs: Ms): string => `in ${((atMs - nowMs) / 1000).toFixed(1)} s`;
  const next =
    nextSliceAtMs === undefined
      ? ""
      : `; next slice ${nextSliceAtMs <= nowMs ? "now" : inSeconds(nextSliceAtMs)}`;
  return [
    `  unwinds   ${remainingBase} left, ${allowedBase} allowed by now: ${state}, ${why}${next}`,
    ...takeovers.flatMap((one) => [
      `            ${one.takeoverId}: ${one.remainingBase} left, ${one.allowedBase} allowed${one.nextStepAtMs === undefined ? "" : `, less ${inSeconds(one.nextStepAtMs)}`}, no worse than ${one.worstPrice}, deadline ${inSeconds(one.deadlineMs)}`,
      ...(one.decision === undefined ? [] : [`            ${decisionText(one.decision)}`]),
    ]),
  ];
}

const WAY_TEXT: Readonly<Record<UnwindDecisionStatus["way"], string>> = {
  here: "sold here and not hedged",
  hedge: "laid off",
  both: "sold here and hedged meanwhile",
};

function decisionText({
  way,
  venue,
  why,
  hereCostQuote,
  layOffCostQuote,
}: UnwindDecisionStatus): string {
  const costs = `here ${hereCostQuote ?? "unknown"}, at ${venue} ${layOffCostQuote ?? "unknown"}`;
  return `${WAY_TEXT[way]}: ${why} (cost ${costs})`;
}

function quoteLine(quote: ExplainedQuote, width: number): string {
  const {
    side,
    level,
    price,
    amountBase,
    fromMidBps,
    fate,
    why,
    makerFeeQuote,
    makerFeeBps,
    breakEvenFeeBps,
  } = quote;
  const fee = `${makerFeeQuote.startsWith("-") ? "rebate" : "fee"} ${makerFeeQuote.replace(/^-/, "")} (${bpsText(makerFeeBps)})`;
  const even =
    breakEvenFeeBps === undefined ? "" : `, breaks even at a fee of ${bpsText(breakEvenFeeBps)}`;
  return `${side.padEnd(4)} ${level === TARGET_LEVEL ? "now " : `${level}   `} ${price.padStart(width)} x ${amountBase}, ${bpsText(fromMidBps)} from mid, ${fee}${even}: ${fate}, ${why}`;
}

function accountLines({ worst }: Explanation): string[] {
  const use =
    worst.marginUseFraction === undefined
      ? "unknown"
      : `${(worst.marginUseFraction * 100).toFixed(2)} %`;
  const leverage = worst.leverage === undefined ? "unknown" : worst.leverage.toFixed(3);
  return [
    "if every quote of the worse side fills in every market",
    `  notional ${worst.notionalQuote}, net value ${worst.netValueQuote ?? "unknown"}, leverage ${leverage}`,
    `  initial margin ${worst.initialMarginQuote} (${use} of the net value), maintenance ${worst.maintenanceQuote}`,
  ];
}

function tokenLines({ tokens }: Explanation): string[] {
  const { limitPerMinute, reservedPerMinute, worstFits } = tokens;
  return [
    `ORDER tokens a minute: ${tokensText(tokens)}`,
    `  of ${limitPerMinute}, ${reservedPerMinute} kept for the guard and for cancels${worstFits ? "" : ": in the worst minute placements wait and cancels do not"}`,
  ];
}

function tokensText({
  byTimerPerMinute,
  worstPerMinute,
  renewalsPerMinute,
}: Pick<ExplainedTokens, "byTimerPerMinute" | "worstPerMinute" | "renewalsPerMinute">): string {
  const renewals = renewalsPerMinute === 0 ? "" : `, ${renewalsPerMinute} for renewals`;
  return `${byTimerPerMinute} by the timer, at worst ${worstPerMinute ?? "as many as frames come"}${renewals}`;
}

function bpsText(bps: number | undefined): string {
  return bps === undefined ? "unknown" : `${bps.toFixed(2)} bps`;
}

function short(value: number | undefined): string {
  return value === undefined ? "unknown" : String(Number(value.toPrecision(8)));
}
