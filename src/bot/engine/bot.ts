import type { Ms } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import type { VenueEvent } from "../../exchange/venue.js";
import { Planning } from "../execution/execution-planner.js";
import { OrderWorks } from "../execution/order-factory.js";
import { Leaving } from "../execution/pre-trade-check.js";
import { Revivals } from "../execution/reopened-order-monitor.js";
import { LadderFlatten } from "../safety/ladder-flatten.js";
import { Safety } from "../safety/trading-guards.js";
import { PositionAlert } from "../safety/unknown-position.js";
import { TradeLog } from "../state/trade-log.js";
import { Unwinding } from "../unwind/liquidated-inventory.js";
import { AccountNews } from "./account-event-handler.js";
import { isGathered } from "./batched-input.js";
import type { BotOptions } from "./bot-options.js";
import { Commands } from "./command-handler.js";
import type { BotContext, BotPhase } from "./context.js";
import { makeContext } from "./create-context.js";
import { Deciding } from "./decision-scheduler.js";
import type { BotCommand, BotInput } from "./input.js";
import { Answers } from "./response-handler.js";
import { Stopping } from "./shutdown-sequence.js";
import { StrategySignals } from "./strategy-signals.js";
import { TickScheduler } from "./tick-scheduler.js";
import { TurnQueue } from "./turn-queue.js";
import { Watch } from "./venue-monitor.js";

/**
 * One bot (design, rules 1 to 12): inputs come in one at a time through {@link accept}, actions go out to the venue.
 * @throws FormatError or CorruptStateError from the constructor when the state directory holds what it cannot hold.
 */
export class Bot {
  readonly context: BotContext;
  readonly safety: Safety;
  readonly unwinding: Unwinding;
  readonly #turns: TurnQueue;
  readonly #flattening: LadderFlatten;
  readonly #planning: Planning;
  readonly #leaving: Leaving;
  readonly #answers: Answers;
  readonly #watch: Watch;
  readonly #stopping: Stopping;
  readonly #revivals: Revivals;
  readonly #news: AccountNews;
  readonly #deciding: Deciding;
  readonly #signals: StrategySignals;
  readonly #ticks: TickScheduler;
  readonly #commands: Commands;
  readonly #positionAlert: PositionAlert;
  readonly #trades: TradeLog;
  readonly #receivedMonotonicMs: () => Ms | undefined;
  /** When the oldest message was received that no round of decisions has answered; undefined where none waits. */
  #gatheredSinceMs: Ms | undefined;

  constructor(options: BotOptions) {
    const { seam, store, journal } = options;
    this.#receivedMonotonicMs = options.receivedMonotonicMs ?? (() => undefined);
    this.#turns = new TurnQueue(
      seam,
      (input) => this.#run(input),
      journal === undefined ? undefined : (record) => journal.turn(record),
    );
    // The state is read against this instant, before the first turn.
    this.#turns.stampNow(options.madeAt);
    const turns = this.#turns;
    const context = makeContext(options, turns);
    const safety = new Safety(context);
    const works = new OrderWorks(context, options.nameOrder);
    const watch = new Watch(context, safety, works);
    const unwinding = new Unwinding(context);
    const trades = new TradeLog(store);
    const revivals = new Revivals(context, safety);
    const news = new AccountNews(context, safety, unwinding, trades, revivals);
    const signals = new StrategySignals(context, safety, turns, options.isReplay ?? false);
    const ticks = new TickScheduler(context.clock, context.tickMs, () => this.#tick());
    const stopping = new Stopping(context, { safety, watch, news, ticks, turns });
    const answers = new Answers(context, { safety, works, watch, stopping, revivals, news });
    this.context = context;
    this.safety = safety;
    this.unwinding = unwinding;
    this.#watch = watch;
    this.#trades = trades;
    this.#revivals = revivals;
    this.#news = news;
    this.#signals = signals;
    this.#ticks = ticks;
    this.#stopping = stopping;
    this.#answers = answers;
    this.#positionAlert = new PositionAlert(context);
    this.#deciding = new Deciding(context, unwinding);
    this.#flattening = new LadderFlatten(context, safety);
    this.#planning = new Planning(context, safety, unwinding, news);
    this.#leaving = new Leaving(context, { safety, works, news, answers, journal });
    this.#commands = new Commands(context, { safety, unwinding, stopping, ticks, news, signals });
  }

  get phase(): BotPhase {
    return this.context.phase;
  }

  /** When the guard was last shown that the bot lives, by this machine's clock; undefined before, and where none is shown. */
  get heartbeatAtMs(): Ms | undefined {
    return this.#watch.heartbeatAtMs;
  }

  /** Brings an input in (design, rule 2). */
  accept(input: BotInput): void {
    this.#turns.accept(input);
  }

  /** The same for a command. */
  command(command: BotCommand): void {
    this.accept({ kind: "command", command });
  }

  /** Writes down a trade of before this run that nobody has: the record of trades alone. True when its fill was lacking. @throws RunError */
  noteEarlier(trade: VenueTrade): boolean {
    return this.#trades.noteEarlier(trade);
  }

  /** Lets go of every timer at once, without a goodbye: what a crash would do. */
  abandon(): void {
    this.#turns.close();
  }

  #run(input: BotInput): void {
    // Inputs are of too many shapes for any of their fields to be found quickly: the kind is not asked for once more for each that it might be.
    switch (input.kind) {
      case "event":
        this.#event(input.event);
        break;
      case "leave":
        this.#leaving.leave(input.key);
        break;
      case "command":
        this.#commands.take(input.command);
        break;
      case "strategy":
        this.#signals.take(input.marketId, input.signal);
    }
    if (!isGathered(input, this.context)) return this.#settle();
    this.#gatheredSinceMs ??= this.#receivedMonotonicMs();
    this.#deciding.armRound();
  }

  #event(event: VenueEvent): void {
    const { traders, account, exchangeTime, clock, notify, venue } = this.context;
    switch (event.type) {
      case "book-snapshot":
      case "book-update": {
        const trader = traders.get(event.marketId);
        if (trader === undefined) return;
        const before = trader.book.gaps;
        const { synchronised } = trader.book;
        if (trader.book.apply(event, clock.monotonicMs()) === "resubscribe") {
          const reason = trader.book.reason ?? "lost";
          trader.lose(reason);
          notify({
            kind: "book-lost",
            marketId: event.marketId,
            reason,
            gap: trader.book.gaps > before,
          });
          // A snapshot that cannot be stood on either is asked for again by the watch: the next one is the same, as fast as it is asked for.
          if (synchronised) venue.resubscribe(event.marketId);
        }
        return;
      }
      case "market-state":
        traders.get(event.marketId)?.state.apply(event);
        this.#news.absorb(account.onEvent(event, exchangeTime.nowMs()));
        return;
      case "public-trade": {
        const trader = traders.get(event.marketId);
        trader?.state.apply(event);
        if (exchangeTime.known)
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
        this.#answers.take(event.actionId, event.outcome);
        return;
      case "stream":
        notify({ kind: "stream", stream: event.stream, state: event.state, reason: event.reason });
        if (event.stream === "account") this.safety.accountStream(event.state, event.reason);
        if (event.stream === "market" && event.state === "down")
          for (const trader of traders.values()) trader.lose(`stream down: ${event.reason}`);
        this.#news.absorb(account.onEvent(event, exchangeTime.nowMs()));
        return;
      default:
        this.#news.absorb(account.onEvent(event, exchangeTime.nowMs()));
    }
  }

  /** Does what is due by time alone. */
  #tick(): void {
    if (this.context.phase === "stopped") return;
    const { account, exchangeTime, holds, clock, traderList } = this.context;
    this.#noteLag();
    this.#news.absorb(account.onTick(exchangeTime.nowMs()));
    this.#watch.tick();
    this.safety.watchEquity();
    this.unwinding.tick();
    this.#revivals.tick();
    this.#positionAlert.look(this.safety.halts);
    this.context.budget.keep();
    const over = holds.expire(clock.monotonicMs());
    const isGtt = this.context.config.quotes.timeInForce === "GTT";
    for (const trader of traderList) {
      if (over || isGtt || trader.target !== undefined || this.unwinding.isOpen(trader.marketId))
        trader.markDirty();
    }
    if (this.context.phase === "stopping") this.#stopping.tick();
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

  /** After every input: guards, decisions, plans. */
  #settle(): void {
    const { context } = this;
    if (context.phase === "stopped") return;
    if (context.phase === "starting" && context.account.confirmed) context.phase = "running";
    this.safety.evaluate();
    this.unwinding.settle();
    this.#flattening.settle();
    const isRound = this.#deciding.beginRound();
    for (const trader of context.traderList) {
      this.#deciding.decide(trader);
      if (trader.isDirty)
        this.#planning.plan(trader, this.#gatheredSinceMs ?? this.#receivedMonotonicMs());
    }
    if (isRound) this.#gatheredSinceMs = undefined;
    this.#deciding.armTimer();
  }
}
