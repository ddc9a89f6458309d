import { z } from "zod";
import type { AccountChange } from "../../account/account-change.js";
import type { MarketId } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import { readJsonState, type StateStore } from "./state-dir.js";

/**
 * The account's trades as a file of JSON lines: written before anything else hears of them, as
 * {@link StateStore.append} promises.
 */
export const FILLS_FILE = "fills.jsonl";
/** The newest trade that each market had before its first run; "0" where it had none. */
export const RECORD_BEGINS_FILE = "record-begins.json";
/** Some five thousand lines: more than what a start is told of a market's earlier trades. */
const TAIL_BYTES = 1 << 20;
/**
 * No line is longer: a tail that lacks no more than this of what may be read may be a part of the
 * file.
 */
const LINE_BYTES = 1 << 10;

const beginsSchema = z.record(z.string(), z.string().regex(/^\d{1,20}$/));

type TradeEvent = "fill" | "settled" | "trade-failed";

/**
 * What the end of the file has of one market: from its oldest trade on, what is lacking is lacking
 * in the whole file.
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
   * What is older than this may be in the part that was not read, whatever its market; 0 where all
   * was.
   */
  readonly readFromId: bigint;
}

/** Keeps every fill, its settlement and its failure in the state directory, one line each. */
export class TradeLog {
  readonly #store: StateStore;
  readonly #begins: Map<MarketId, bigint>;
  /** The newest trade told of each market of which the record knows nothing. */
  readonly #newestBefore = new Map<MarketId, bigint>();
  #tail: Tail | undefined;

  /** @throws CorruptStateError when what says where the record begins is broken. */
  constructor(store: StateStore) {
    this.#store = store;
    this.#begins = readBegins(store);
  }

  note(change: Extract<AccountChange, { kind: TradeEvent }>): void {
    this.#write(change.kind, change.trade);
  }

  /**
   * All that these markets have traded so far has been told, and no order of this run has left:
   * where this is a market's first run, what comes after belongs into the record, also what is
   * matched before a first fill is in it and while no bot runs. @throws RunError
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
   * Writes what no run has written of a trade from before this one: it was matched, or came to its
   * end, while none ran. What a market traded before its first run is not written. True when the
   * fill itself was lacking.
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
    // A trade that failed before anybody heard of it was never a fill.
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
    // Where the whole file was read, it lacks what was traded before its first fill of the market
    // and after its beginning.
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
 * The newest trade of each market that the record's end has, or that was before the record. @throws
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
 * A line of the file; undefined for one that is none: cut short by a crash, or another's. Nothing
 * but this record hangs on it.
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
