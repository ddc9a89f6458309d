import type { Instrument } from "../../core/instrument.js";
import type { Seam } from "../../core/runtime/seam.js";
import type { Hex, Lots, MarketId, PaperUnits, Side, Ticks } from "../../core/units.js";
import type { FlowLevel } from "./flow-market.js";

/** What became of an account's immediate-or-cancel order. */
export type FlowTake =
  | { readonly tradedLots: Lots }
  /** The exchange's error code; nothing has changed. */
  | { readonly refused: number };

/** An account of the exchange by which an order flow trades: it has a key, and its orders are signed and checked like everybody's. */
export interface FlowAccount {
  readonly address: Hex;
  /** Whether it keeps its maintenance margin, by its trades as matched and as settled. An account that does not is in danger. */
  readonly isSafe: boolean;
  /** Net value at the present marks, in quote. */
  readonly netValueQuote: number;
  /** Its position in a market, signed: long is positive. After a liquidation it need be no whole lots. */
  paper(marketId: MarketId): PaperUnits;
  /** How much more notional it may buy or sell in a market, in quote, by margin and by the market's exposure limit. */
  capacityQuote(marketId: MarketId, side: Side): number;
  /** Brings credit in from outside, as the faucet does; where money is on a chain, it is there a little later. */
  deposit(amountQuote: number): void;
  /** Builds, signs and sends a LIMIT order that is immediate or cancelled. */
  take(marketId: MarketId, side: Side, ticks: Ticks, lots: Lots): FlowTake;
}

/** A market, as an account that trades there sees it. */
export interface FlowAccountMarket {
  readonly instrument: Instrument;
  /** The smallest and the largest amount of one LIMIT order. */
  readonly minLots: Lots;
  readonly maxLots: Lots;
  /** Quote per base; 0 until there is a mark. */
  readonly markQuote: number;
  /** The published book of one side, best first, at most `count` levels. */
  levels(side: Side, count: number): readonly FlowLevel[];
}

/** The exchange, as accounts of an order flow see and drive it. Every call is synchronous and one event. */
export interface FlowExchange {
  /** @throws RunError for an unknown market */
  market(marketId: MarketId): FlowAccountMarket;
  /** The account of a key, opened without the credit on registration when it is not there yet. @throws RunError when no more accounts are taken */
  account(privateKey: Hex): FlowAccount;
}

/** Participants with accounts of their own, in whatever markets. Owns its timers, all of them from the seam. */
export interface AccountFlow {
  start(exchange: FlowExchange, seam: Seam): void;
  stop(): void;
}
