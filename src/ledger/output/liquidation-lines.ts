import { scaledToDecimal } from "../../core/instrument.js";
import { instantText } from "../../history/day.js";
import type { Opportunity } from "../../liquidator/ledger/opportunity.js";
import type { LedgerPeriod } from "../account-ledger.js";
import { describeMissed, type MissedLiquidation } from "../liquidations/missed-liquidation.js";
import { textCell } from "./csv-lines.js";
import type { CsvColumn } from "./csv-table.js";

/** Liquidations settle in a chain's primary asset, which has six decimals. */
const CREDIT_DECIMALS = 6;
const WEI_DECIMALS_OF_GWEI = 9;
const DECIMAL = "DECIMAL(38,18)";

interface LiquidationColumn extends CsvColumn {
  readonly text: (opportunity: Opportunity, missed: MissedLiquidation | undefined) => string;
}

const quoteText = (units: bigint | undefined): string =>
  units === undefined ? "" : scaledToDecimal(units, CREDIT_DECIMALS);
const gweiText = (wei: bigint | undefined): string =>
  wei === undefined ? "" : scaledToDecimal(wei, WEI_DECIMALS_OF_GWEI);

/** The columns of the table of liquidations (docs/reference/ledger.md#ask-in-sql). */
export const LIQUIDATION_COLUMNS: readonly LiquidationColumn[] = [
  { name: "time", type: "TIMESTAMP", text: ({ atMs }) => instantText(atMs.seen ?? 0) },
  { name: "market", type: "VARCHAR", text: ({ marketId }) => marketId },
  { name: "account", type: "VARCHAR", text: ({ victim }) => victim },
  { name: "outcome", type: "VARCHAR", text: ({ outcome }) => outcome },
  { name: "stage", type: "VARCHAR", text: (_, missed) => missed?.stage ?? "" },
  {
    name: "would_earn",
    type: DECIMAL,
    text: ({ assessed, intended }) =>
      quoteText(assessed?.profitQuote ?? intended?.expectedProfitQuote),
  },
  {
    name: "earned",
    type: DECIMAL,
    text: ({ outcome, profitQuote }) => quoteText(outcome === "won" ? profitQuote : undefined),
  },
  { name: "tip_gwei", type: DECIMAL, text: ({ tipWei }) => gweiText(tipWei) },
  { name: "winner_tip_gwei", type: DECIMAL, text: ({ lostTo }) => gweiText(lostTo?.tipWei) },
  {
    name: "winning_tip_gwei",
    type: DECIMAL,
    text: (_, missed) => gweiText(missed?.winningTipWei),
  },
  {
    name: "at_winning_tip",
    type: DECIMAL,
    text: (_, missed) => quoteText(missed?.profitAtWinningTipQuote),
  },
  {
    name: "blocks_before",
    type: "BIGINT",
    text: ({ lostTo }) => (lostTo === undefined ? "" : String(lostTo.blocksBefore)),
  },
  { name: "winner", type: "VARCHAR", text: ({ lostTo }) => lostTo?.winner ?? "" },
  { name: "reason", type: "VARCHAR", text: ({ reason }) => reason ?? "" },
  { name: "id", type: "VARCHAR", text: ({ id }) => id },
];

/**
 * The lines of a CSV file with a liquidator's opportunities that were first seen in a period, won
 * ones too, the names of the columns first.
 */
export function* liquidationLines(
  opportunities: readonly Opportunity[],
  { fromMs, toMs }: LedgerPeriod,
): Generator<string, void> {
  yield `${LIQUIDATION_COLUMNS.map(({ name }) => name).join(",")}\n`;
  for (const opportunity of opportunities) {
    const { seen = 0 } = opportunity.atMs;
    if (seen < (fromMs ?? seen) || seen >= (toMs ?? Number.POSITIVE_INFINITY)) continue;
    const missed = describeMissed(opportunity);
    const cells = LIQUIDATION_COLUMNS.map(({ type, text }) => {
      const cell = text(opportunity, missed);
      return type === "VARCHAR" ? textCell(cell) : cell;
    });
    yield `${cells.join(",")}\n`;
  }
}
