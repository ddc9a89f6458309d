import type { Instrument } from "../../core/instrument.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { Hex, Lots, MarketId, PaperUnits, Side, Ticks } from "../../core/units.js";
import type { FlowLevel } from "./flow-market.js";

/** The outcome of an account's immediate-or-cancel order. */
export type FlowTake =
  | { readonly tradedLots: Lots }
  /** The exchange's error code; nothing has changed. */
  | { readonly refused: number };

/**
 * An account of the exchange by which an order flow trades. It has a key, and its orders are signed
 * and checked like all others.
 */
export interface FlowAccount {
  readonly address: Hex;
  /**
   * True while it keeps its maintenance margin, by its trades as matched and as settled. Otherwise
   * the account is in danger.
   */
  readonly isSafe: boolean;
  /** Net value at the present marks, in quote. */
  readonly netValueQuote: number;
  /**
   * Its position in a market, signed: long is positive. After a liquidation it need not be a whole
   * number of lots.
   */
  paper(marketId: MarketId): PaperUnits;
  /**
   * The notional that it may still buy or sell in a market, in quote, by margin and by the market's
   * exposure limit.
   */
  capacityQuote(marketId: MarketId, side: Side): number;
  /** Deposits credit, as the faucet does; on a chain it counts a little later. */
  deposit(amountQuote: number): void;
  /** Builds, signs and sends an immediate-or-cancel LIMIT order. */
  take(marketId: MarketId, side: Side, ticks: Ticks, lots: Lots): FlowTake;
}

/** A market as an account that trades there sees it. */
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

/**
 * The exchange as accounts of an order flow see and use it. Every call is synchronous and one
 * event.
 */
export interface FlowExchange {
  /** @throws RunError for an unknown market */
  market(marketId: MarketId): FlowAccountMarket;
  /**
   * The account of a key, opened without the registration credit if it does not exist yet.
   * @throws RunError when the exchange accepts no more accounts
   */
  account(privateKey: Hex): FlowAccount;
}

/**
 * Participants with their own accounts, in any markets. Owns its timers, all of them from the
 * runtime.
 */
export interface AccountFlow {
  start(exchange: FlowExchange, runtime: Runtime): void;
  stop(): void;
}
