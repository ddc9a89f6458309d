import type { OwnOrder } from "../../account/orders/order.js";
import type { LeftoverOrder } from "../../bot/execution/leftover-order.js";
import type { RunSummary } from "../../bot/run/monitor/run-summary.js";
import { shellWord } from "../../core/files/shell-word.js";
import type { CliContext } from "../cli-context.js";
import { ReportedFailure } from "../process/exit.js";
import { printData } from "../process/output.js";
import { formatRunEnd } from "./format-run-end.js";
import { describeHedgesLeft, type HedgesLeft } from "./hedges-left-lines.js";

/** Largest number of orders named in one line. */
const MOST_NAMED = 20;

/** The run of a summary. */
export interface RunEndOptions {
  /** The bot's file, as the user gave it. */
  readonly file: string;
  /** Nothing was sent, so nothing can be open. */
  readonly dryRun: boolean;
  readonly json: boolean | undefined;
}

/**
 * Prints a run's summary. @throws ReportedFailure when an order of ours may still fill, the
 * exchange contradicts or did not report a position, or the bot had to stop; the details are
 * printed.
 */
export function reportRunEnd(
  context: CliContext,
  summary: RunSummary,
  { file, dryRun, json }: RunEndOptions,
): void {
  const { ordersLeft, openOrdersLeft, takeoversUnderWay = [], fault } = summary;
  if (fault !== undefined) context.stderr.write(`marketwright: the bot had to stop: ${fault}\n`);
  for (const { marketId, amountBase, jobId, isHeld } of takeoversUnderWay) {
    const what = isHeld
      ? "is in the position, but its receipt is missing"
      : "may still change the position";
    context.stderr.write(
      `marketwright: a takeover of ${amountBase} base in ${marketId} is still in flight: it ${what} (job ${jobId})\n`,
    );
  }
  const areApart = [reportPositions(context, summary), reportHedges(context, summary)].includes(
    true,
  );
  reportSales(context, summary);
  // Printed last: a script that reads both streams finds it at the end.
  if (json === true) printData(context, summary, json);
  else context.stdout.write(formatRunEnd(summary));
  const named = ordersLeft.map(nameOf).join(", ");
  if (named !== "")
    context.stderr.write(`marketwright: orders that may still fill are left: ${named}\n`);
  else if (openOrdersLeft !== null && openOrdersLeft > 0) {
    context.stderr.write(
      `marketwright: orders that may still fill are left: ${openOrdersLeft} open at the exchange\n`,
    );
  } else if (openOrdersLeft === null && !dryRun) {
    context.stderr.write(
      `marketwright: the exchange has not reported its open orders, so orders of an earlier run may still fill: marketwright cancel-all ${shellWord(file)} cancels them at the exchange\n`,
    );
  } else if (!areApart && fault === undefined) return;
  throw new ReportedFailure();
}

/**
 * Describes the orders that an immediate exit leaves at the exchange, and the command that cancels
 * them.
 * @param orders of the bot that may still fill; undefined if unknown, as before its start or after
 * an error.
 * @param hedges that it leaves behind
 */
export function ordersLeftText(
  orders: readonly Pick<OwnOrder, "marketId" | "hash" | "phase">[] | undefined,
  cancelCommand: string,
  hedges: HedgesLeft = {},
): string {
  return [ordersText(orders, cancelCommand), ...describeHedgesLeft(hedges)].join(
    "\nmarketwright: ",
  );
}

function ordersText(orders: Parameters<typeof ordersLeftText>[0], cancelCommand: string): string {
  if (orders === undefined || orders.length === 0)
    return `the bot knows of no order that may still fill, but has not made sure: ${cancelCommand} does`;
  const named = orders
    .slice(0, MOST_NAMED)
    .map(({ marketId, hash, phase }) => `${marketId} ${hash} (${phase})`);
  const more = orders.length > named.length ? ` and ${orders.length - named.length} more` : "";
  return `orders that may still fill are left: ${named.join(", ")}${more}; ${cancelCommand} cancels them`;
}

/**
 * Names the markets whose position the exchange contradicts, or did not report. @returns true if
 * there are any
 */
function reportPositions({ stderr }: CliContext, { positionsApart = [] }: RunSummary): boolean {
  for (const { marketId, positionBase, exchangeBase } of positionsApart) {
    const theirs =
      exchangeBase === null
        ? "the exchange has not reported its position"
        : `the exchange holds ${exchangeBase}`;
    stderr.write(
      `marketwright: the position of ${marketId} is ${positionBase} base by the bot's own records, and ${theirs}: check before you trade on it\n`,
    );
  }
  return positionsApart.length > 0;
}

/** Names the hedges that are left. @returns true if one is not done */
function reportHedges({ stderr }: CliContext, summary: RunSummary): boolean {
  for (const line of describeHedgesLeft(summary)) stderr.write(`marketwright: ${line}\n`);
  return (summary.hedgesLeft ?? []).length > 0;
}

/** Names the takeovers whose sale the run has not ended: no fault of it. */
function reportSales({ stderr }: CliContext, { takeoversInSale = [] }: RunSummary): void {
  for (const { marketId, remainingBase } of takeoversInSale) {
    const base = remainingBase.replace("-", "");
    const what = remainingBase.startsWith("-") ? "bought back" : "sold";
    stderr.write(
      `marketwright: ${base} base of takeovers in ${marketId} are still to be ${what}: the bot trades or hedges nothing of it until it runs again\n`,
    );
  }
}

function nameOf({ marketId, orderId, hash, side, price, sizeBase, phase }: LeftoverOrder): string {
  return `${marketId} ${side} ${sizeBase} at ${price}, order ${orderId ?? hash} (${phase})`;
}
