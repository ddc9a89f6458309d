import { ChainError } from "../../chain/rpc/rpc-errors.js";
import { AccountReader } from "../../chain/transactions/account-reader.js";
import { ceilDivide } from "../../core/bigints.js";
import { MarketwrightError } from "../../core/errors.js";
import { type Instrument, scaledToDecimal } from "../../core/instrument.js";
import type { Ms } from "../../core/units.js";
import type { Opportunity } from "../../liquidator/ledger/opportunity.js";
import { estimateGasCost } from "../../liquidator/plan/gas-cost.js";
import type { PlanInput } from "../../liquidator/plan/plan-input.js";
import { takeoverCapacity } from "../../liquidator/plan/takeover-capacity.js";
import { BPS } from "../../perpetual/fixed-point.js";
import type { LiquidatorConfig } from "../config/config.js";
import {
  type RunningLiquidator,
  type StartLiquidatorOptions,
  startLiquidator,
} from "../run/run-liquidator.js";
import type { ExplainedCandidate, ExplainedCapacity, ExplainedLiquidator } from "./explanation.js";

const LOOK_EVERY_MS = 50;

/** Options of {@link explainLiquidator}: those that a liquidator is started with. */
export type ExplainLiquidatorOptions = Omit<
  StartLiquidatorOptions,
  "dryRun" | "command" | "log" | "onLedgerChange"
>;

/**
 * The next actions of the liquidator of a bot's file. It is started dry beside a dry run, assesses
 * every account that the exchange and the chain name, and is stopped. Sends only queries. A problem
 * with the chain is a reason in the result, not an error.
 * @param withinMs longest wait for its assessment.
 */
export async function explainLiquidator(
  options: ExplainLiquidatorOptions,
  withinMs: Ms,
): Promise<ExplainedLiquidator | undefined> {
  const wanted = options.config.liquidator;
  if (wanted === undefined) return undefined;
  const troubles = new Set<string>();
  let running: RunningLiquidator | undefined;
  try {
    running = await startLiquidator({
      ...options,
      dryRun: true,
      command: () => {},
      log: (level, text, { why }) => {
        if (level !== "info") troubles.add(typeof why === "string" ? `${text}: ${why}` : text);
      },
      onLedgerChange: () => {},
    });
    if (running === undefined) return undefined;
    await waitForDecisions(running, options, withinMs);
    return await explained(running, options, wanted, troubles);
  } catch (error) {
    if (!(error instanceof MarketwrightError)) throw error;
    return blind(wanted, [error.message]);
  } finally {
    await running?.stop();
  }
}

/**
 * Waits until it has decided about every account, or until a halt that an operator must end
 * prevents that.
 */
async function waitForDecisions(
  { liquidator }: RunningLiquidator,
  { runtime: { clock }, bot }: ExplainLiquidatorOptions,
  withinMs: Ms,
): Promise<void> {
  const endMs = clock.monotonicMs() + withinMs;
  const isHeld = (): boolean =>
    bot.tradingGuards.halts.some(
      ({ scope, resumesByItself }) => scope === "account" && !resumesByItself,
    );
  while (liquidator.view().decidedBlock === undefined && !isHeld() && clock.monotonicMs() < endMs)
    await new Promise<void>((resolve) => clock.setTimer(LOOK_EVERY_MS, resolve));
}

async function explained(
  { liquidator, ledger, rpc, sender, mayAct }: RunningLiquidator,
  { bot, account }: ExplainLiquidatorOptions,
  wanted: LiquidatorConfig,
  troubles: ReadonlySet<string>,
): Promise<ExplainedLiquidator> {
  const { rules, traders } = bot.context;
  const quote = (units: bigint): string => scaledToDecimal(units, rules.creditDecimals);
  const reasons: string[] = [];
  const { paused, blockNumber, decidedBlock, watched, nearest } = liquidator.view();
  if (wanted.dryRun) reasons.push("liquidator.dryRun is true: nothing is sent");
  if (!mayAct)
    reasons.push(
      `${sender} is not an operator of ${account} on the chain; expected setOperator by the account`,
    );
  if (paused !== undefined) reasons.push(paused);
  else if (decidedBlock === undefined) reasons.push("it did not assess every account in time");
  let input: PlanInput | undefined;
  try {
    const survey = await liquidator.survey();
    input = survey.input;
    if (survey.own.kind === "unreadable")
      reasons.push(`the bot's own account cannot be read: ${survey.own.revert.text}`);
  } catch (error) {
    if (!(error instanceof MarketwrightError)) throw error;
    reasons.push(error.message);
  }
  const capacity = input === undefined ? [] : capacitiesOf(input);
  if (
    capacity.length > 0 &&
    capacity.every(({ longBase, shortBase }) => longBase === "0" && shortBase === "0")
  )
    reasons.push(
      `the bot's own account has no capacity for a lot (${[...new Set(capacity.flatMap(({ boundBy }) => boundBy))].join(", ")})`,
    );
  const gas =
    input === undefined
      ? undefined
      : { ...estimateGasCost(input.gas), perGasWei: input.gas.feePerGasWei };
  if (gas !== undefined) {
    const wei = await balanceOf(rpc, sender);
    if (wei !== undefined && wei < gas.wei)
      reasons.push(`${sender} has ${scaledToDecimal(wei, 18)} ETH, less than one takeover's gas`);
  }
  const candidates = ledger.open.map((opportunity) =>
    candidateOf(opportunity, quote, traders.get(opportunity.marketId)?.instrument),
  );
  const wouldTake = candidates.some(({ fate }) => fate === "would be taken over");
  const own = input?.own.margin;
  return {
    state:
      reasons.length > 0 ? "nothing can be taken over" : wouldTake ? "would take over" : "watching",
    reasons,
    troubles: [...troubles].filter(
      (trouble) => !reasons.some((reason) => trouble.includes(reason)),
    ),
    ...rulesOf(wanted),
    account,
    sender,
    mayAct,
    blockNumber,
    watched,
    nearest: nearest.map(({ account: of, nearness: { distanceBps }, discountCredit }) => ({
      account: of,
      distanceBps: Number.isFinite(distanceBps) ? distanceBps : undefined,
      discountQuote: quote(discountCredit),
    })),
    gas:
      gas === undefined
        ? undefined
        : {
            feePerGasGwei: scaledToDecimal(gas.perGasWei, 9),
            costEth: scaledToDecimal(gas.wei, 18),
            costQuote: quote(gas.credit),
          },
    margin:
      own === undefined || input === undefined
        ? undefined
        : {
            netValueQuote: quote(own.netValueCredit),
            maintenanceQuote: quote(own.maintenanceMarginCredit),
            freeQuote: quote(
              own.netValueCredit -
                ceilDivide(
                  own.maintenanceMarginCredit * (BPS + BigInt(input.rules.marginBufferBps)),
                  BPS,
                ),
            ),
          },
    capacity,
    candidates,
  };
}

function capacitiesOf(input: PlanInput): readonly ExplainedCapacity[] {
  return [...input.markets.values()].map((market) => {
    const [long, short] = [
      takeoverCapacity(input, market, 1n),
      takeoverCapacity(input, market, -1n),
    ];
    const { instrument, marketId, bids, asks } = market;
    return {
      marketId,
      longBase: instrument.formatAmount(long.lots),
      shortBase: instrument.formatAmount(short.lots),
      boundBy: [...new Set([long.boundBy, short.boundBy])].filter((bound) => bound !== undefined),
      hasBook: bids.length > 0 && asks.length > 0,
    };
  });
}

function candidateOf(
  { victim, marketId, isRehearsed, intended, shortOfQuote, reason, isWaiting }: Opportunity,
  quote: (units: bigint) => string,
  instrument: Instrument | undefined,
): ExplainedCandidate {
  const fate =
    isRehearsed === true
      ? "would be taken over"
      : shortOfQuote !== undefined
        ? "earns too little"
        : isWaiting === true
          ? "waits"
          : intended !== undefined
            ? "is refused by the chain"
            : "is left alone";
  return {
    victim,
    marketId,
    fate,
    why: reason,
    amountBase:
      intended === undefined || instrument === undefined
        ? undefined
        : scaledToDecimal(intended.requestPaper, instrument.paperDecimals),
    shortOfQuote: shortOfQuote === undefined ? undefined : quote(shortOfQuote),
    expectedProfitQuote: intended === undefined ? undefined : quote(intended.expectedProfitQuote),
    worstProfitQuote: intended === undefined ? undefined : quote(intended.worstProfitQuote),
  };
}

/** Undefined if no RPC answers. */
async function balanceOf(
  rpc: RunningLiquidator["rpc"],
  account: string,
): Promise<bigint | undefined> {
  try {
    return await new AccountReader(rpc, account).balanceWei("latest");
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

function rulesOf(wanted: LiquidatorConfig): Pick<ExplainedLiquidator, "dryRun" | "rules"> {
  const {
    dryRun,
    minProfitQuote,
    maxNotionalQuote,
    maxGasQuote,
    gasShareFraction,
    marginBufferFraction,
    takeUpTo,
    maxInFlight,
  } = wanted;
  return {
    dryRun,
    rules: {
      minProfitQuote,
      maxNotionalQuote,
      maxGasQuote,
      gasShareFraction,
      marginBufferFraction,
      takeUpTo,
      maxInFlight,
    },
  };
}

function blind(wanted: LiquidatorConfig, reasons: readonly string[]): ExplainedLiquidator {
  return {
    state: "nothing can be taken over",
    reasons,
    troubles: [],
    ...rulesOf(wanted),
    account: undefined,
    sender: undefined,
    mayAct: undefined,
    blockNumber: undefined,
    watched: 0,
    nearest: [],
    gas: undefined,
    margin: undefined,
    capacity: [],
    candidates: [],
  };
}
