/** How a column of the day files is written: a JSON value, and a type of Parquet. */
export type DayColumnKind = "whole" | "units" | "text" | "causes" | "fills" | "markouts" | "events";

/** One column of the day files. */
export interface DayColumn {
  readonly name: string;
  /**
   * `whole`: a number below 2^53. `units`: an integer of money, as a text in JSON. The others are
   * lists of structs.
   */
  readonly kind: DayColumnKind;
  /** Its meaning, with the unit. */
  readonly is: string;
}

const whole = (name: string, is: string): DayColumn => ({ name, kind: "whole", is });
const units = (name: string, is: string): DayColumn => ({ name, kind: "units", is });

/**
 * The columns of the day files, in their order (docs/reference/live-report.md#columns). Names and
 * units never change; a later version may add columns.
 */
export const DAY_COLUMNS = [
  whole("session", "start of the run, ms since 1970: the same in all its rows"),
  whole("fromMs", "begin of the row's interval, exchange time, ms since 1970"),
  whole("atMs", "end of the interval, and the instant of every state, ms since 1970"),
  whole("elapsedUs", "length of the interval by the monotonic clock, µs"),
  { name: "marketId", kind: "text", is: "the market; empty in the row of the account" },
  units("equity", "account: net value at the marks, smallest quote units"),
  units("underWay", "account: what only a balance or only a record shows yet, profit units"),
  units("transfers", "account: deposits less withdrawals since the start, profit units"),
  units("hedgeProfit", "profit of hedges at their venues, smallest quote units"),
  units("spread", "profit by its parts since the start, profit units"),
  units("inventory", "see `spread`"),
  units("fees", "see `spread`; below 0 paid"),
  units("funding", "see `spread`"),
  units("basis", "see `spread`"),
  units("failed", "see `spread`"),
  units("liquidation", "see `spread`"),
  units("other", "see `spread`"),
  whole("positionLots", "position, lots, below 0 short"),
  whole("midHalfTicks", "best bid plus best ask of the others, ticks"),
  units("mark", "mark price of one base unit, smallest quote units"),
  whole("ownBidTicks", "best own bid that rests, ticks"),
  whole("ownAskTicks", "best own ask that rests, ticks"),
  whole("bothUs", "time with an own order on both sides, µs"),
  whole("bidUs", "time with an own bid, µs"),
  whole("askUs", "time with an own ask, µs"),
  whole("bidTouchUs", "time with an own bid at the touch of the others or better, µs"),
  whole("askTouchUs", "time with an own ask there, µs"),
  whole("bidMeasuredUs", "time with an own bid and a touch of the others, µs"),
  whole("askMeasuredUs", "time with an own ask and a touch of the others, µs"),
  whole("bidTickUs", "distance behind that touch times that time, tick µs"),
  whole("askTickUs", "the same of the asks, tick µs"),
  { name: "causes", kind: "causes", is: "why it was not on both sides, and for how long, µs" },
  whole("placed", "orders sent"),
  whole("ordersFilled", "orders with their first fill"),
  whole("cancels", "cancels sent"),
  whole("cancelAlls", "cancels of all orders sent"),
  whole("throttled", "account: actions that waited for tokens; market: orders that they held back"),
  whole("fundingPayments", "payments of funding"),
  units("fundingPaid", "funding paid, smallest quote units"),
  units("fundingReceived", "funding received, smallest quote units"),
  { name: "fills", kind: "fills", is: "fills that were reported in the interval" },
  { name: "markouts", kind: "markouts", is: "markouts that became known in the interval" },
  { name: "events", kind: "events", is: "account: halts and their ends, failed trades, ..." },
  { name: "facts", kind: "text", is: "account: JSON of the run's units, once a file and run" },
] as const satisfies readonly DayColumn[];

/** Fields of the structs, with their types of Parquet. Money is a text in JSON here too. */
export const DAY_STRUCTS = {
  causes: { cause: "VARCHAR", us: "BIGINT" },
  fills: {
    id: "VARCHAR",
    matchedMs: "BIGINT",
    heardMs: "BIGINT",
    side: "VARCHAR",
    level: "INTEGER",
    ticks: "BIGINT",
    lots: "BIGINT",
    isMaker: "BOOLEAN",
    quote: "BIGINT",
    fee: "BIGINT",
    midHalfTicks: "BIGINT",
    positionLots: "BIGINT",
  },
  markouts: {
    id: "VARCHAR",
    matchedUs: "BIGINT",
    side: "VARCHAR",
    level: "INTEGER",
    ticks: "BIGINT",
    lots: "BIGINT",
    horizonMs: "INTEGER",
    midHalfTicks: "BIGINT",
    fillMidHalfTicks: "BIGINT",
    isMaker: "BOOLEAN",
  },
  events: {
    atMs: "BIGINT",
    kind: "VARCHAR",
    marketId: "VARCHAR",
    name: "VARCHAR",
    why: "VARCHAR",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The type of a column in Parquet, as SQL. */
export function dayColumnType({ kind }: DayColumn): string {
  if (kind === "whole" || kind === "units") return "BIGINT";
  if (kind === "text") return "VARCHAR";
  const fields = Object.entries(DAY_STRUCTS[kind]).map(([name, type]) => `"${name}" ${type}`);
  return `STRUCT(${fields.join(", ")})[]`;
}
