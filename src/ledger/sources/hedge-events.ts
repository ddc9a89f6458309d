import { decimalToScaled } from "../../core/instrument.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { HedgeRecord } from "../../hedge/hedge-record.js";
import { HEDGE_DECIMALS } from "../../hedge/hedge-venue.js";
import type { StoredHedge } from "../../hedge/stored-hedge.js";
import type { LedgerFinding } from "../finding.js";
import type { OutsideEvent } from "../ledger-event.js";

type HedgeEntry = Extract<OutsideEvent["entry"], `hedge-${string}`>;

/** Decimals of the base at a hedge venue. */
const BASE_DECIMALS = 18;

/** The state has all fills that are this much older than those that were all read, or newer. */
const KEPT_FILLS_MS: Ms = 600_000;

/** The lines of a hedge, and what its record and its totals disagree on. */
export interface HedgeEvents {
  readonly events: readonly OutsideEvent[];
  readonly findings: readonly LedgerFinding[];
}

/**
 * The other leg of a market as lines of its venue: each fill, fee and funding payment of the
 * record, once, and one line for each total of before the record began. A record that began with
 * its hedge must have all of it: what it lacks is named.
 */
export function hedgeEvents(
  marketId: MarketId,
  stored: StoredHedge,
  records: readonly HedgeRecord[],
): HedgeEvents {
  const { venue, symbol, cash, fees, funding, fillsToMs, fundingToMs } = stored;
  // The record outlives a change of the venue, and the state begins anew with it.
  const events = withoutRepeats(records).flatMap((record) => recordEvents(marketId, record));
  const here = records.filter((record) => record.venue === venue && record.symbol === symbol);
  const beganAt = here.findLastIndex(({ event }) => event === "began");
  const own = withoutRepeats(here.slice(Math.max(0, beganAt)));
  const counted = own
    .filter((record) => !isAhead(record, stored))
    .flatMap((record) => recordEvents(marketId, record));
  const quote = own.flatMap((record) => ("quoteAsset" in record ? [record.quoteAsset] : []))[0];
  const isWhole = beganAt >= 0;
  const findings: LedgerFinding[] = [];
  const rest = (entry: HedgeEntry, asset: string, total: bigint, atMs: Ms): void => {
    const known = counted
      .filter((one) => one.entry === entry && one.asset === asset)
      .reduce((sum, { amount }) => sum + amount, 0n);
    const amount = total - known;
    if (amount === 0n) return;
    const id = `${venue}.${symbol}.${entry}.${asset}`;
    const timeMs = own[0]?.timeMs ?? atMs;
    const detail = isWhole
      ? "in the totals of the hedge, and not in its record"
      : `total of ${symbol} from before single fills were recorded`;
    if (isWhole)
      findings.push({
        kind: "hedge-record-differs",
        marketId,
        id,
        detail: `the totals have ${total}, the record ${known}, in 10^-${HEDGE_DECIMALS} ${asset}`,
      });
    rests.push(outside({ entry, venue, marketId, timeMs, asset, amount, id, detail }));
  };
  const rests: OutsideEvent[] = [];
  rest("hedge-cash", quote ?? quoteAsset(symbol), cash, fillsToMs);
  for (const [asset, paid] of Object.entries(fees)) rest("hedge-fee", asset, -paid, fillsToMs);
  for (const [asset, received] of Object.entries(funding))
    rest("hedge-funding", asset, received, fundingToMs);
  return { events: [...rests, ...events], findings };
}

/** True for a line of a running bot whose state is not written yet. */
function isAhead(record: HedgeRecord, stored: StoredHedge): boolean {
  const { fills, fillsToMs, fundingToMs, fundingIds } = stored;
  if (record.event === "funding")
    return record.timeMs >= fundingToMs && !fundingIds.includes(record.id);
  if (record.event !== "fill" && record.event !== "reversed") return false;
  const isReversed = record.event === "reversed";
  return (
    record.timeMs >= fillsToMs - KEPT_FILLS_MS &&
    !fills.some(({ id, ...known }) => id === record.id && (known.isReversed || !isReversed))
  );
}

/** A crash between a line and the state that has it repeats the line. */
function withoutRepeats(records: readonly HedgeRecord[]): readonly HedgeRecord[] {
  const seen = new Set<string>();
  return records.filter((record) => {
    if (!("id" in record)) return true;
    const key = `${record.venue} ${record.symbol} ${record.event} ${record.id}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function recordEvents(marketId: MarketId, record: HedgeRecord): readonly OutsideEvent[] {
  const { venue, symbol, timeMs, event } = record;
  const common = { venue, marketId, timeMs };
  switch (event) {
    case "began":
      return [];
    case "fill":
    case "reversed": {
      const { side, quoteAsset: asset, quote, fee, feeAsset, baseAsset, isMaker, key } = record;
      const isReversed = event === "reversed";
      const sign = (side === "BUY" ? 1n : -1n) * (isReversed ? -1n : 1n);
      const id = `${venue}.${symbol}.${record.id}${isReversed ? ".reversed" : ""}`;
      const role = isMaker ? "maker" : "taker";
      const by = key === undefined ? ", not an order of the bot" : "";
      const detail = isReversed
        ? "the venue took the fill back"
        : `${side.toLowerCase()} as ${role}${by}`;
      const base = sign * decimalToScaled(record.base, BASE_DECIMALS);
      return [
        {
          ...outside({
            ...common,
            entry: "hedge-fill",
            asset: baseAsset,
            amount: base,
            id,
            detail,
          }),
          decimals: BASE_DECIMALS,
        },
        outside({
          ...common,
          entry: "hedge-cash",
          asset,
          amount: -sign * quote,
          id: `${id}.cash`,
          detail,
        }),
        ...(fee === 0n
          ? []
          : [
              outside({
                ...common,
                entry: "hedge-fee",
                asset: feeAsset,
                amount: isReversed ? fee : -fee,
                id: `${id}.fee`,
                detail,
              }),
            ]),
      ];
    }
    case "funding": {
      const { asset, amount } = record;
      const id = `${venue}.${symbol}.funding.${record.id}`;
      return [outside({ ...common, entry: "hedge-funding", asset, amount, id, detail: undefined })];
    }
    case "adopted": {
      const { base, baseAsset, cash, quoteAsset: asset } = record;
      const id = `${venue}.${symbol}.adopted.${timeMs}`;
      const detail = "a position that no fill explains, at the mid";
      const amount = decimalToScaled(base, BASE_DECIMALS);
      return [
        {
          ...outside({ ...common, entry: "hedge-fill", asset: baseAsset, amount, id, detail }),
          decimals: BASE_DECIMALS,
        },
        outside({ ...common, entry: "hedge-cash", asset, amount: cash, id: `${id}.cash`, detail }),
      ];
    }
  }
}

function outside(
  event: Pick<
    OutsideEvent,
    "entry" | "venue" | "marketId" | "timeMs" | "asset" | "amount" | "id" | "detail"
  >,
): OutsideEvent {
  return { kind: "outside", decimals: HEDGE_DECIMALS, hash: undefined, ...event };
}

/** The asset in which a symbol such as `BTC/USDT:USDT` is priced. */
function quoteAsset(symbol: string): string {
  return /\/([^:]+)/.exec(symbol)?.[1] ?? symbol;
}
