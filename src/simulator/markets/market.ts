import type { Instrument } from "../../core/instrument.js";
import type {
  CreditUnits,
  Int64Id,
  Lots,
  MarketId,
  Ms,
  PaperUnits,
  Side,
  Ticks,
} from "../../core/units.js";
import type { MARKET_STATES, MarketConfig } from "../config/config.js";
import type { FlowLevel } from "../flow/flow-market.js";
import {
  type EngineListener,
  MatchingEngine,
  type SelfMatchPolicy,
} from "../matching/matching-engine.js";
import { BasisAverage } from "./basis-average.js";
import { BoundedHistory } from "./bounded-history.js";
import { CandleSeries, type CandleSeriesOptions } from "./candles.js";
import { DayWindow } from "./day-window.js";
import { AgentOrders } from "./flow-agent-order.js";
import type { MarketRulesOnGrid } from "./market-rules.js";
import { PremiumMeter } from "./premium-meter.js";
import { PublishedDepth } from "./published-depth.js";
import { ReferencePrice } from "./reference-price.js";

/** The trading status of a market. */
export type MarketStatus = (typeof MARKET_STATES)[number];

/** A paid funding (docs/reference/exchange-interface.md#funding-fields). */
export interface SettledFunding {
  /** Scaled by 10^18. */
  readonly rate: bigint;
  readonly timeMs: Ms;
}

/** A match of two orders, which settles or fails as a whole. */
export interface Trade {
  readonly id: Int64Id;
  readonly market: Market;
  readonly ticks: Ticks;
  readonly lots: Lots;
  /** Unsigned credit that is exchanged. */
  readonly quote: CreditUnits;
  readonly timeMs: Ms;
  readonly isBuyerMaker: boolean;
  /** CREATED, SETTLED, or the venue's name for a failed one. */
  status: string;
  /**
   * The time from which a trade among house agents counts as settled; null if its settlement is
   * reported.
   */
  readonly settlesAtMs: Ms | null;
}

/** Dependencies of a market besides its rules. */
export interface MarketDeps {
  readonly rules: MarketRulesOnGrid;
  readonly selfMatch: SelfMatchPolicy;
  readonly firstSequence: number;
  readonly keepTrades: number;
  readonly candles: CandleSeriesOptions;
  /** Created with the market, since a match has to name it. */
  listener(market: Market): EngineListener;
}

/** One market: its book, prices, trades and funding. */
export class Market {
  /** The rules of new orders; resting ones keep their price, amount and fee rates. */
  rules: MarketRulesOnGrid;
  /** The configuration that the market began with. */
  readonly configured: MarketConfig;
  /**
   * The house's fee rates. Its orders are signed only at settlement, so a change of the rules must
   * not affect them.
   */
  readonly houseRates: Pick<MarketRulesOnGrid, "makerRate" | "takerRate">;
  readonly id: MarketId;
  /** The grid of its book; every change of the rules must be on it. */
  readonly instrument: Instrument;
  readonly engine: MatchingEngine;
  readonly depth: PublishedDepth;
  readonly prices: ReferencePrice;
  readonly trades: BoundedHistory<Trade>;
  /** Of trades, in ticks. */
  readonly candles: CandleSeries;
  /** Of the mark, in credit units per whole base unit. */
  readonly markCandles: CandleSeries;
  /** Of the off-chain mark, in credit units per whole base unit. */
  readonly offchainCandles: CandleSeries;
  /** The last 24 hours of trades, in ticks. */
  readonly day = new DayWindow();
  /** The last 24 hours of the off-chain mark, in credit units per whole base unit. */
  readonly offchainDay = new DayWindow();
  readonly basis = new BasisAverage();
  readonly premium: PremiumMeter;
  readonly fundings: BoundedHistory<SettledFunding>;
  status: MarketStatus;
  statusChangedMs: Ms | null = null;
  lastTradeTicks: Ticks | undefined;
  /** Credit traded since the start. */
  volumeQuote: CreditUnits = 0n;
  /** Paper held long, including the house's. */
  openInterestPaper: PaperUnits = 0n;
  /**
   * Cumulative funding: credit units per whole base unit of long paper
   * (docs/reference/protocol.md#funding).
   */
  cumulativeFunding: CreditUnits = 0n;
  /** The chain's time of the mark; 0 without a chain. */
  markSetSeconds = 0;
  nextFundingMs: Ms = 0;
  /** The time of the next premium sample. */
  nextSampleMs: Ms = 0;
  readonly #agents = new Map<string, AgentOrders>();

  constructor(parts: MarketDeps) {
    this.rules = parts.rules;
    this.configured = parts.rules.config;
    this.houseRates = parts.rules;
    this.id = parts.rules.id;
    this.instrument = parts.rules.instrument;
    this.status = parts.rules.config.status;
    this.depth = new PublishedDepth(parts.firstSequence);
    this.prices = new ReferencePrice(this.instrument);
    this.trades = new BoundedHistory(parts.keepTrades, {
      id: (trade) => trade.id,
      timeMs: (trade) => trade.timeMs,
    });
    this.fundings = new BoundedHistory(parts.keepTrades, {
      id: ({ timeMs }) => String(timeMs),
      timeMs: ({ timeMs }) => timeMs,
    });
    this.candles = new CandleSeries(parts.candles);
    this.markCandles = new CandleSeries(parts.candles);
    this.offchainCandles = new CandleSeries(parts.candles);
    this.premium = new PremiumMeter(() => this.rules.premium);
    this.engine = new MatchingEngine(parts.listener(this), parts.selfMatch);
  }

  agent(name: string): AgentOrders {
    let agent = this.#agents.get(name);
    if (agent === undefined) {
      agent = new AgentOrders(name);
      this.#agents.set(name, agent);
    }
    return agent;
  }

  /** True while a house agent or a recording has anything in the book. */
  get houseRests(): boolean {
    return (
      this.engine.recorded !== null ||
      [...this.#agents.values()].some(
        ({ openBuyLots, openSellLots }) => openBuyLots + openSellLots > 0,
      )
    );
  }

  /** The mid in fractional ticks; NaN while a side is empty. */
  get midTicks(): number {
    const bid = this.engine.best("BUY");
    const ask = this.engine.best("SELL");
    return bid === undefined || ask === undefined ? Number.NaN : (bid + ask) / 2;
  }

  /** The nearest levels of a side, best first. */
  levels(side: Side, count: number): FlowLevel[] {
    const found: FlowLevel[] = [];
    this.engine.forEachLevel(side, (ticks, lots) => {
      if (found.length < count) {
        found.push({ ticks, lots });
      }
      return found.length < count;
    });
    return found;
  }

  /**
   * The rate of the next funding by the samples so far, scaled by 10^18; longs pay when it is
   * positive.
   */
  get nextFundingRate(): bigint {
    return this.rules.config.funding.mode === "fixed" ? this.rules.fundingRate : this.premium.rate;
  }

  /**
   * The index plus the book's average distance from it, in credit units per whole base unit
   * (docs/reference/protocol.md#funding).
   */
  get offchainMark(): CreditUnits {
    return this.basis.over(this.prices.index);
  }

  /** Records the mark after it was set or sampled. */
  noteMark(nowMs: Ms): void {
    if (this.prices.mark > 0n) {
      this.markCandles.record(this.prices.mark, 0, 0n, nowMs);
    }
  }

  /** Records the off-chain mark after it was sampled. */
  noteOffchainMark(nowMs: Ms): void {
    this.offchainDay.record(this.offchainMark, 0, 0n, nowMs);
    this.offchainCandles.record(this.offchainMark, 0, 0n, nowMs);
  }

  /**
   * Adds a trade to all figures of trades, by matching time and whatever the outcome of its
   * settlement.
   */
  noteTrade(trade: Trade): void {
    const { ticks, lots, quote, timeMs } = trade;
    this.lastTradeTicks = ticks;
    this.volumeQuote += quote;
    this.prices.onTrade(ticks);
    this.candles.record(BigInt(ticks), lots, quote, timeMs);
    this.day.record(BigInt(ticks), lots, quote, timeMs);
    this.trades.add(trade);
  }

  /** The credit value of a position at the mark. */
  valueAtMark(paper: PaperUnits): CreditUnits {
    return this.instrument.markValue(paper, this.prices.mark);
  }

  /** Rounds to a valid price of a new order, away from the other side of the book. */
  orderTicks(side: Side, ticks: Ticks): Ticks {
    const { tickStep } = this.rules;
    return (side === "BUY" ? Math.floor(ticks / tickStep) : Math.ceil(ticks / tickStep)) * tickStep;
  }

  /** Rounds an amount down to a valid one of a new order; 0 if it is less than a step. */
  orderLots(lots: Lots): Lots {
    return lots - (lots % this.rules.lotStep);
  }

  /** The whole lots in an amount of paper, truncated. */
  toWholeLots(paper: PaperUnits): Lots {
    return Number(paper / this.instrument.paperPerLot);
  }
}
