import type { CreditUnits } from "../../core/units.js";
import type { LedgerFinding } from "../finding.js";
import type { FillEvent } from "../ledger-event.js";
import type { StatementIncome } from "../sources/exchange-statement.js";

/** Types of the incomes that the exchange books for a settled trade. */
const TRADE_TYPES: ReadonlySet<string> = new Set(["BUY", "SELL", "MAKER_FEE", "TAKER_FEE"]);

/** Incomes of settled trades, and all others. */
export interface PairedIncomes {
  /** Incomes that belong to no trade of the list. */
  readonly others: readonly StatementIncome[];
  readonly findings: readonly LedgerFinding[];
}

/** The credit that a settled trade, or its fee, should have been booked with. */
interface ExpectedCredit {
  readonly type: string;
  readonly amount: CreditUnits;
  readonly fill: FillEvent;
}

/**
 * Compares the credit that the exchange booked with the trades that it lists. An income does not
 * name its trade, so equal amounts of one market and type are paired; what is left on both sides is
 * paired in order, and named.
 */
export function pairIncomes(
  fills: readonly FillEvent[],
  incomes: readonly StatementIncome[],
): PairedIncomes {
  const booked = new Map<string, StatementIncome[]>();
  const others: StatementIncome[] = [];
  for (const income of incomes) {
    if (!TRADE_TYPES.has(income.type)) others.push(income);
    else if (income.amount !== 0n) push(booked, amountKey(income, income.marketId), income);
  }
  const missing = fills
    .filter(({ state }) => state === "settled")
    .flatMap(expectedCredits)
    .filter(
      (expected) => booked.get(amountKey(expected, expected.fill.marketId))?.shift() === undefined,
    );
  const left = new Map<string, StatementIncome[]>();
  for (const income of [...booked.values()].flat())
    push(left, `${income.marketId} ${income.type}`, income);
  for (const list of left.values()) list.sort((one, other) => one.timeMs - other.timeMs);
  const oldestMs = firstTradeIncomeMs(incomes);
  const findings = missing.flatMap(({ type, amount, fill }): LedgerFinding[] => {
    const { marketId, id, side, timeMs } = fill;
    const line = `${marketId}.${id}.${side.toLowerCase()}`;
    const income = left.get(`${marketId} ${type}`)?.shift();
    if (income !== undefined) {
      const detail = `${type}: the list of trades has ${amount}, income ${income.id} has ${income.amount}`;
      return [{ kind: "trade-and-income-differ", marketId, id: line, detail }];
    }
    // The exchange keeps a bounded number of incomes, or lists none of trades. A trade that it does
    // not list is named for that.
    if (oldestMs === undefined || timeMs < oldestMs || fill.source === "file") return [];
    const detail = `no income ${type} of ${amount}`;
    return [{ kind: "trade-without-income", marketId, id: line, detail }];
  });
  return { others: [...others, ...[...left.values()].flat()], findings };
}

function expectedCredits(fill: FillEvent): ExpectedCredit[] {
  const { side, quote, commission, isMaker } = fill;
  const all: ExpectedCredit[] = [
    { type: side, amount: side === "BUY" ? -quote : quote, fill },
    { type: isMaker ? "MAKER_FEE" : "TAKER_FEE", amount: -commission, fill },
  ];
  return all.filter(({ amount }) => amount !== 0n);
}

function firstTradeIncomeMs(incomes: readonly StatementIncome[]): number | undefined {
  return incomes.find(({ type }) => TRADE_TYPES.has(type))?.timeMs;
}

function amountKey(
  { type, amount }: Pick<StatementIncome, "type" | "amount">,
  marketId: string | undefined,
): string {
  return `${marketId} ${type} ${amount}`;
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
