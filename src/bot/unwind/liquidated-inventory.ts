import type { AccountChange } from "../../account/account-change.js";
import type { PlannedTakeover, Takeover } from "../../account/positions/takeover.js";
import type { CreditUnits, Lots, MarketId } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import type { TargetState } from "../../executor/plan-target.js";
import type { TargetIntent } from "../../strategies/intent.js";
import { EwmaVolatility } from "../../strategies/models/volatility.js";
import { DEFAULT_UNWIND, type UnwindConfig } from "../config/fields/unwind-fields.js";
import type { BotContext } from "../engine/context.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { StoredTakeovers } from "./convert-takeovers.js";
import { convertToCurrentGrids } from "./convert-takeovers.js";
import { readStoredTakeovers, writeStoredTakeovers } from "./stored-takeovers.js";
import {
  computeRemainingLots,
  type TakeoverRecord,
  TakeoverRegistry,
  toUnwindReport,
  type UnwindTerms,
} from "./takeover-registry.js";
import type { UnwindReport } from "./unwind-report.js";
import { computeDustLots, unwindTerms } from "./unwind-terms.js";
import { toUnwindTrajectory, type UnwindTrajectory } from "./unwind-trajectory.js";
import { UnwindWays } from "./unwind-ways.js";

/** How long a finished takeover is remembered, so that a repeated report is recognised: a day. */
const REMEMBER_MS = 86_400_000;
const VOLATILITY = { windowMs: 60_000, sampleMs: 1_000 };
/** Basis points per square root of a second, until there is an estimate. */
const FIRST_SIGMA_BPS = 1;
/** Shortest time between two taking orders of a market: a round trip and the book's reaction. */
const TAKE_EVERY_MS = 500;

const NOTHING: StoredTakeovers = { known: [], said: [], grids: {} };

/** All positions acquired by liquidations, and the intents that unwind them. */
export class LiquidatedInventory {
  readonly #context: BotContext;
  readonly #config: UnwindConfig;
  readonly #book: TakeoverRegistry;
  readonly #ways: UnwindWays;
  /** Grids of the bot's markets, and of the other markets in the stored takeovers. */
  readonly #grids: StoredTakeovers["grids"];
  readonly #volatility = new Map<MarketId, EwmaVolatility>();
  /** Takeovers that this turn has changed, to be persisted and reported at its end. */
  readonly #changed = new Set<TakeoverRecord>();
  #isStarted = false;
  #writtenSerial = 0;
  #writtenReservations = 0;

  /** @throws FormatError or CorruptStateError if the stored takeovers are corrupt. */
  constructor(context: BotContext) {
    this.#context = context;
    this.#config = context.config.liquidator?.unwind ?? DEFAULT_UNWIND;
    const instruments = new Map(
      [...context.traders].map(([marketId, { instrument }]) => [marketId, instrument]),
    );
    const memory = readStoredTakeovers(context.store, instruments);
    this.#book = new TakeoverRegistry(memory?.known);
    this.#ways = new UnwindWays(context, this.#book);
    this.#grids = memory?.grids ?? convertToCurrentGrids(NOTHING, instruments).grids;
  }

  /** Every takeover of the last day and its progress, the oldest first. */
  reports(): readonly UnwindReport[] {
    return this.#book.all.map((one) => toUnwindReport(one, this.#valueOf));
  }

  /** Trajectories of a market's open takeovers, the oldest first. */
  trajectories(marketId: MarketId): readonly UnwindTrajectory[] {
    const nowMs = this.#context.exchangeTime.nowMs();
    return this.#book.open(marketId).map((one) => toUnwindTrajectory(one, nowMs));
  }

  /** True if any takeover is remembered, open or done. */
  get isUsed(): boolean {
    return !this.#book.isEmpty;
  }

  /** Signed lots of a market's takeovers that are still to be sold, or bought back. */
  openLots(marketId: MarketId): Lots {
    return this.#book.openLots(marketId);
  }

  /** True if a takeover is being unwound in a market. */
  isOpen(marketId: MarketId): boolean {
    return this.#book.open(marketId).length > 0;
  }

  /**
   * A liquidation has brought a position. A known or empty one changes nothing. One that was
   * reverted meanwhile is valid again.
   * @returns true if the account has to count it.
   */
  acquire(takeover: Takeover): boolean {
    const { exchangeTime, traders } = this.#context;
    const known = this.#book.get(takeover.id);
    if (known !== undefined && !known.isUndone) return false;
    const trader = traders.get(takeover.marketId);
    if (trader === undefined || takeover.lots === 0 || !Number.isSafeInteger(takeover.lots)) {
      const why =
        trader === undefined
          ? "the bot does not trade its market"
          : "it is not a whole number of lots";
      this.#log("error", "cannot unwind the acquired position", {
        takeover: takeover.id,
        marketId: takeover.marketId,
        why,
      });
      return false;
    }
    if (known === undefined) {
      const terms = this.#termsOf(trader, takeover);
      this.#note([this.#book.acquire(takeover, terms, exchangeTime.nowMs())]);
    } else {
      this.#book.reacquire(known, this.#termsAnew(trader, takeover));
      this.#note([known]);
    }
    trader.noteFill();
    return true;
  }

  /**
   * Replaces all takeovers that are planned or sent, and neither held nor ended. Released room may
   * allow orders.
   */
  reserve(takeovers: readonly PlannedTakeover[]): void {
    const { reservations, exchangeTime } = this.#context;
    this.#replan(reservations.replace(takeovers, exchangeTime.nowMs()));
  }

  #replan(marketIds: ReadonlySet<MarketId>): void {
    for (const marketId of marketIds) {
      const trader = this.#context.traders.get(marketId);
      if (trader !== undefined) trader.markDirty();
    }
  }

  /** The chain has reverted a takeover, and the account no longer counts it. */
  revert(takeoverId: string): void {
    const known = this.#book.get(takeoverId);
    const trader =
      known === undefined ? undefined : this.#context.traders.get(known.takeover.marketId);
    if (known === undefined || trader === undefined) return;
    const undone = this.#book.revert(
      takeoverId,
      trader.instrument.paperPerLot,
      this.#termsAnew(trader, known.takeover),
    );
    if (undone === undefined) return;
    this.#note([undone]);
    trader.noteFill();
  }

  /** Handles a change of the account. */
  onAccountChange(change: AccountChange): void {
    const nowMs = this.#context.exchangeTime.nowMs();
    this.#ways.onAccountChange(change);
    if (change.kind === "liquidation" && change.isTakenOver === true)
      this.#onHeld(change.marketId, change.lots);
    else if (change.kind === "fill") this.#fill(change.trade);
    else if (change.kind === "trade-failed") this.#note(this.#book.failed(change.trade, nowMs));
    else if (change.kind === "earlier-trade") {
      const { trade } = change;
      if (trade.status === "FAILED") this.#note(this.#book.failed(trade, nowMs));
      else if (this.#book.open(trade.marketId).some(({ saidAtMs }) => saidAtMs <= trade.timeMs))
        this.#fill(trade);
    }
  }

  /** The exchange has reported a takeover before its receipt arrived. */
  #onHeld(marketId: MarketId, lots: Lots): void {
    const { reservations, traders } = this.#context;
    const trader = traders.get(marketId);
    if (trader !== undefined) reservations.held(marketId, lots, trader.instrument);
  }

  #fill(trade: VenueTrade): void {
    const trader = this.#context.traders.get(trade.marketId);
    if (trader !== undefined) this.#note(this.#book.fill(trade, trader.instrument.paperPerLot));
  }

  /** The mid has moved. */
  noteMid({ marketId, netMidTicks }: MarketTrader): void {
    if (netMidTicks === undefined || this.#context.config.liquidator === undefined) return;
    let volatility = this.#volatility.get(marketId);
    if (volatility === undefined) {
      volatility = new EwmaVolatility(VOLATILITY);
      this.#volatility.set(marketId, volatility);
    }
    volatility.observe(netMidTicks, this.#context.clock.monotonicMs());
  }

  /** Checks deadlines; runs a few times a second. */
  tick(): void {
    const nowMs = this.#context.exchangeTime.nowMs();
    for (const one of this.#book.expire(nowMs)) {
      const { id: takeover, marketId } = one.takeover;
      const remainingBase = this.#context.traders
        .get(marketId)
        ?.instrument.formatAmount(computeRemainingLots(one));
      this.#log("warn", "the deadline of an unwinding has passed", {
        takeover,
        marketId,
        remainingBase,
      });
      this.#note([one]);
    }
    this.#book.forget(nowMs - REMEMBER_MS);
    const { config, dryRun, reservations } = this.#context;
    // A bot or liquidator that sends nothing does not follow takeovers either.
    if (config.liquidator?.dryRun !== false || dryRun) this.#replan(reservations.forget(nowMs));
  }

  /**
   * At the end of each turn, before anything is hedged or planned: positions that the account does
   * not hold need no unwinding, and those of a market with a hedge are sold here or laid off; then
   * all changes are persisted and reported.
   */
  settle(): void {
    const { account, traders } = this.#context;
    if (account.confirmed) {
      if (this.isUsed) {
        for (const [marketId, trader] of traders) {
          if (!this.isOpen(marketId)) continue;
          this.#note(this.#book.net(marketId, account.positionLots(marketId), this.#valueOf));
          this.#note(this.#ways.decide(trader));
        }
      }
      if (!this.#isStarted) {
        this.#isStarted = true;
        this.#note(this.#book.all.filter(({ state }) => state === "open"));
      }
    }
    // A takeover in the exchange's position is persisted at once: a run that did not know would
    // count it twice.
    const { serial } = this.#context.reservations;
    if (
      this.#changed.size > 0 ||
      account.takeoversSerial !== this.#writtenSerial ||
      serial !== this.#writtenReservations
    )
      this.#write();
  }

  /**
   * Signed lots of a market that are not hedged: they are being sold here, or will be decided about
   * when their receipt arrives.
   */
  soldHereLots(marketId: MarketId): Lots {
    return this.#ways.soldHereLots(marketId);
  }

  #write(): void {
    const { account, store, notify, traders, exchangeTime, reservations } = this.#context;
    this.#writtenSerial = account.takeoversSerial;
    this.#writtenReservations = reservations.serial;
    const sinceMs = exchangeTime.nowMs() - REMEMBER_MS;
    const said = account.takeovers.filter(({ atMs }) => atMs >= sinceMs);
    writeStoredTakeovers(store, {
      known: this.#book.all,
      said,
      reserved: reservations.all,
      grids: this.#grids,
    });
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const one of changed) {
      const trader = traders.get(one.takeover.marketId);
      if (trader !== undefined) trader.markDirty();
      notify({ kind: "unwind", unwind: toUnwindReport(one, this.#valueOf) });
    }
  }

  /** The intent that unwinds a market's acquired positions; undefined if there is none. */
  intentFor(trader: MarketTrader): TargetIntent | undefined {
    const leftLots = this.#book.openLots(trader.marketId);
    // Before the first mark, opposite takeovers are not netted: their sum is traded.
    const open = this.#book
      .open(trader.marketId)
      .filter(
        (one) => leftLots === 0 || Math.sign(computeRemainingLots(one)) === Math.sign(leftLots),
      );
    if (open.length === 0) return undefined;
    const { account, marketLimits, exchangeTime } = this.#context;
    const positionLots = account.positionLots(trader.marketId);
    const worst = open.map(({ terms }) => terms.worstTicks);
    const deadlineMs = Math.max(...open.map(({ terms }) => terms.deadlineMs));
    const sigmaTicks = this.#sigmaOf(trader);
    const secondsLeft = Math.max(0, deadlineMs - exchangeTime.nowMs()) / 1000;
    const offerTicks = this.#offerTicks(trader, leftLots, sigmaTicks, secondsLeft);
    return {
      kind: "target",
      marketId: trader.marketId,
      viewSequence: trader.lastView?.sequence ?? 0,
      targetLots: positionLots - leftLots,
      worstTicks: leftLots > 0 ? Math.min(...worst) : Math.max(...worst),
      schedule: {
        kind: "unwind",
        parts: open.map((one) => ({
          ...one.terms.part,
          leftLots: Math.abs(computeRemainingLots(one)),
          worstTicks: one.terms.worstTicks,
        })),
        offerTicks,
        dustLots: computeDustLots(trader, this.#config),
        sliceLots: Math.min(
          marketLimits.get(trader.marketId)?.maxOrderLots ?? trader.rules.maxLots,
          trader.rules.maxLots,
        ),
        everyMs: TAKE_EVERY_MS,
      },
      deadlineMs,
      reason: {
        fairTicks: trader.netMidTicks ?? Number.NaN,
        reservationTicks: offerTicks ?? Number.NaN,
        halfSpreadTicks: 0,
        terms: { inheritedLeftLots: leftLots, positionLots, sigmaTicks, secondsLeft },
        clamps: open.map(({ takeover }) => `unwinds ${takeover.id}`),
      },
    };
  }

  /** Applies the result of a plan: a remainder that is dust is done. */
  planned(trader: MarketTrader, state: TargetState, why: string): void {
    if (state !== "dust") return;
    this.#log("info", "what remains of an unwinding is dust", { marketId: trader.marketId, why });
    this.#note(this.#book.dust(trader.marketId));
  }

  /**
   * The reservation price of Avellaneda and Stoikov for the remainder, `mid - q lambda sigma^2 (T -
   * t)` (Quantitative Finance 8(3), 2008, equation 8), with the risk aversion of the trajectory.
   */
  #offerTicks(
    trader: MarketTrader,
    leftLots: Lots,
    sigmaTicks: number,
    secondsLeft: number,
  ): number | undefined {
    const { lotBase, tickQuote } = trader.instrument;
    const mid = trader.netMidTicks ?? trader.state.markTicks;
    if (!Number.isFinite(mid)) return undefined;
    const shift =
      leftLots * lotBase * this.#config.riskAversion * sigmaTicks ** 2 * tickQuote * secondsLeft;
    return Math.max(1, mid - shift);
  }

  #termsOf(
    trader: MarketTrader,
    position: { readonly lots: Lots; readonly credit: CreditUnits },
  ): UnwindTerms {
    return unwindTerms(
      trader,
      position,
      this.#config,
      this.#sigmaOf(trader),
      this.#context.exchangeTime.nowMs(),
    );
  }

  /**
   * Terms for the remainder of a takeover that was reverted, or is valid again: to be bought, or to
   * be sold, at the price of the takeover.
   */
  #termsAnew(
    trader: MarketTrader,
    { lots: takenLots, credit }: Takeover,
  ): (lots: Lots) => UnwindTerms {
    return (lots) =>
      this.#termsOf(trader, { lots, credit: (credit * BigInt(lots)) / BigInt(takenLots) });
  }

  #sigmaOf(trader: MarketTrader): number {
    const known = this.#volatility.get(trader.marketId)?.sigma;
    if (known !== undefined) return known;
    const reference = trader.netMidTicks ?? trader.state.markTicks;
    return Number.isFinite(reference) ? (reference * FIRST_SIGMA_BPS) / 10_000 : 0;
  }

  readonly #valueOf = (marketId: MarketId, lots: Lots): CreditUnits | undefined => {
    const trader = this.#context.traders.get(marketId);
    const mark = trader?.state.mark;
    if (trader === undefined || mark === undefined) return undefined;
    return trader.instrument.markValue(trader.instrument.lotsToPaper(lots), mark);
  };

  #note(changed: readonly TakeoverRecord[]): void {
    for (const one of changed) this.#changed.add(one);
  }

  #log(
    level: "info" | "warn" | "error",
    message: string,
    fields: Readonly<Record<string, unknown>>,
  ): void {
    this.#context.notify({ kind: "log", level, message, fields });
  }
}
