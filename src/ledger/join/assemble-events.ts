import type { MarketId, PaperUnits } from "../../core/units.js";
import type { LedgerFinding } from "../finding.js";
import {
  type CreditEvent,
  type InventoryEvent,
  type LedgerEvent,
  type OutsideEvent,
  paperChange,
} from "../ledger-event.js";
import type { MarketUnits } from "../market-units.js";
import type { DayIncomes } from "../sources/day-incomes.js";
import type { ExchangeStatement, StatementIncome } from "../sources/exchange-statement.js";
import type { FileFills } from "../sources/file-fills.js";
import type { FileTakeover } from "../sources/file-takeovers.js";
import { joinFills } from "./join-fills.js";
import { pairIncomes } from "./pair-incomes.js";

/** The records of an account, as they were read. */
export interface AccountRecords {
  readonly units: MarketUnits;
  readonly file: FileFills;
  readonly takeovers: readonly FileTakeover[];
  /** Gas, and the legs at hedge venues. */
  readonly outside: readonly OutsideEvent[];
  /** Funding and transfers of the day files; used if only the files were read. */
  readonly incomes?: DayIncomes | undefined;
  /** Contradictions between the files themselves. */
  readonly fileFindings?: readonly LedgerFinding[];
  /** Undefined if only the files were read. */
  readonly statement: ExchangeStatement | undefined;
}

/** All that happened to the account, in the order of time, and where its records differ. */
export interface AssembledEvents {
  readonly events: readonly LedgerEvent[];
  readonly findings: readonly LedgerFinding[];
}

const CREDIT_KINDS: Readonly<Record<string, CreditEvent["entry"]>> = {
  DEPOSIT: "deposit",
  BONUS: "deposit",
  WITHDRAWAL: "withdrawal",
  FUNDING_FEE: "funding",
};

/** Joins the account's files with what the exchange states, each event once. */
export function assembleEvents(records: AccountRecords): AssembledEvents {
  const { units, file, statement, outside } = records;
  const { fills, findings } = joinFills(file.fills, statement?.trades, units);
  const { others, findings: unpaired } = pairIncomes(fills, statement?.incomes ?? []);
  const { inventory, credits } = splitIncomes(others, records);
  const recorded = statement === undefined ? (records.incomes?.credits ?? []) : [];
  const events: LedgerEvent[] = [...credits, ...recorded, ...fills, ...inventory, ...outside];
  const complete =
    statement === undefined ? events : inferPaper(events, statement.balances.matchedPaper);
  const unreadable: LedgerFinding[] =
    file.unreadableLines === 0
      ? []
      : [
          {
            kind: "unreadable-lines",
            marketId: undefined,
            id: "fills.jsonl",
            detail: `${file.unreadableLines} lines cannot be read`,
          },
        ];
  return {
    events: complete.toSorted(byTime),
    findings: [...findings, ...unpaired, ...unreadable, ...(records.fileFindings ?? [])],
  };
}

function splitIncomes(
  incomes: readonly StatementIncome[],
  { takeovers, statement }: AccountRecords,
): { readonly inventory: readonly InventoryEvent[]; readonly credits: readonly CreditEvent[] } {
  const left = [...takeovers];
  const inventory: InventoryEvent[] = [];
  const credits: CreditEvent[] = [];
  for (const income of incomes) {
    const { type, marketId, amount, timeMs, id } = income;
    if (marketId !== undefined && (type === "LIQUIDATE" || type === "LIQUIDATED")) {
      const at = left.findIndex((own) => own.marketId === marketId && own.credit === amount);
      const own = type === "LIQUIDATE" && at >= 0 ? left.splice(at, 1)[0] : undefined;
      inventory.push({
        kind: "inventory",
        entry: type === "LIQUIDATE" ? "takeover" : "liquidated",
        timeMs,
        marketId,
        id: `income.${id}`,
        paper: own?.paper,
        credit: amount,
        hash: own?.hash,
        source: own === undefined ? "exchange" : "both",
        detail: own === undefined ? undefined : `of ${own.victim}`,
      });
      continue;
    }
    const entry = CREDIT_KINDS[type] ?? "other";
    credits.push({
      kind: "credit",
      entry,
      timeMs,
      marketId,
      id: `income.${id}.${type.toLowerCase()}`,
      amount,
      source: "exchange",
      detail: entry === "other" || type === "BONUS" ? type : undefined,
    });
  }
  // Without the exchange's word, or older than its list.
  const oldestMs = statement?.incomes[0]?.timeMs;
  for (const own of left) {
    if (oldestMs !== undefined && own.timeMs >= oldestMs) continue;
    const { timeMs, marketId, id, paper, credit, hash, victim } = own;
    inventory.push({
      kind: "inventory",
      entry: "takeover",
      timeMs,
      marketId,
      id,
      paper,
      credit,
      hash,
      source: "file",
      detail: `of ${victim}`,
    });
  }
  return { inventory, credits };
}

/**
 * An income of a liquidation does not say how much was taken. If one of a market alone lacks its
 * amount, the position gives it.
 */
function inferPaper(
  events: readonly LedgerEvent[],
  positions: ReadonlyMap<MarketId, PaperUnits>,
): readonly LedgerEvent[] {
  const unknown = events.filter(
    (event): event is InventoryEvent => event.kind === "inventory" && event.paper === undefined,
  );
  const alone = unknown.filter(
    ({ marketId }) => unknown.filter((other) => other.marketId === marketId).length === 1,
  );
  if (alone.length === 0) return events;
  const inferred = new Map<LedgerEvent, LedgerEvent>();
  for (const event of alone) {
    const { marketId } = event;
    const known = events
      .filter((other) => other.marketId === marketId)
      .reduce((sum, other) => sum + paperChange(other), 0n);
    const paper = (positions.get(marketId) ?? 0n) - known;
    const detail = "amount inferred from the position";
    inferred.set(event, { ...event, paper, detail, source: "computed" });
  }
  return events.map((event) => inferred.get(event) ?? event);
}

/** Order of time. Of one instant, deposits come before what they pay for, and trades by id. */
function byTime(one: LedgerEvent, other: LedgerEvent): number {
  if (one.timeMs !== other.timeMs) return one.timeMs - other.timeMs;
  if (one.kind !== other.kind) return RANK[one.kind] - RANK[other.kind];
  if (one.kind !== "fill" || other.kind !== "fill") return 0;
  const [a, b] = [BigInt(one.id), BigInt(other.id)];
  return a < b ? -1 : a > b ? 1 : 0;
}

const RANK = { credit: 0, inventory: 1, fill: 2, outside: 3 } as const;
