import { loadBotConfig } from "../../../bot/config/config.js";
import { stateDirFor } from "../../../bot/state/state-dir.js";
import { scaledToDecimal } from "../../../core/instrument.js";
import type { CreditUnits } from "../../../core/units.js";
import { instantText } from "../../../history/day.js";
import type { MissedLiquidation } from "../../../ledger/liquidations/missed-liquidation.js";
import {
  type MissedLiquidations,
  summariseMissed,
} from "../../../ledger/liquidations/summarise-missed.js";
import { decodeLedger } from "../../../liquidator/ledger/ledger-lines.js";
import { LIQUIDATIONS_FILE } from "../../../liquidator/ledger/liquidation-ledger.js";
import type { CliContext } from "../../cli-context.js";
import { accountOfFile } from "../../control/account-of-file.js";
import { openExistingState } from "../../halts/existing-state.js";
import { jsonText, table } from "../../process/output.js";
import { ledgerPeriod } from "./open-ledger.js";

/** Options of `ledger liquidations`. */
export interface LedgerLiquidationsOptions {
  readonly from?: string;
  readonly to?: string;
  readonly json?: boolean;
}

/** Liquidations settle in a chain's primary asset, which has six decimals. */
const CREDIT_DECIMALS = 6;
const WEI_DECIMALS_OF_GWEI = 9;

/** Prints what the liquidator did not win, and the sums by stage. */
export function ledgerLiquidationsCommand(
  context: CliContext,
  file: string,
  options: LedgerLiquidationsOptions,
): void {
  const { env, stdout } = context;
  const period = ledgerPeriod(options);
  const config = loadBotConfig(file, env);
  const store = openExistingState(stateDirFor(config, accountOfFile(file, env)));
  const all = summariseMissed(decodeLedger(store?.read(LIQUIDATIONS_FILE) ?? ""), period);
  stdout.write(options.json === true ? jsonText(toJson(all), 2) : formatMissed(all));
}

function formatMissed({ missed, stages, won, wonQuote, open }: MissedLiquidations): string {
  const list = missed.map((one) => [
    instantText(one.seenMs),
    one.marketId,
    `${one.victim.slice(0, 8)}...`,
    one.outcome,
    one.stage,
    quoteText(one.profitQuote),
    gweiText(one.ourTipWei),
    gweiText(one.winnerTipWei),
    gweiText(one.winningTipWei),
    one.reason ?? "",
  ]);
  const head =
    "seen market account outcome stage would-earn our-tip winner's-tip winning-tip reason";
  const sums = stages.map(({ stage, count, missedQuote, unassessed, winnable, winnableQuote }) => [
    stage,
    String(count),
    quoteText(missedQuote),
    String(unassessed),
    String(winnable),
    quoteText(winnableQuote),
  ]);
  const sumHead = [
    "stage",
    "count",
    "would-earn",
    "not-assessed",
    "winnable-by-tip",
    "at-that-tip",
  ];
  const wonText = `won ${won}, earned ${quoteText(wonQuote)}; ${missed.length} not won; ${open} open\n`;
  if (missed.length === 0) return wonText;
  return `${table([head.split(" "), ...list])}\n${table([sumHead, ...sums])}\n${wonText}`;
}

function toJson({ missed, stages, won, wonQuote, open }: MissedLiquidations) {
  return {
    missed: missed.map((one) => ({
      ...one,
      seen: instantText(one.seenMs),
      profitQuote: jsonQuote(one.profitQuote),
      profitAtWinningTipQuote: jsonQuote(one.profitAtWinningTipQuote),
      parts: one.parts === undefined ? null : partsOf(one.parts),
    })),
    stages: stages.map((sum) => ({
      ...sum,
      missedQuote: jsonQuote(sum.missedQuote),
      winnableQuote: jsonQuote(sum.winnableQuote),
    })),
    won,
    wonQuote: jsonQuote(wonQuote),
    open,
  };
}

function partsOf(parts: NonNullable<MissedLiquidation["parts"]>) {
  const { discountQuote, takerFeeQuote, slippageQuote, gasQuote, requestPaper, blockNumber } =
    parts;
  return {
    blockNumber,
    requestPaper,
    discountQuote: jsonQuote(discountQuote),
    takerFeeQuote: jsonQuote(takerFeeQuote),
    slippageQuote: jsonQuote(slippageQuote),
    gasQuote: jsonQuote(gasQuote),
  };
}

function jsonQuote(units: CreditUnits | undefined): string | null {
  return units === undefined ? null : scaledToDecimal(units, CREDIT_DECIMALS);
}

function quoteText(units: CreditUnits | undefined): string {
  return jsonQuote(units) ?? "-";
}

function gweiText(wei: bigint | undefined): string {
  return wei === undefined ? "-" : `${scaledToDecimal(wei, WEI_DECIMALS_OF_GWEI)} gwei`;
}
