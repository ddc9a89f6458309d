import type { AccountChange } from "../../account/changes.js";
import type { MarketId } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import type { StateStore } from "./state-dir.js";

/** The account's trades as a file of JSON lines: written before anything else hears of them, as {@link StateStore.append} promises. */
export const FILLS_FILE = "fills.jsonl";
/** Some five thousand lines: more than what a start is told of a market's earlier trades. */
const TAIL_BYTES = 1 << 20;

type TradeEvent = "fill" | "settled" | "trade-failed";

/** What the end of the file has of one market: from its oldest trade on, what is lacking is lacking in the whole file. */
interface Kept {
  readonly oldestId: bigint;
  /** `event id` of each line. */
  readonly lines: Set<string>;
}

/** Keeps every fill, its settlement and its failure in the state directory, one line each. */
export class TradeLog {
  readonly #store: StateStore;
  #kept: ReadonlyMap<MarketId, Kept> | undefined;

  constructor(store: StateStore) {
    this.#store = store;
  }

  note(change: Extract<AccountChange, { kind: TradeEvent }>): void {
    this.#write(change.kind, change.trade);
  }

  /**
   * Writes what no run has written of a trade from before this one: it was matched, or came to its end, while none ran. In a market of which
   * the file has no fill nobody can tell these from trades before the first run: nothing is written. True when the fill itself was lacking.
   */
  noteEarlier(trade: VenueTrade): boolean {
    if (this.#store.isDiscarded === true) return false;
    this.#kept ??= keptOf(this.#store.readTail(FILLS_FILE, TAIL_BYTES) ?? "");
    const kept = this.#kept.get(trade.marketId);
    if (kept === undefined || BigInt(trade.id) < kept.oldestId) return false;
    const end = endOf(trade);
    // A trade that failed before anybody heard of it was never a fill.
    const lacked = end !== "trade-failed" && this.#complete(kept, "fill", trade);
    if (end !== undefined) this.#complete(kept, end, trade);
    return lacked;
  }

  #complete(kept: Kept, event: TradeEvent, trade: VenueTrade): boolean {
    const name = `${event} ${trade.id}`;
    if (kept.lines.has(name)) return false;
    kept.lines.add(name);
    this.#write(event, trade);
    return true;
  }

  #write(event: TradeEvent, trade: VenueTrade): void {
    if (this.#store.isDiscarded === true) return;
    const line = { event, ...trade, quote: trade.quote.toString(), commission: trade.commission.toString() };
    this.#store.append(FILLS_FILE, JSON.stringify(line));
  }
}

/** The newest fill of each market in the record's end. */
export function newestFills(store: Pick<StateStore, "readTail">): ReadonlyMap<MarketId, bigint> {
  const newest = new Map<MarketId, bigint>();
  for (const line of (store.readTail(FILLS_FILE, TAIL_BYTES) ?? "").split("\n")) {
    const read = lineOf(line);
    if (read?.event !== "fill") continue;
    const known = newest.get(read.marketId);
    if (known === undefined || BigInt(read.id) > known) newest.set(read.marketId, BigInt(read.id));
  }
  return newest;
}

function endOf({ status }: VenueTrade): "settled" | "trade-failed" | undefined {
  if (status === "FAILED") return "trade-failed";
  return status === "SETTLED" ? "settled" : undefined;
}

function keptOf(text: string): ReadonlyMap<MarketId, Kept> {
  const kept = new Map<MarketId, Kept>();
  for (const line of text.split("\n")) {
    const read = lineOf(line);
    if (read === undefined) continue;
    const { event, id, marketId } = read;
    const market = kept.get(marketId);
    if (market !== undefined) market.lines.add(`${event} ${id}`);
    if (event !== "fill") continue;
    const oldestId = market === undefined || BigInt(id) < market.oldestId ? BigInt(id) : market.oldestId;
    kept.set(marketId, { oldestId, lines: market?.lines ?? new Set([`${event} ${id}`]) });
  }
  return kept;
}

/** A line of the file; undefined for one that is none: cut short by a crash, or another's. Nothing but this record hangs on it. */
function lineOf(line: string): { readonly event: string; readonly id: string; readonly marketId: string } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("event" in value && "id" in value && "marketId" in value)) return undefined;
  const { event, id, marketId } = value;
  if (typeof event !== "string" || typeof id !== "string" || typeof marketId !== "string" || !/^\d+$/.test(id)) return undefined;
  return { event, id, marketId };
}
