import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, Lots, MarketId, Ms, Ticks } from "../../core/units.js";
import type { Account } from "../accounts/account.js";
import { Journal } from "../accounts/journal.js";
import type { Trade } from "../accounts/records.js";
import type { MARKET_STATES } from "../config.js";
import { MatchingEngine, type MatchListener, type SelfMatchPolicy } from "../matching/matching-engine.js";
import { CandleSeries } from "./candles.js";
import { FlowAgent } from "./flow-agent.js";
import type { MarketRulesOnGrid } from "./market-rules.js";
import { PublishedDepth } from "./published-depth.js";
import { ReferencePrice } from "./reference-price.js";

/** Whether a market takes orders. */
export type MarketStatus = (typeof MARKET_STATES)[number];

/** A paid funding (specification, "Funding rate record"). */
export interface FundingPayment {
  /** Scaled by 10^18. */
  readonly rate: bigint;
  readonly timeMs: Ms;
}

/** What a market is made from, besides its rules. */
export interface MarketParts {
  readonly rules: MarketRulesOnGrid;
  readonly house: Account;
  readonly selfMatch: SelfMatchPolicy;
  readonly firstSequence: number;
  readonly keepTrades: number;
  /** Made with the market, since a match has to name it. */
  listener(market: Market): MatchListener;
}

/** One market: its book, prices, trades, funding, and who holds positions in it. */
export class Market {
  readonly rules: MarketRulesOnGrid;
  readonly id: MarketId;
  readonly instrument: Instrument;
  readonly engine: MatchingEngine;
  readonly depth: PublishedDepth;
  readonly prices: ReferencePrice;
  readonly trades: Journal<Trade>;
  readonly candles = new CandleSeries();
  readonly markCandles = new CandleSeries();
  readonly fundings: Journal<FundingPayment>;
  /** Accounts with a position, whom a change of the mark concerns. */
  readonly holders = new Set<Account>();
  /** The account of all house agents and of recorded liquidity. */
  readonly house: Account;
  status: MarketStatus;
  statusChangedMs: Ms | null = null;
  lastTradeTicks: Ticks | undefined;
  /** Credit traded since the start. */
  volumeQuote: CreditUnits = 0n;
  /** Lots held long, the house's included. */
  openInterestLots: Lots = 0;
  /** Cumulative funding: credit units per whole base unit of long paper (protocol 7.4). */
  cumulativeFunding: CreditUnits = 0n;
  nextFundingMs: Ms = 0;
  readonly #agents = new Map<string, FlowAgent>();

  constructor(parts: MarketParts) {
    this.rules = parts.rules;
    this.id = parts.rules.id;
    this.instrument = parts.rules.instrument;
    this.house = parts.house;
    this.status = parts.rules.config.status;
    this.depth = new PublishedDepth(parts.firstSequence);
    this.prices = new ReferencePrice(this.instrument);
    this.trades = new Journal(parts.keepTrades, { id: (trade) => trade.id, timeMs: (trade) => trade.timeMs });
    this.fundings = new Journal(parts.keepTrades, { id: ({ timeMs }) => String(timeMs), timeMs: ({ timeMs }) => timeMs });
    this.engine = new MatchingEngine(parts.listener(this), parts.selfMatch);
  }

  agent(name: string): FlowAgent {
    let agent = this.#agents.get(name);
    if (agent === undefined) {
      agent = new FlowAgent(name);
      this.#agents.set(name, agent);
    }
    return agent;
  }

  /** The mid in fractional ticks; NaN while a side is empty. */
  get midTicks(): number {
    const bid = this.engine.best("BUY");
    const ask = this.engine.best("SELL");
    return bid === undefined || ask === undefined ? Number.NaN : (bid + ask) / 2;
  }

  /** Credit that a position is worth at the mark: dMul(paper, mark), truncated (protocol 7.3). */
  valueOf(lots: Lots): CreditUnits {
    return (BigInt(lots) * this.instrument.paperPerLot * this.prices.mark) / this.rules.paperUnit;
  }
}
