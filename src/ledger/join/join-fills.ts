import type { MarketId } from "../../core/units.js";
import type { LedgerFinding } from "../finding.js";
import { type FillEvent, fillKey } from "../ledger-event.js";
import type { MarketUnits } from "../market-units.js";
import type { StatementTrade } from "../sources/exchange-statement.js";
import type { FileFill } from "../sources/file-fills.js";

/** Trades of both records, each once, and where the two contradict each other. */
export interface JoinedFills {
  readonly fills: readonly FillEvent[];
  readonly findings: readonly LedgerFinding[];
}

/**
 * Joins the bot's record of trades with the exchange's list, by their ids. Where both have a trade
 * the exchange's values are booked, and a difference is named.
 * @param trades undefined if the exchange was not read: then a missing trade proves nothing
 */
export function joinFills(
  file: ReadonlyMap<string, FileFill>,
  trades: readonly StatementTrade[] | undefined,
  units: MarketUnits,
): JoinedFills {
  const fills: FillEvent[] = [];
  const findings: LedgerFinding[] = [];
  const seen = new Set<string>();
  const oldest = new Map<MarketId, bigint>();
  for (const trade of trades ?? []) {
    const { marketId, id } = trade;
    const known = oldest.get(marketId);
    if (known === undefined || BigInt(id) < known) oldest.set(marketId, BigInt(id));
    const key = fillKey(trade);
    seen.add(key);
    const own = file.get(key);
    fills.push({ kind: "fill", ...trade, source: own === undefined ? "exchange" : "both" });
    if (own !== undefined) findings.push(...compare(fromFile(own, units), trade));
  }
  for (const [key, own] of file) {
    if (seen.has(key)) continue;
    const { marketId, id, side } = own;
    fills.push(fromFile(own, units));
    const oldestId = oldest.get(marketId);
    if (trades === undefined || (oldestId !== undefined && BigInt(id) < oldestId)) continue;
    findings.push({
      kind: "only-in-file",
      marketId,
      id: `${marketId}.${id}.${side.toLowerCase()}`,
      detail: "the exchange does not list it, and not because it is too old",
    });
  }
  return { fills, findings };
}

function fromFile(own: FileFill, units: MarketUnits): FillEvent {
  const instrument = units.instrument(own.marketId);
  const { marketId, id, side, isMaker, quote, commission, timeMs, state } = own;
  return {
    kind: "fill",
    marketId,
    id,
    side,
    isMaker,
    price: instrument.formatReportedPrice(own.ticks),
    paper: instrument.lotsToPaper(own.lots) + (own.restPaper ?? 0n),
    quote,
    commission,
    timeMs,
    state,
    source: "file",
  };
}

function compare(own: FillEvent, trade: StatementTrade): LedgerFinding[] {
  const { marketId, id, side } = trade;
  const fields = [
    ["amount", own.paper, trade.paper],
    ["quote", own.quote, trade.quote],
    ["commission", own.commission, trade.commission],
    ["time", own.timeMs, trade.timeMs],
  ] as const;
  const differing = fields.filter(([, mine, theirs]) => mine !== theirs);
  // The file may not have the last word on a trade that settled while no bot ran.
  const isContrary = own.state !== "pending" && trade.state !== own.state;
  if (differing.length === 0 && !isContrary) return [];
  const texts = differing.map(([name, mine, theirs]) => `${name} ${mine} against ${theirs}`);
  if (isContrary) texts.push(`${own.state} against ${trade.state}`);
  return [
    {
      kind: "values-differ",
      marketId,
      id: `${marketId}.${id}.${side.toLowerCase()}`,
      detail: `fills.jsonl against the exchange: ${texts.join(", ")}`,
    },
  ];
}
