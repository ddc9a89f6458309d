import { z } from "zod";
import type { AccountChange } from "../../account/account-change.js";
import type { MarketId } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import { readJsonState, type StateStore } from "./state-dir.js";

/**
 * The account's trades as a file of JSON lines: written before any other part receives them, as
 * durable as {@link StateStore.append} promises.
 */
export const FILLS_FILE = "fills.jsonl";
/** The exchange's balances at each export of the ledger (docs/reference/ledger.md). */
export const LEDGER_BALANCES_FILE = "ledger-balances.jsonl";
/** The newest trade that each market had before its first run; "0" if it had none. */
export const RECORD_BEGINS_FILE = "record-begins.json";
/** Some five thousand lines: more than the earlier trades of a market that a start receives. */
const TAIL_BYTES = 1 << 20;
/**
 * Longest line. A tail that is shorter than the readable maximum by at most this may still be only
 * a part of the file.
 */
const LINE_BYTES = 1 << 10;

const beginsSchema = z.record(z.string(), z.string().regex(/^\d{1,20}$/));

type TradeEvent = "fill" | "settled" | "trade-failed";

/**
 * One market in the end of the file: a trade that is newer than its oldest one and missing here is
 * missing in the whole file.
 */
interface MarketTail {
  readonly oldestId: bigint;
  /** `event id` of each line. */
  readonly lines: Set<string>;
}

/** The end of the file. */
interface Tail {
  readonly markets: Map<MarketId, MarketTail>;
  /**
   * Trades older than this may be in the part that was not read, whatever their market; 0 if all
   * was read.
   */
  readonly readFromId: bigint;
}

/** Persists every fill, its settlement and its failure in the state directory, one line each. */
export class TradeLog {
  readonly #store: StateStore;
  readonly #begins: Map<MarketId, bigint>;
  /** The newest reported trade of each market that is not in the record. */
  readonly #newestBefore = new Map<MarketId, bigint>();
  #tail: Tail | undefined;

  /** @throws CorruptStateError if the file with the beginnings of the record is corrupt. */
  constructor(store: StateStore) {
    this.#store = store;
    this.#begins = readBegins(store);
  }

  note(change: Extract<AccountChange, { kind: TradeEvent }>): void {
    this.#write(change.kind, change.trade);
  }

  /**
   * Marks the beginning of the record, once all earlier trades of these markets were reported and
   * before an order of this run is sent. From a market's first run on, all its later trades belong
   * into the record, including those matched before its first fill is recorded and while no bot
   * runs. @throws RunError
   */
  begin(marketIds: Iterable<MarketId>): void {
    if (this.#store.isDiscarded === true) return;
    const known = this.#begins.size;
    for (const marketId of marketIds) {
      if (this.#tailFor(marketId) === undefined)
        this.#begins.set(marketId, this.#newestBefore.get(marketId) ?? 0n);
    }
    if (this.#begins.size === known) return;
    const begins = [...this.#begins].map(([marketId, id]) => [marketId, String(id)]);
    this.#store.write(RECORD_BEGINS_FILE, JSON.stringify(Object.fromEntries(begins)));
  }

  /**
   * Writes the events of an earlier trade that no run has written: it was matched, settled or
   * failed while none ran. Trades from before a market's first run are not written. True if the
   * fill itself was missing.
   */
  recordEarlierTrade(trade: VenueTrade): boolean {
    if (this.#store.isDiscarded === true) return false;
    const id = BigInt(trade.id);
    const kept = this.#tailFor(trade.marketId);
    if (kept === undefined) {
      const newest = this.#newestBefore.get(trade.marketId);
      if (newest === undefined || id > newest) this.#newestBefore.set(trade.marketId, id);
      return false;
    }
    if (id < kept.oldestId) return false;
    const end = endOf(trade);
    // A trade that had failed before it was first reported was never a fill.
    const lacked = end !== "trade-failed" && this.#complete(kept, "fill", trade);
    if (end !== undefined) this.#complete(kept, end, trade);
    return lacked;
  }

  #tailFor(marketId: MarketId): MarketTail | undefined {
    this.#tail ??= tailOf(this.#store.readTail(FILLS_FILE, TAIL_BYTES) ?? "");
    const { markets, readFromId } = this.#tail;
    const known = markets.get(marketId);
    const begin = this.#begins.get(marketId);
    if (begin === undefined) return known;
    // If the whole file was read, trades between its beginning and the market's first fill in it
    // are missing.
    if (known !== undefined && (readFromId > 0n || known.oldestId <= begin + 1n)) return known;
    const kept = {
      oldestId: begin < readFromId ? readFromId : begin + 1n,
      lines: known?.lines ?? new Set<string>(),
    };
    markets.set(marketId, kept);
    return kept;
  }

  #complete(kept: MarketTail, event: TradeEvent, trade: VenueTrade): boolean {
    const name = `${event} ${trade.id}`;
    if (kept.lines.has(name)) return false;
    kept.lines.add(name);
    this.#write(event, trade);
    return true;
  }

  #write(event: TradeEvent, trade: VenueTrade): void {
    if (this.#store.isDiscarded === true) return;
    this.#store.append(
      FILLS_FILE,
      JSON.stringify({ event, ...trade }, (_, value: unknown) =>
        typeof value === "bigint" ? `${value}` : value,
      ),
    );
  }
}

/**
 * The newest trade of each market in the record's end, or from before the record. @throws
 * CorruptStateError
 */
export function readNewestRecorded(
  store: Pick<StateStore, "read" | "readTail">,
): ReadonlyMap<MarketId, bigint> {
  const newest = readBegins(store);
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

function readBegins(store: Pick<StateStore, "read">): Map<MarketId, bigint> {
  const begins =
    readJsonState(store, RECORD_BEGINS_FILE, (value) => beginsSchema.parse(value)) ?? {};
  return new Map(Object.entries(begins).map(([marketId, id]) => [marketId, BigInt(id)]));
}

function tailOf(text: string): Tail {
  const kept = new Map<MarketId, MarketTail>();
  for (const line of text.split("\n")) {
    const read = lineOf(line);
    if (read === undefined) continue;
    const { event, id, marketId } = read;
    const market = kept.get(marketId);
    if (market !== undefined) market.lines.add(`${event} ${id}`);
    if (event !== "fill") continue;
    const oldestId =
      market === undefined || BigInt(id) < market.oldestId ? BigInt(id) : market.oldestId;
    kept.set(marketId, { oldestId, lines: market?.lines ?? new Set([`${event} ${id}`]) });
  }
  const oldest = [...kept.values()].map(({ oldestId }) => oldestId);
  const isWhole = text.length < TAIL_BYTES - LINE_BYTES;
  return {
    markets: kept,
    readFromId: isWhole
      ? 0n
      : oldest.reduce((least, id) => (id < least ? id : least), oldest[0] ?? 0n),
  };
}

/**
 * A line of the file; undefined for an invalid one: cut short by a crash, or foreign. Only this
 * record depends on it.
 */
function lineOf(
  line: string,
): { readonly event: string; readonly id: string; readonly marketId: string } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (
    typeof value !== "object" ||
    value === null ||
    !("event" in value && "id" in value && "marketId" in value)
  )
    return undefined;
  const { event, id, marketId } = value;
  if (
    typeof event !== "string" ||
    typeof id !== "string" ||
    typeof marketId !== "string" ||
    !/^\d+$/.test(id)
  )
    return undefined;
  return { event, id, marketId };
}
