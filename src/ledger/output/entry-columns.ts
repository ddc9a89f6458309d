import { scaledToDecimal } from "../../core/instrument.js";
import type { Ms } from "../../core/units.js";
import { instantText } from "../../history/day.js";
import type { AccountEntry } from "../account-entry.js";
import type { CsvColumn } from "./csv-table.js";

/** A column of an export. */
export interface EntryColumn extends CsvColumn {
  /** Its text in CSV; empty if the line has none. */
  readonly text: (entry: AccountEntry, paperDecimals: number) => string;
}

/** Decimals of every amount in Parquet: an asset with fewer has zeros at the end. */
const DECIMAL = "DECIMAL(38,18)";

/** The columns of an export, in their order (docs/reference/ledger.md#columns). */
export const ENTRY_COLUMNS: readonly EntryColumn[] = [
  { name: "time", type: "TIMESTAMP", text: ({ timeMs }) => utcText(timeMs) },
  { name: "kind", type: "VARCHAR", text: ({ kind }) => kind },
  { name: "venue", type: "VARCHAR", text: ({ venue }) => venue },
  { name: "market", type: "VARCHAR", text: ({ marketId }) => marketId ?? "" },
  { name: "asset", type: "VARCHAR", text: ({ asset }) => asset },
  { name: "amount", type: DECIMAL, text: (entry) => amountText(entry.amount, entry.decimals) },
  { name: "balance", type: DECIMAL, text: (entry) => amountText(entry.balance, entry.decimals) },
  {
    name: "position",
    type: DECIMAL,
    text: ({ position }, decimals) => amountText(position, decimals),
  },
  { name: "price", type: DECIMAL, text: ({ price }) => price ?? "" },
  { name: "base_amount", type: DECIMAL, text: ({ base }, decimals) => amountText(base, decimals) },
  { name: "id", type: "VARCHAR", text: ({ id }) => id },
  { name: "transaction", type: "VARCHAR", text: ({ hash }) => hash ?? "" },
  { name: "reverses", type: "VARCHAR", text: ({ reverses }) => reverses ?? "" },
  { name: "source", type: "VARCHAR", text: ({ source }) => source },
  { name: "detail", type: "VARCHAR", text: ({ detail }) => detail ?? "" },
];

/** An instant in UTC with three decimals of a second, so that texts sort by time. */
function utcText(timeMs: Ms): string {
  const text = instantText(timeMs);
  return text.includes(".") ? text : text.replace("Z", ".000Z");
}

function amountText(amount: bigint | undefined, decimals: number): string {
  return amount === undefined ? "" : scaledToDecimal(amount, decimals);
}
