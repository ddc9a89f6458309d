import { z } from "zod";
import type { CreditUnits, Int64Id, MarketId, Ms, PaperUnits } from "../core/units.js";
import { creditChange, type LedgerEvent, paperChange } from "./ledger-event.js";
import { MarketUnits, type StoredUnits } from "./market-units.js";
import type { ExchangeStatement } from "./sources/exchange-statement.js";

/** Balances of settled trades at one instant, and the newest records that they contain. */
export interface BalanceCheckpoint {
  readonly atMs: Ms;
  readonly credit: CreditUnits;
  readonly paper: ReadonlyMap<MarketId, PaperUnits>;
  /** Newest trade of each market. */
  readonly newestTradeIds: ReadonlyMap<MarketId, Int64Id>;
  /** Trades up to those that were not settled yet, as `market id`. */
  readonly pending: ReadonlySet<string>;
  readonly newestIncomeMs: Ms;
  readonly units: StoredUnits;
}

const whole = z
  .string()
  .regex(/^-?\d+$/)
  .transform((text) => BigInt(text));

const checkpointSchema = z.object({
  atMs: z.number(),
  credit: whole,
  paper: z.record(z.string(), whole),
  newestTradeIds: z.record(z.string(), z.string().regex(/^\d{1,20}$/)),
  pending: z.array(z.string()),
  newestIncomeMs: z.number(),
  units: z.object({
    creditAsset: z.string(),
    creditDecimals: z.int(),
    paperDecimals: z.int(),
    markets: z.record(
      z.string(),
      z.object({ tickSize: z.string(), stepSize: z.string(), baseAsset: z.string() }),
    ),
  }),
});

/** The balances that a statement has, to be compared with later. */
export function checkpointFor({
  trades,
  incomes,
  balances,
  units,
}: ExchangeStatement): BalanceCheckpoint {
  const newestTradeIds = new Map<MarketId, Int64Id>();
  for (const { marketId, id } of trades) newestTradeIds.set(marketId, id);
  return {
    atMs: balances.atMs,
    credit: balances.credit,
    paper: balances.settledPaper,
    newestTradeIds,
    pending: new Set(
      trades
        .filter(({ state }) => state === "pending")
        .map(({ marketId, id }) => `${marketId} ${id}`),
    ),
    newestIncomeMs: incomes.at(-1)?.timeMs ?? 0,
    units: units.stored,
  };
}

/** A checkpoint as a line of its file. */
export function encodeCheckpoint(checkpoint: BalanceCheckpoint): string {
  const texts = (amounts: ReadonlyMap<string, bigint>): Record<string, string> =>
    Object.fromEntries([...amounts].map(([name, amount]) => [name, String(amount)]));
  return JSON.stringify({
    ...checkpoint,
    credit: String(checkpoint.credit),
    paper: texts(checkpoint.paper),
    newestTradeIds: Object.fromEntries(checkpoint.newestTradeIds),
    pending: [...checkpoint.pending],
  });
}

/** A line of the file; undefined for one that cannot be read, as after a crash. */
export function decodeCheckpoint(value: unknown): BalanceCheckpoint | undefined {
  const read = checkpointSchema.safeParse(value);
  if (!read.success) return undefined;
  const { paper, newestTradeIds, pending, ...rest } = read.data;
  return {
    ...rest,
    paper: new Map(Object.entries(paper)),
    newestTradeIds: new Map(Object.entries(newestTradeIds)),
    pending: new Set(pending),
  };
}

/** Units of the newest export. */
export function unitsFromCheckpoints(
  checkpoints: readonly BalanceCheckpoint[],
): MarketUnits | undefined {
  const newest = checkpoints.at(-1);
  return newest === undefined ? undefined : new MarketUnits(newest.units);
}

/**
 * The settled balances by the events up to a checkpoint. @param checkpoint undefined for all events
 */
export function balancesAt(
  events: readonly LedgerEvent[],
  checkpoint: BalanceCheckpoint | undefined,
): { readonly credit: CreditUnits; readonly paper: ReadonlyMap<MarketId, PaperUnits> } {
  let credit = 0n;
  const paper = new Map<MarketId, PaperUnits>();
  for (const event of events) {
    if (!isWithin(event, checkpoint)) continue;
    credit += creditChange(event);
    const { marketId } = event;
    if (marketId !== undefined)
      paper.set(marketId, (paper.get(marketId) ?? 0n) + paperChange(event));
  }
  return { credit, paper };
}

function isWithin(event: LedgerEvent, checkpoint: BalanceCheckpoint | undefined): boolean {
  if (checkpoint === undefined) return event.kind !== "fill" || event.state !== "pending";
  if (event.kind !== "fill") return event.timeMs <= checkpoint.newestIncomeMs;
  const { marketId, id, state } = event;
  if (state === "pending" || checkpoint.pending.has(`${marketId} ${id}`)) return false;
  return BigInt(id) <= BigInt(checkpoint.newestTradeIds.get(marketId) ?? "0");
}
