import { dirname } from "node:path";
import { TradingAccount } from "../../account/trading-account.js";
import { FormatError, RunError } from "../../core/errors.js";
import { Instrument } from "../../core/instrument.js";
import { createRxScheduler } from "../../core/runtime/rx-scheduler.js";
import type { MarketId } from "../../core/units.js";
import { ExchangeTime } from "../../exchange/exchange-time.js";
import { DISJOINT_RATE_BUCKETS } from "../../exchange/rate-buckets.js";
import { ACTION_COST, computeActionCosts } from "../../executor/dispatch-budget.js";
import { SyncedBook } from "../../market/synced-book.js";
import type { MarketLimits } from "../../risk/limits.js";
import { VIEW_LEVELS } from "../../strategies/strategy.js";
import { decideConfigFor } from "../config/config.js";
import { ActionBudget } from "../execution/action-budget.js";
import { Backoff } from "../execution/backoff.js";
import { Dispatcher } from "../execution/dispatcher.js";
import { nonceTagFor } from "../execution/nonce-tag.js";
import { makerFeeBps } from "../execution/signed-rates.js";
import { MarketHedges } from "../hedge/market-hedges.js";
import { MarketTrader } from "../market/market-trader.js";
import { referenceFor } from "../market/used-reference.js";
import { accountLimitsFor, marketLimitsFor } from "../safety/configured-limits.js";
import { readCountedTransfers } from "../safety/equity-monitor.js";
import { readBuiltHashes } from "../state/server-built-hashes.js";
import { RunStatistics } from "../statistics/run-statistics.js";
import { readStoredTakeovers } from "../unwind/stored-takeovers.js";
import { TakeoverReservations } from "../unwind/takeover-reservations.js";
import type { BotOptions } from "./bot-options.js";
import type { BotContext } from "./context.js";
import { LoopLag } from "./loop-lag.js";
import { StreamActivity } from "./stream-activity.js";
import type { TurnQueue } from "./turn-queue.js";

/** Interval of the ticks, in which the bot does what is due by time alone. */
const TICK_MS = 100;

/**
 * Creates the state and values that the parts of one bot share.
 * @throws FormatError or CorruptStateError when the state cannot be read.
 */
export function createContext(options: BotOptions, turns: TurnQueue): BotContext {
  const { config, rules, store } = options;
  const { creditDecimals, paperDecimals } = rules;
  const instruments = new Map<MarketId, Instrument>();
  const marketLimits = new Map<MarketId, MarketLimits>();
  const traders = new Map<MarketId, MarketTrader>();
  for (const [marketId, market] of Object.entries(config.markets)) {
    const { tickSize, stepSize } = rules.markets[marketId];
    const instrument = new Instrument({
      marketId,
      tickSize,
      stepSize,
      creditDecimals,
      paperDecimals,
    });
    const limits = marketLimitsFor(market, instrument);
    instruments.set(marketId, instrument);
    marketLimits.set(marketId, limits);
    traders.set(marketId, traderFor(options, turns, instrument, limits));
  }
  let lastActionId = 0;
  const nextActionId = (): number => ++lastActionId;
  const exchangeTime = new ExchangeTime(turns.clock, rules.serverTimeMs);
  const nonceTag = nonceTagFor(options.accountAddress);
  const transfersBefore = readCountedTransfers(store);
  const unwindMemory = readStoredTakeovers(store, instruments);
  const takeoversBefore = unwindMemory?.said ?? (config.liquidator === undefined ? undefined : []);
  const account = new TradingAccount({
    instruments,
    nonceTag,
    builtHashes: readBuiltHashes(store),
    ...(transfersBefore === undefined ? {} : { transfersBefore }),
    ...(takeoversBefore === undefined ? {} : { previousTakeovers: takeoversBefore }),
    nextActionId,
    signatureWindowMs: config.exchange.signatureWindowMs,
    reconcileIntervalMs: config.exchange.reconcileMs,
  });
  return {
    config,
    accountAddress: options.accountAddress,
    nonceTag,
    clock: turns.clock,
    random: turns.random,
    venue: options.venue,
    store,
    account,
    traders,
    traderList: [...traders.values()],
    marketLimits,
    accountLimits: accountLimitsFor(config, creditDecimals),
    reservations: new TakeoverReservations(unwindMemory?.reserved),
    exchangeTime,
    budget: new ActionBudget({
      rules,
      guardFraction: config.guard.orderTokensFraction,
      clock: turns.clock,
      exchangeTime,
      store,
      costs:
        config.exchange.rateBuckets === "disjoint"
          ? computeActionCosts(DISJOINT_RATE_BUCKETS)
          : ACTION_COST,
    }),
    dispatcher: new Dispatcher(options.outbox, turns),
    backoff: new Backoff(),
    loopLag: new LoopLag(config.risk.maxLoopLagMs),
    streams: new StreamActivity(),
    statistics: new RunStatistics({
      clock: turns.clock,
      exchangeTime,
      account,
      traders: options.keepsStatistics === false ? [] : traders.values(),
    }),
    notify: options.listener,
    hedges: new MarketHedges({
      config,
      instruments,
      venues: options.hedgeVenues ?? new Map(),
      account,
      markTicks: (marketId) => traders.get(marketId)?.state.markTicks ?? Number.NaN,
      clock: turns.clock,
      random: turns.random,
      tag: nonceTag,
      nextActionId,
      store,
      notify: options.listener,
      onAction: (venue, action) => options.journal?.hedgeAction?.(venue, action),
    }),
    nextActionId,
    tickMs: options.tickMs ?? TICK_MS,
    dryRun: options.dryRun ?? false,
    isPaper: options.isPaper ?? false,
    rules,
    phase: "starting",
  };
}

function traderFor(
  options: BotOptions,
  turns: TurnQueue,
  instrument: Instrument,
  limits: MarketLimits,
): MarketTrader {
  const { marketId } = instrument;
  const strategy = options.strategies.get(marketId);
  if (strategy === undefined && options.config.markets[marketId].strategy !== undefined) {
    throw new RunError("no strategy was loaded", {
      field: `markets.${marketId}.strategy`,
      expected: "a strategy",
    });
  }
  const trader: MarketTrader = new MarketTrader({
    instrument,
    rules: options.rules.markets[marketId],
    decide: decideConfigFor(options.config, marketId),
    strategy,
    book:
      options.bookFor?.(marketId) ??
      (options.isPaper === true ? new SyncedBook(marketId, false) : undefined),
    context: Object.freeze({
      marketId,
      instrument,
      scheduler: createRxScheduler(turns.clock),
      random: turns.random,
      makerFeeBps: () => makerFeeBps(options.config, trader.rules),
      predictMove: (moveTicks: number) => {
        if (!Number.isFinite(moveTicks))
          throw new FormatError("is not a move of the mid", {
            field: "predictMove",
            value: moveTicks,
            expected: "ticks, and no call without a prediction",
          });
        options.listener({ kind: "prediction", marketId, moveTicks });
      },
      folder: dirname(options.config.path),
    }),
    maxPositionLots: limits.maxPositionLots ?? Number.POSITIVE_INFINITY,
    reference: referenceFor(options.config, instrument),
    depthLevels: strategy?.viewLevels ?? VIEW_LEVELS,
    onStrategyCall: options.onStrategyCall,
  });
  return trader;
}
