import type { MarketId, Ms } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import {
  type AccountHealth,
  evaluateGuards,
  type HealthState,
  type MarketHealth,
} from "../../risk/guards.js";
import {
  addHalt,
  allowedPlaces,
  areQuotesAllowed,
  createManualHalt,
  type HaltReason,
  type HaltState,
  type HaltStep,
  haltsFor,
  NO_HALTS,
  releaseManualHalts,
  resumeHalts,
  updateHalts,
} from "../../risk/halt.js";
import type { GuardLimits } from "../../risk/limits.js";
import { addEvent, EMPTY_MINUTE } from "../../risk/minute-window.js";
import type { BotContext } from "../engine/context.js";
import type { MarketTrader } from "../market/market-trader.js";
import { findBreakingChange, findDomainMismatch } from "../market/rule-changes.js";
import {
  findChangedContracts,
  IN_THE_LAST_RUN,
  writeTradedContracts,
} from "../market/traded-contracts.js";
import { referenceInstant } from "../market/used-reference.js";
import { guardLimitsFor } from "./configured-limits.js";
import { ContractChangeHalts } from "./contract-change-halts.js";
import { EquityMonitor, type LossReading } from "./equity-monitor.js";
import { ManualHalts } from "./manual-halts.js";
import { findReferenceFault } from "./reference-fault.js";
import { type AcceptedLosses, RiskLadder } from "./risk-ladder.js";
import { findUnknownPositionReason } from "./unknown-position.js";

/** How long a condition must be over before its halt ends by itself. */
const HOLD_MS = 500;

/**
 * Decides, per market, if the bot may trade and why not: guards, drawdown, manual halts
 * (docs/ideas/design.md#fail-closed).
 */
export class TradingGuards {
  /** Effects of losses, inventory and markouts on the quotes and the position. */
  readonly ladder: RiskLadder;
  readonly #context: BotContext;
  #limits: GuardLimits;
  readonly #equity: EquityMonitor;
  readonly #manualHalts: ManualHalts;
  readonly #contractChangeHalts: ContractChangeHalts;
  /** The guards' inputs, one object for the whole run: they are read in each turn. */
  readonly #account: Writable<AccountHealth>;
  readonly #watched: readonly WatchedMarket[];
  readonly #health: HealthState;
  /** Active halts that are normal at a start. */
  readonly #startHalts = new Set<string>();
  #halts: HaltState = NO_HALTS;
  #streamTrouble: string | undefined;
  #questionTrouble: string | undefined;

  /**
   * @throws FormatError or CorruptStateError if the stored peak or halts are corrupt: a bot must
   * forget neither its drawdown nor a manual halt.
   */
  constructor(context: BotContext) {
    this.#context = context;
    this.#limits = guardLimitsFor(context.config);
    this.#equity = new EquityMonitor(context);
    this.#manualHalts = new ManualHalts(context);
    this.ladder = new RiskLadder(context);
    this.#contractChangeHalts = new ContractChangeHalts(context);
    // The bot's first rules were read just before.
    this.#account = {
      isConfirmed: false,
      accountAtMs: undefined,
      clockOffsetMs: undefined,
      clockAtMs: Number.NEGATIVE_INFINITY,
      domainMismatch: findDomainMismatch(context.rules),
      trouble: undefined,
      rulesAtMs: context.clock.monotonicMs(),
      rulesTrouble: undefined,
      loopLagMs: undefined,
      bannedUntilMs: undefined,
    };
    this.#watched = [...context.traders.values()].map((trader) => ({
      trader,
      health: newHealth(trader.marketId),
    }));
    this.#health = { account: this.#account, markets: this.#watched.map(({ health }) => health) };
    this.#list(context.rules);
    const changes = findChangedContracts(context);
    for (const { health } of this.#watched) health.rulesChanged = changes.get(health.marketId);
    this.#keepContracts();
  }

  /** Applies the configuration in force. Halts, the peak and latched rungs stay. */
  configure(): void {
    this.#limits = guardLimitsFor(this.#context.config);
    this.#equity.configure();
    this.ladder.configure(this.#equity.latest);
  }

  get halts(): readonly HaltReason[] {
    return this.#halts.reasons;
  }

  /**
   * The highest net value so far, without deposits, and never below the present one; undefined
   * before the first reading.
   */
  get peak(): bigint | undefined {
    return this.#equity.peak;
  }

  /** The newest check of the account's losses; undefined before the first. */
  get losses(): LossReading | undefined {
    return this.#equity.latest;
  }

  get limits(): GuardLimits {
    return this.#limits;
  }

  /** When the exchange last confirmed the account, on the monotonic clock; undefined before. */
  get accountAtMs(): Ms | undefined {
    return this.#account.accountAtMs;
  }

  /**
   * Why the newest manual halt or resume is not in the state directory: the next run would not know
   * it. Undefined if it is.
   */
  get haltWriteError(): string | undefined {
    return (
      this.#manualHalts.writeError ?? this.#contractChangeHalts.writeError ?? this.ladder.writeError
    );
  }

  haltsFor(marketId: MarketId): readonly HaltReason[] {
    return haltsFor(this.#halts, marketId);
  }

  areQuotesAllowed(marketId: MarketId): boolean {
    return areQuotesAllowed(this.#halts, marketId);
  }

  allowedPlaces(marketId: MarketId): "any" | "reduce-only" | "none" {
    const allowed = allowedPlaces(this.#halts, marketId);
    return allowed === "any" && this.ladder.effectOn(marketId).isReduceOnly
      ? "reduce-only"
      : allowed;
  }

  /** The exchange has just confirmed the account, in a reconciliation or by its stream. */
  accountConfirmed(): void {
    this.#account.accountAtMs = this.#nowMs();
    this.#questionTrouble = undefined;
  }

  /** The account's stream came up or went down, for this reason. */
  accountStream(state: "up" | "down", reason: string): void {
    this.#streamTrouble = state === "up" ? undefined : `its stream is down: ${reason}`;
  }

  /** A query about the account failed. */
  onAccountQueryFailed(ask: string, message: string): void {
    this.#questionTrouble = `${ask} cannot be read: ${message}`;
  }

  /** The start waits for trades of these markets to settle. */
  accountAwaitsSettlement(marketIds: readonly MarketId[]): void {
    this.#questionTrouble = `its positions are certain once trades of ${marketIds.join(", ")} have settled`;
  }

  placeRefused(marketId: MarketId): void {
    for (const { health } of this.#watched)
      if (health.marketId === marketId) health.rejects = addEvent(health.rejects, this.#nowMs());
  }

  banned(forMs: Ms): void {
    this.#account.bannedUntilMs = this.#nowMs() + forMs;
  }

  /** New rules were read: checks for changes that must not happen under a running bot. */
  rulesRead(rules: VenueRules): void {
    this.#account.rulesAtMs = this.#nowMs();
    this.#account.rulesTrouble = undefined;
    this.#account.domainMismatch = findDomainMismatch(rules);
    this.#list(rules);
    for (const { trader, health } of this.#watched) {
      const found = rules.markets[trader.marketId];
      const changed = found === undefined ? undefined : findBreakingChange(trader.rules, found);
      if (changed !== undefined) health.rulesChanged = changed;
    }
  }

  /** The rules could not be read again. */
  rulesUnread(why: string): void {
    this.#account.rulesTrouble = why;
  }

  /** The run begins, with the halts of an earlier one that last until an operator resumes. */
  begin(): void {
    this.ladder.begin();
    this.#contractChangeHalts.begin();
    for (const demand of this.#manualHalts.fromEarlierRuns())
      this.#take(addHalt(this.#halts, demand, this.#nowMs()));
  }

  /** Survives this process: the next run is halted too. */
  haltManually(marketId: MarketId | undefined, why: string): void {
    this.#take(addHalt(this.#halts, createManualHalt(marketId, why), this.#nowMs()));
    this.#manualHalts.add(marketId, why);
  }

  /** Halts for a cause that an operator has to look at. */
  haltMarket(marketId: MarketId, name: string, why: string): void {
    this.#take(
      addHalt(
        this.#halts,
        { scope: "market", marketId, name, why, resumesByItself: false },
        this.#nowMs(),
      ),
    );
  }

  /** Ends manual and latched halts; a guard whose condition lasts trips again at once. */
  resume(marketId: MarketId | undefined): void {
    for (const { health } of this.#watched)
      if (marketId === undefined || health.marketId === marketId) health.rejects = EMPTY_MINUTE;
    this.#accept(this.ladder.resume(marketId));
    // An operator can only accept the contract of another run; a change under a running bot needs a
    // restart.
    for (const { health } of this.#watched) {
      const isMeant = marketId === undefined || health.marketId === marketId;
      if (isMeant && health.rulesChanged?.includes(IN_THE_LAST_RUN))
        health.rulesChanged = undefined;
    }
    this.#keepContracts();
    this.#take(resumeHalts(this.#halts, marketId));
    this.#manualHalts.remove((kept) => marketId === undefined || kept.marketId === marketId);
  }

  /** Ends manual halts with this reason, and none that an operator has to look at. */
  release(why: string): void {
    this.#take(releaseManualHalts(this.#halts, why));
    this.#manualHalts.remove((kept) => kept.why === why);
  }

  /** Evaluates every guard; call it after each turn that may have changed anything. */
  evaluate(): void {
    const nowMs = this.#nowMs();
    this.#updateHealth();
    this.ladder.evaluate();
    const trips = evaluateGuards(this.#health, this.#limits, nowMs);
    const demands = this.ladder.demands.length === 0 ? trips : [...trips, ...this.ladder.demands];
    if (demands.length > 0 || this.#halts.reasons.length > 0)
      this.#take(updateHalts(this.#halts, demands, nowMs, HOLD_MS));
  }

  /**
   * Compares the account's net value with its peak and the start of the day; call it a few times a
   * second.
   */
  checkEquity(): void {
    this.#manualHalts.retry();
    this.#contractChangeHalts.retry();
    this.ladder.retry();
    const { account } = this.#context;
    if (account.current && account.equity !== undefined) this.#accept(this.ladder.takeAccepted());
    const look = this.#equity.check();
    if (look !== undefined) this.ladder.losses(look);
  }

  /** Writes the present peak, on a clean shutdown. */
  settle(): void {
    this.#equity.settle();
  }

  /** Persists the traded contracts, except those that an operator has to look at first. */
  #keepContracts(): void {
    const unchanged = this.#watched.flatMap(({ trader, health }) =>
      health.rulesChanged === undefined ? [trader] : [],
    );
    writeTradedContracts(this.#context.store, unchanged);
  }

  #accept({ drawdown, dailyLoss }: AcceptedLosses): void {
    if (drawdown) this.#equity.acceptDrawdown();
    if (dailyLoss) this.#equity.acceptDailyLoss();
  }

  #nowMs(): Ms {
    return this.#context.clock.monotonicMs();
  }

  /** Applies the exchange's listing of each market. */
  #list(rules: VenueRules): void {
    for (const { health } of this.#watched) {
      const listed = rules.markets[health.marketId];
      health.status = listed?.status;
      health.stage = listed?.stage;
      health.unread = rules.unread?.[health.marketId];
    }
  }

  /** Updates the guards' inputs from the other parts. */
  #updateHealth(): void {
    const { account, exchangeTime, loopLag } = this.#context;
    const health = this.#account;
    const { isKnown } = exchangeTime;
    health.isConfirmed = account.confirmed && account.current;
    health.clockOffsetMs = isKnown ? exchangeTime.offsetMs : undefined;
    health.loopLagMs = loopLag.isOverLimit ? loopLag.lagMs : undefined;
    health.clockAtMs = exchangeTime.measuredAtMonotonicMs;
    health.trouble =
      this.#streamTrouble === undefined || this.#questionTrouble === undefined
        ? (this.#streamTrouble ?? this.#questionTrouble)
        : `${this.#streamTrouble}; ${this.#questionTrouble}`;
    for (const { trader, health } of this.#watched) {
      const { book } = trader;
      health.isBookSynchronised = book.isSynchronised;
      health.hasHadBook ||= book.isSynchronised;
      health.bookAtMs = health.isBookSynchronised
        ? trader.lag.rightAtMs(book.lastReceivedMs)
        : Number.NEGATIVE_INFINITY;
      health.positionUnknownReason = findUnknownPositionReason(this.#context, trader.marketId);
      health.isPositionKnown = health.positionUnknownReason === undefined;
      if (trader.reference !== undefined)
        health.reference = findReferenceFault(trader.reference, referenceInstant(this.#context));
      const restriction = this.#context.hedges.restrictionOn(health.marketId);
      health.hedge = restriction?.effect === "halt" ? restriction : undefined;
    }
  }

  /** The first confirmation, snapshot or reading of the clock has yet to come. */
  #isNormalAtStart(reason: HaltReason): boolean {
    if (!reason.resumesByItself) return false;
    if (this.#context.phase === "starting") return true;
    if (reason.name === "clock-unknown") return this.#account.clockOffsetMs === undefined;
    return (
      reason.scope === "market" &&
      this.#watched.some(
        ({ trader, health }) =>
          health.marketId === reason.marketId &&
          ((reason.name === "book-unsynchronised" && !health.hasHadBook) ||
            (reason.name === "stale-reference" &&
              trader.reference?.price.state(referenceInstant(this.#context)) === "starting")),
      )
    );
  }

  #take(step: HaltStep): void {
    this.#halts = step.state;
    if (step.begun.length === 0 && step.ended.length === 0) return;
    this.#contractChangeHalts.update(step.state.reasons);
    const { notify, traders } = this.#context;
    for (const [reasons, on] of [
      [step.begun, true],
      [step.ended, false],
    ] as const) {
      for (const reason of reasons) {
        const marketId = reason.scope === "market" ? reason.marketId : undefined;
        const key = `${reason.name} ${marketId ?? ""}`;
        if (on && this.#isNormalAtStart(reason)) this.#startHalts.add(key);
        const isStarting = this.#startHalts.has(key);
        if (!on) this.#startHalts.delete(key);
        notify({ kind: "halted", reason: reason.name, marketId, on, why: reason.why, isStarting });
        for (const trader of traders.values())
          if (marketId === undefined || marketId === trader.marketId) trader.markDirty();
      }
    }
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** A market of the bot, and the guards' inputs about it. */
interface WatchedMarket {
  readonly trader: MarketTrader;
  readonly health: Writable<MarketHealth>;
}

/** A market's inputs before the first update. */
function newHealth(marketId: MarketId): Writable<MarketHealth> {
  const unknown = {
    bookAtMs: Number.NEGATIVE_INFINITY,
    status: undefined,
    stage: undefined,
    unread: undefined,
    rulesChanged: undefined,
  };
  return {
    marketId,
    isBookSynchronised: false,
    hasHadBook: false,
    isPositionKnown: true,
    rejects: EMPTY_MINUTE,
    ...unknown,
  };
}
