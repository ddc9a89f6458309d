import type { Lots, MarketId, Ms } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import type { VenueEvent } from "../../exchange/venue.js";
import type { Plan } from "../../executor/plan.js";
import { ExecutionPlanner, type PlanPreview } from "../execution/execution-planner.js";
import { OrderFactory } from "../execution/order-factory.js";
import { PreTradeCheck } from "../execution/pre-trade-check.js";
import { ReopenedOrderMonitor } from "../execution/reopened-order-monitor.js";
import type { MarketTrader } from "../market/market-trader.js";
import { ReferenceFeed } from "../market/reference-feed.js";
import { LadderFlatten } from "../safety/ladder-flatten.js";
import { TradingGuards } from "../safety/trading-guards.js";
import { UnknownPositionAlert } from "../safety/unknown-position.js";
import { TradeLog } from "../state/trade-log.js";
import { LiquidatedInventory } from "../unwind/liquidated-inventory.js";
import { AccountEventHandler } from "./account-event-handler.js";
import type { BotOptions } from "./bot-options.js";
import { CommandHandler } from "./command-handler.js";
import { Configuration } from "./configuration.js";
import type { BotContext, BotPhase } from "./context.js";
import { createContext } from "./create-context.js";
import { DecisionScheduler, isBatched } from "./decision-scheduler.js";
import type { BotCommand, BotInput, TurnStamp } from "./input.js";
import { ResponseHandler } from "./response-handler.js";
import { ShutdownSequence } from "./shutdown-sequence.js";
import { StrategySignals } from "./strategy-signals.js";
import { TickScheduler } from "./tick-scheduler.js";
import { TurnQueue } from "./turn-queue.js";
import { VenueMonitor } from "./venue-monitor.js";

/**
 * One bot (docs/ideas/design.md): {@link accept} takes inputs one at a time, actions go out to the
 * venue.
 * @throws FormatError or CorruptStateError from the constructor when the state directory holds
 * invalid data.
 */
export class Bot {
  readonly context: BotContext;
  readonly tradingGuards: TradingGuards;
  readonly liquidatedInventory: LiquidatedInventory;
  /** When the bot was created. */
  readonly startedAt: TurnStamp;
  readonly #turns: TurnQueue;
  readonly #flattening: LadderFlatten;
  readonly #planner: ExecutionPlanner;
  readonly #preTradeCheck: PreTradeCheck;
  readonly #responses: ResponseHandler;
  readonly #venueMonitor: VenueMonitor;
  readonly #shutdown: ShutdownSequence;
  readonly #reopenedOrders: ReopenedOrderMonitor;
  readonly #accountEvents: AccountEventHandler;
  readonly #decisions: DecisionScheduler;
  readonly #signals: StrategySignals;
  readonly #ticks: TickScheduler;
  readonly #commands: CommandHandler;
  readonly #references: ReferenceFeed;
  readonly #positionAlert: UnknownPositionAlert;
  readonly #trades: TradeLog;
  readonly #receivedMonotonicMs: () => Ms | undefined;
  /**
   * When the oldest message was received that no decision round has handled; undefined if none
   * waits.
   */
  #gatheredSinceMs: Ms | undefined;
  readonly #soldHereLots = (marketId: MarketId): Lots =>
    this.liquidatedInventory.soldHereLots(marketId);

  constructor(options: BotOptions) {
    const { runtime, store, journal } = options;
    this.#receivedMonotonicMs = options.receivedMonotonicMs ?? (() => undefined);
    this.#turns = new TurnQueue(
      runtime,
      (input) => this.#run(input),
      journal === undefined ? undefined : (record) => journal.turn(record),
    );
    // The state is read at this instant, before the first turn.
    this.#turns.stampNow(options.madeAt);
    const turns = this.#turns;
    this.startedAt = { atMs: turns.clock.nowMs(), monotonicMs: turns.clock.monotonicMs() };
    const context = createContext(options, turns);
    const tradingGuards = new TradingGuards(context);
    const orderFactory = new OrderFactory(context, options.nextOrderHash);
    const venueMonitor = new VenueMonitor(context, tradingGuards, orderFactory);
    const liquidatedInventory = new LiquidatedInventory(context);
    const trades = new TradeLog(store);
    const reopenedOrderMonitor = new ReopenedOrderMonitor(context, tradingGuards);
    const accountEvents = new AccountEventHandler(
      context,
      tradingGuards,
      liquidatedInventory,
      trades,
      reopenedOrderMonitor,
    );
    const signals = new StrategySignals(context, tradingGuards, turns, options.isReplay ?? false);
    const ticks = new TickScheduler(context.clock, context.tickMs, () => this.#tick());
    const shutdownSequence = new ShutdownSequence(context, {
      tradingGuards,
      venueMonitor,
      accountEvents,
      ticks,
      turns,
    });
    const responses = new ResponseHandler(context, {
      tradingGuards,
      orderFactory,
      venueMonitor,
      shutdownSequence,
      reopenedOrderMonitor,
      accountEvents,
    });
    this.context = context;
    this.tradingGuards = tradingGuards;
    this.liquidatedInventory = liquidatedInventory;
    this.#venueMonitor = venueMonitor;
    this.#trades = trades;
    this.#reopenedOrders = reopenedOrderMonitor;
    this.#accountEvents = accountEvents;
    this.#signals = signals;
    this.#ticks = ticks;
    this.#shutdown = shutdownSequence;
    this.#responses = responses;
    this.#references = new ReferenceFeed(context);
    this.#positionAlert = new UnknownPositionAlert(context);
    this.#decisions = new DecisionScheduler(context, liquidatedInventory);
    this.#flattening = new LadderFlatten(context, tradingGuards);
    this.#planner = new ExecutionPlanner(
      context,
      tradingGuards,
      liquidatedInventory,
      accountEvents,
    );
    this.#preTradeCheck = new PreTradeCheck(context, {
      tradingGuards,
      orderFactory,
      accountEvents,
      responses,
      journal,
    });
    const configuration = new Configuration(context, {
      tradingGuards,
      flattening: this.#flattening,
      planner: this.#planner,
      signals,
    });
    this.#commands = new CommandHandler(context, {
      configuration,
      tradingGuards,
      liquidatedInventory,
      shutdownSequence,
      ticks,
      accountEvents,
      signals,
    });
  }

  get phase(): BotPhase {
    return this.context.phase;
  }

  /** Number of turns so far. */
  get turns(): number {
    return this.#turns.turns;
  }

  /**
   * When the bot last wrote a heartbeat for the guard, by this machine's clock; undefined before
   * the first one, and if none is written.
   */
  get heartbeatAtMs(): Ms | undefined {
    return this.#venueMonitor.heartbeatAtMs;
  }

  /** Handles an input (docs/ideas/design.md#one-event-at-a-time). */
  accept(input: BotInput): void {
    this.#turns.accept(input);
  }

  /** Handles a command, as an input. */
  command(command: BotCommand): void {
    this.accept({ kind: "command", command });
  }

  /**
   * Persists a trade from before this run that is not in the trade log, and changes nothing else.
   * True if its fill was missing. @throws RunError
   */
  recordEarlierTrade(trade: VenueTrade): boolean {
    return this.#trades.recordEarlierTrade(trade);
  }

  /** The plan of a market with other quotes and settings; it changes nothing. */
  previewPlan(trader: MarketTrader, preview: PlanPreview): Plan {
    return this.#planner.preview(trader, preview);
  }

  /** Stops every timer at once without a shutdown, as a crash would. */
  abandon(): void {
    this.#turns.close();
  }

  #run(input: BotInput): void {
    // Inputs have too many shapes for a fast property access, so the kind is read only once.
    switch (input.kind) {
      case "event":
        this.#event(input.event);
        break;
      case "leave":
        this.#preTradeCheck.checkAndSend(input.key);
        break;
      case "command":
        this.#commands.handle(input.command);
        break;
      case "reference":
        this.#references.take(input.update);
        this.context.hedges.onReference(input.update);
        break;
      case "hedge":
        this.context.hedges.onEvent(input.venue, input.event);
        break;
      case "strategy":
        this.#signals.take(input.marketId, input.signal);
    }
    if (!isBatched(input, this.context)) {
      this.#settle();
      this.context.statistics.endTurn();
      return;
    }
    this.#gatheredSinceMs ??= this.#receivedMonotonicMs();
    this.#decisions.armRound();
  }

  #event(event: VenueEvent): void {
    const { traders, account, exchangeTime, clock, notify, venue, streams } = this.context;
    streams.note(event, clock.monotonicMs());
    switch (event.type) {
      case "book-snapshot":
      case "book-update": {
        const trader = traders.get(event.marketId);
        if (trader === undefined) return;
        const before = trader.book.gapCount;
        const { isSynchronised } = trader.book;
        if (trader.book.apply(event, clock.monotonicMs()) === "resubscribe") {
          const reason = trader.book.reason ?? "lost";
          trader.invalidate(reason);
          notify({
            kind: "book-lost",
            marketId: event.marketId,
            reason,
            gap: trader.book.gapCount > before,
          });
          // If a snapshot cannot be used either, the monitor requests it again later: an immediate
          // retry returns the same one.
          if (isSynchronised) venue.resubscribe(event.marketId);
        }
        return;
      }
      case "market-state":
        traders.get(event.marketId)?.state.apply(event);
        this.#references.onMarketState(event);
        this.#accountEvents.handleStep(account.onEvent(event, exchangeTime.nowMs()));
        return;
      case "public-trade": {
        const trader = traders.get(event.marketId);
        trader?.state.apply(event);
        if (exchangeTime.isKnown)
          trader?.lag.traded(
            exchangeTime.nowMs() - event.timeMs,
            this.context.config.risk.maxBookAgeMs,
          );
        return;
      }
      case "malformed":
        notify({ kind: "malformed", where: event.where, reason: event.reason });
        return;
      case "answer":
        this.#responses.handle(event.actionId, event.outcome);
        return;
      case "stream":
        notify({ kind: "stream", stream: event.stream, state: event.state, reason: event.reason });
        if (event.state === "up") this.context.backoff.onReachable();
        if (event.stream === "account") this.tradingGuards.accountStream(event.state, event.reason);
        if (event.stream === "market" && event.state === "down") {
          for (const trader of traders.values()) trader.invalidate(`stream down: ${event.reason}`);
          this.#references.onMarketStreamDown(event.reason);
        }
        this.#accountEvents.handleStep(account.onEvent(event, exchangeTime.nowMs()));
        return;
      default:
        this.#accountEvents.handleStep(account.onEvent(event, exchangeTime.nowMs()));
    }
  }

  /** Does what is due by time alone. */
  #tick(): void {
    if (this.context.phase === "stopped") return;
    const { account, exchangeTime, backoff, clock, traderList } = this.context;
    this.#noteLag();
    this.#accountEvents.handleStep(account.onTick(exchangeTime.nowMs()));
    this.#venueMonitor.tick();
    this.tradingGuards.checkEquity();
    this.liquidatedInventory.tick();
    this.#reopenedOrders.tick();
    this.#positionAlert.check(this.tradingGuards.halts);
    this.context.budget.persistAhead();
    const over = backoff.expire(clock.monotonicMs());
    const isGtt = this.context.config.quotes.timeInForce === "GTT";
    for (const trader of traderList) {
      if (
        over ||
        isGtt ||
        trader.target !== undefined ||
        this.liquidatedInventory.isOpen(trader.marketId)
      )
        trader.markDirty();
    }
    if (this.context.phase === "stopping") this.#shutdown.tick();
  }

  #noteLag(): void {
    const { loopLag, clock, notify } = this.context;
    if (!loopLag.note(this.#ticks.lateMs, clock.monotonicMs())) return;
    const fields = { lagMs: Math.round(loopLag.lagMs) };
    if (loopLag.isShedding)
      notify({ kind: "log", level: "warn", message: "the event loop lags: load is shed", fields });
    else
      notify({
        kind: "log",
        level: "info",
        message: "the event loop keeps up again: no load is shed",
        fields,
      });
  }

  /** A strategy is asked again once its market's hedge has moved, as after a fill. */
  #settleHedges(): void {
    const { hedges, phase, traders } = this.context;
    const hedgingPhase = {
      isStarting: phase === "starting",
      mayRest: phase === "running",
      soldHereLots: this.#soldHereLots,
    };
    for (const marketId of hedges.settle(hedgingPhase)) {
      const trader = traders.get(marketId);
      trader?.decisions.noteFill();
      trader?.markDirty();
    }
  }

  /** Runs after every input: guards, decisions, plans. */
  #settle(): void {
    const { context } = this;
    if (context.phase === "stopped") return;
    if (context.phase === "starting" && context.account.confirmed) context.phase = "running";
    // Before the hedges: what is sold here is not hedged.
    this.liquidatedInventory.settle();
    this.#settleHedges();
    this.tradingGuards.evaluate();
    this.#flattening.settle();
    const isRound = this.#decisions.beginRound();
    for (const trader of context.traderList) {
      const isViewed = this.#decisions.decide(trader);
      if (trader.isDirty || (isViewed && this.#planner.mayDiffer(trader)))
        this.#planner.plan(trader, this.#gatheredSinceMs ?? this.#receivedMonotonicMs());
    }
    if (isRound) this.#gatheredSinceMs = undefined;
    this.#decisions.armTimer();
  }
}
