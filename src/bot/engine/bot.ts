import type { MarketId, Ms } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import type { Action, QuestionAction, VenueEvent } from "../../exchange/venue.js";
import { checkIntent, type RefusedIntent } from "../../risk/intent-shape.js";
import type { Intent } from "../../strategies/intent.js";
import { Leaving } from "../execution/leaving.js";
import { OrderWorks } from "../execution/order-works.js";
import { Planning } from "../execution/planning.js";
import { Revivals } from "../execution/revivals.js";
import type { TurnRecorder } from "../journal/journal.js";
import { LadderFlatten } from "../safety/ladder-flatten.js";
import { PositionAlert } from "../safety/position-doubt.js";
import { Safety } from "../safety/safety.js";
import { TradeLog } from "../state/trade-log.js";
import { Unwinding } from "../unwind/unwinding.js";
import { AccountNews } from "./account-news.js";
import { Answers } from "./answers.js";
import type { BotOptions } from "./bot-options.js";
import { Commands } from "./commands.js";
import type { BotContext, BotPhase } from "./context.js";
import { Deciding } from "./deciding.js";
import { isGathered } from "./gathered-input.js";
import type { BotCommand, BotInput, StrategySignal } from "./input.js";
import { makeContext } from "./make-context.js";
import type { StopResult } from "./notice.js";
import { ownSignal } from "./own-signal.js";
import { Stopping } from "./stopping.js";
import { TickScheduler } from "./tick-scheduler.js";
import { TurnQueue } from "./turn-queue.js";
import { Watch } from "./watch.js";

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
  readonly #ticks: TickScheduler;
  readonly #commands: Commands;
  readonly #positionAlert: PositionAlert;
  readonly #journal: TurnRecorder | undefined;
  readonly #trades: TradeLog;
  readonly #receivedMonotonicMs: () => Ms | undefined;
  /** When the oldest message was received that no round of decisions has answered; undefined where none waits. */
  #gatheredSinceMs: Ms | undefined;

  constructor(options: BotOptions) {
    const { seam, store } = options;
    this.#journal = options.journal;
    this.#receivedMonotonicMs = options.receivedMonotonicMs ?? (() => undefined);
    const receivedMonotonicMs = (): Ms | undefined =>
      this.#gatheredSinceMs ?? this.#receivedMonotonicMs();
    this.#turns = new TurnQueue(
      seam,
      (input) => this.#run(input),
      options.journal === undefined ? undefined : (record) => options.journal?.turn(record),
    );
    // The state is read against this instant, before the first turn.
    this.#turns.stampNow(options.madeAt);
    this.context = makeContext({ ...options, receivedMonotonicMs }, this.#turns, {
      absorb: (step) => this.#news.absorb(step),
      onTurn: (key) => this.accept({ kind: "leave", key }),
      onSignal: (marketId, signal) => this.#spoke(options, marketId, signal),
      unasked: (action, why) => this.#answered(action, why),
      submit: (key, action, causeMonotonicMs) => this.#submit(key, action, causeMonotonicMs),
    });
    this.safety = new Safety(this.context);
    this.#positionAlert = new PositionAlert(this.context);
    const works = new OrderWorks(this.context);
    this.#watch = new Watch(this.context, this.safety, works);
    this.unwinding = new Unwinding(this.context);
    this.#trades = new TradeLog(store);
    this.#revivals = new Revivals(this.context, this.safety);
    this.#news = new AccountNews(
      this.context,
      this.safety,
      this.unwinding,
      this.#trades,
      this.#revivals,
    );
    this.#deciding = new Deciding(this.context, this.unwinding);
    this.#flattening = new LadderFlatten(this.context, this.safety);
    this.#planning = new Planning(this.context, this.safety, this.unwinding);
    this.#leaving = new Leaving(this.context, this.safety, works);
    this.#ticks = new TickScheduler(this.context.clock, this.context.tickMs, () => this.#tick());
    this.#stopping = new Stopping(this.context, (result) => this.#finish(result));
    this.#commands = new Commands(
      this.context,
      this.safety,
      this.unwinding,
      this.#stopping,
      this.#ticks,
    );
    this.#answers = new Answers(
      this.context,
      this.safety,
      works,
      this.#watch,
      this.#revivals,
      (action, outcome) =>
        this.#watch.answered(action, outcome) || this.#stopping.answered(action, outcome),
    );
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
        this.#signal(input.marketId, input.signal);
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

  #spoke(options: BotOptions, marketId: MarketId, signal: StrategySignal): void {
    if (this.#turns.running) this.#signal(marketId, signal);
    else if (options.isReplay !== true)
      this.accept({ kind: "strategy", marketId, signal: ownSignal(signal) });
  }

  #signal(marketId: MarketId, signal: StrategySignal): void {
    if ("intent" in signal) return this.#intent(marketId, signal.intent);
    if ("unreadable" in signal)
      return this.#refuse(marketId, {
        refusal: "malformed",
        why: signal.unreadable,
        isBroken: true,
      });
    this.#endStrategy(marketId, signal.ended);
  }

  #endStrategy(marketId: MarketId, why: string): void {
    this.context.traders.get(marketId)?.disconnect();
    this.safety.haltMarket(marketId, "strategy-error", why);
  }

  #intent(marketId: MarketId, intent: Intent): void {
    const trader = this.context.traders.get(marketId);
    if (trader === undefined) return;
    const limits = this.context.marketLimits.get(marketId);
    const verdict = checkIntent(intent, {
      marketId,
      rules: trader.rules,
      newestViewSequence: trader.newestViewSequence,
      lastAcceptedViewSequence: trader.acceptedViewSequence,
      maxOrderLots: limits?.maxOrderLots,
      maxPositionLots: limits?.maxPositionLots,
      positionLots: this.context.account.positionLots(marketId),
      amountOf: trader.amountOf,
    });
    if (!verdict.accepted) return this.#refuse(marketId, verdict);
    const { intent: taken, clips } = verdict;
    trader.take(taken);
    this.context.notify(
      clips === undefined
        ? { kind: "intent", intent: taken }
        : { kind: "intent", intent: taken, clips },
    );
  }

  #refuse(marketId: MarketId, { refusal, why, isBroken }: Omit<RefusedIntent, "accepted">): void {
    this.context.notify({ kind: "intent-refused", marketId, refusal, why });
    if (isBroken) {
      const broken = `strategy emitted an intent that is broken: ${why}`;
      this.context.notify({ kind: "strategy-failed", marketId, why: broken, stack: undefined });
      return this.#endStrategy(marketId, broken);
    }
    // An intent from an older view is late, not wrong; any other says that what stood before it no longer holds either.
    if (refusal !== "older-view") this.context.traders.get(marketId)?.refuse(`${refusal}: ${why}`);
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
      if (trader.isDirty) this.#planning.plan(trader);
    }
    if (isRound) this.#gatheredSinceMs = undefined;
    this.#deciding.armTimer();
  }

  #submit(key: string, action: Action, causeMonotonicMs: number | undefined): void {
    const { dispatcher, budget, clock, notify, venue } = this.context;
    budget.spend(action.kind);
    dispatcher.sent(key, action, clock.monotonicMs());
    this.#journal?.action(action);
    notify({ kind: "dispatched", action, causeMonotonicMs });
    venue.submit(action);
  }

  #answered(action: QuestionAction, why: string): void {
    const outcome = { result: "not-sent", message: why } as const;
    if (this.#watch.answered(action, outcome) || this.#stopping.answered(action, outcome)) return;
    this.#news.absorb(
      this.context.account.onOutcome(action, outcome, this.context.exchangeTime.nowMs()),
    );
  }

  #finish(result: StopResult): void {
    this.context.phase = "stopped";
    this.context.budget.settle();
    this.safety.settle();
    // One that the exchange has not told what is open leaves that to the guard, as one that was killed does.
    if (result.ordersLeft.length === 0 && result.openOrdersLeft === 0) this.#watch.stopped();
    this.context.notify({ kind: "stopped", result });
    this.#ticks.stop();
    this.#turns.close();
  }
}
