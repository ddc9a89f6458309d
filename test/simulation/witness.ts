import type { Bot } from "#bot/bot.js";
import type { BotEvent } from "#bot/bot-event.js";
import type { UnwindReport } from "#bot/unwind-report.js";
import type { CreditUnits, Hex, Lots, MarketId, Ms, Side } from "#core/units.js";
import { oppositeSide, sideSign } from "#core/units.js";
import type { HttpRequest } from "#exchange/transport.js";
import type { Action, PlaceAction } from "#exchange/venue.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import { BudgetWitness } from "./budget-witness.js";
import { FateWitness } from "./fate-witness.js";
import { PeakWitness } from "./peak-witness.js";
import { ProfitWitness } from "./profit-witness.js";
import type { SeedPlan } from "./seed-plan.js";
import { Surprises } from "./surprises.js";
import type { Violate, Violation } from "./violation.js";

interface Dispatched {
  readonly action: PlaceAction;
  readonly level: number;
  readonly run: number;
  readonly atMs: Ms;
  /** The exchange has accepted or refused it, or it will never arrive. */
  isDecided: boolean;
}

/**
 * Checks one simulated run from outside. It compares the exchange's own state and the bot's actions
 * with the rules that protect a trader's money.
 */
export class Witness {
  readonly violations: Violation[] = [];
  events = 0;
  actions = 0;
  /** When a fault last affected a request of the bot, or the exchange was last unavailable. */
  disturbedAtMs: Ms = 0;
  /** When a book frame of a market last reached the bot, or REST answered its book. */
  readonly bookSeenAtMs = new Map<MarketId, Ms>();
  readonly budgets: BudgetWitness;
  readonly #profit: ProfitWitness;
  readonly #peak: PeakWitness;
  readonly #plan: SeedPlan;
  readonly #exchange: EmbeddedExchange;
  readonly #nowMs: () => Ms;
  readonly #address: Hex;
  /** Every order that a bot of this run has sent. */
  readonly #own = new Set<Hex>();
  readonly #hashOfInfo = new Map<Hex, Hex>();
  /** Those that may still fill. */
  readonly #live = new Map<Hex, Dispatched>();
  /** Largest size that an intent wanted in each slot since it was last empty. */
  readonly #largestWanted = new Map<string, Lots>();
  readonly #intents = new Map<string, Lots>();
  /**
   * Acquired positions that are being sold. The bot sells them even in markets without a strategy.
   */
  readonly #unwinds = new Map<string, UnwindReport>();
  readonly #fates: FateWitness;
  readonly #surprises: Surprises;
  /**
   * Lots of takeovers on a side that were sent and are not in a block yet. They may be added to all
   * orders.
   */
  reservedLots: (marketId: MarketId, side: Side) => Lots = () => 0;
  #bot: Bot | undefined;
  #run = 0;

  constructor(plan: SeedPlan, exchange: EmbeddedExchange, address: Hex, nowMs: () => Ms) {
    this.#plan = plan;
    this.#exchange = exchange;
    this.#address = address;
    this.#nowMs = nowMs;
    this.#surprises = new Surprises(plan, nowMs);
    const violate: Violate = (rule, what) => this.#violate(rule, what);
    this.budgets = new BudgetWitness(plan, nowMs, violate);
    this.#fates = new FateWitness(plan, violate);
    this.#profit = new ProfitWitness(exchange, address, nowMs, violate);
    this.#peak = new PeakWitness(exchange, address, nowMs, violate);
  }

  /** Starts checking another bot; undefined while none runs. */
  attach(bot: Bot | undefined): void {
    this.#bot = bot;
    this.#fates.begin();
    if (bot !== undefined) {
      this.#run++;
      this.#profit.begin();
      this.#peak.begin();
      this.#largestWanted.clear();
      this.#intents.clear();
      this.#unwinds.clear();
    }
  }

  /** Adds lots that another party adds to or takes from the position. */
  manuallyTraded(marketId: MarketId, lots: Lots): void {
    this.#surprises.add(marketId, lots);
  }

  /** A deposit, or a withdrawal (below zero), of so many credit units. */
  transferred(amount: CreditUnits): void {
    this.#peak.transferred(amount);
  }

  observe(notice: BotEvent): void {
    if (notice.kind === "intent" && notice.intent.kind === "quotes")
      this.#intent(notice.intent.marketId, notice.intent.quotes);
    if (notice.kind === "unwind") this.#unwinds.set(notice.unwind.takeoverId, notice.unwind);
    if (notice.kind === "dispatched") this.#dispatchedNow(notice.action);
  }

  /** After every event of the world. */
  afterEvent(): void {
    this.events++;
    this.#checkMoney();
    const bot = this.#bot;
    if (bot === undefined || !bot.context.account.confirmed) return;
    this.#profit.confirmed();
    const now = this.#nowMs();
    for (const order of this.#exchange.openOrders(this.#address)) {
      if (order.openLots === 0 || !this.#own.has(order.terms.hash)) continue;
      const known = bot.context.account.orders.get(order.terms.hash);
      if (known === undefined)
        this.#violate(
          "known",
          `order ${order.terms.id} is open at the exchange and not in the table`,
        );
      else if (known.mayFillLots < order.openLots) {
        this.#violate(
          "known",
          `order ${order.terms.id} has ${order.openLots} lots open, the table says that ${known.mayFillLots} may fill (${known.phase})`,
        );
      }
    }
    if (this.events % 64 === 0) {
      // A stopped exchange answers no request: the time is counted from its restart.
      if (!this.#exchange.isRunning) this.disturbedAtMs = now;
      this.#fates.check(bot, now, this.disturbedAtMs);
    }
  }

  /** Checks that money is conserved to the unit, with the insurance account and the fees. */
  #checkMoney(): void {
    const audit = this.#exchange.audit();
    if (!audit.isConserved)
      this.#violate(
        "money",
        `the exchange's money is not deposits less withdrawals: ${text(audit)}`,
      );
  }

  /** Checks profit, peak and books; called periodically. */
  sample(): void {
    const bot = this.#bot;
    if (bot === undefined) return;
    this.#profit.sample(bot);
    this.#peak.sample(bot, this.disturbedAtMs);
    for (const trader of bot.context.traders.values()) {
      if (!trader.book.isSynchronised) continue;
      const theirs = this.#exchange.book(trader.marketId);
      if (theirs.sequence !== trader.book.sequence) continue;
      const ours = trader.book.entries();
      const flat = (levels: readonly (readonly [number, number])[]) =>
        levels.flatMap((level) => [...level]).join();
      if (ours.bids.join() !== flat(theirs.bids) || ours.asks.join() !== flat(theirs.asks)) {
        this.#violate(
          "book",
          `${trader.marketId} differs from the exchange's at sequence ${theirs.sequence}`,
        );
      }
    }
  }

  /** The guard reports that no order is left. */
  onGuardSafe(): void {
    const open = this.#ownOpen();
    if (open.length > 0 && this.#bot === undefined)
      this.#violate(
        "guard",
        `the guard reported that no order is left, but ${open.length} are open`,
      );
  }

  /** Checks that bot and exchange agree, some time after the last fault. */
  agree(): void {
    for (const difference of this.disagreements()) this.#violate("agree", difference);
    if (this.#bot !== undefined) this.#profit.check(this.#bot);
  }

  /**
   * The present differences between bot and exchange. An event that is still on its way to the bot
   * is a difference.
   */
  disagreements(): string[] {
    const bot = this.#bot;
    if (bot === undefined) return ["no bot runs at the end"];
    const { account, traders } = bot.context;
    const found: string[] = bot.phase === "running" ? [] : [`the bot is ${bot.phase}`];
    for (const { marketId, instrument } of traders.values()) {
      const theirs = this.#exchange.positionLots(this.#address, marketId);
      const ours = account.positionLots(marketId);
      if (ours !== theirs)
        found.push(`${marketId}: our position is ${ours} lots, the exchange's ${theirs}`);
      const open = new Set(
        this.#ownOpen()
          .filter((order) => order.terms.market.id === marketId)
          .map((order) => order.terms.hash),
      );
      for (const order of account.orders.mayStillFill(marketId)) {
        if (order.phase === "unknown") found.push(`${marketId}: ${order.hash} is still unknown`);
        if ((order.phase === "open" || order.phase === "partly-filled") && !open.has(order.hash)) {
          found.push(
            `${marketId}: ${order.hash} is ${order.phase} in the table, not at the exchange (${instrument.formatPrice(order.ticks)})`,
          );
        }
      }
    }
    return found;
  }

  /** Checks a bot that has stopped by itself. */
  stopped(ordersLeft: number | undefined): void {
    const open = this.#ownOpen();
    if (ordersLeft === undefined) this.#violate("leave", "the bot has not stopped");
    if (open.length > 0 && ordersLeft === 0)
      this.#violate("leave", `the bot stopped cleanly, but ${open.length} orders are open`);
  }

  crashed(error: unknown): void {
    this.#violate("crash", error instanceof Error ? (error.stack ?? error.message) : String(error));
  }

  #ownOpen() {
    return this.#exchange
      .openOrders(this.#address)
      .filter((order) => order.openLots > 0 && this.#own.has(order.terms.hash));
  }

  #intent(marketId: MarketId, quotes: readonly { side: Side; level: number; lots: Lots }[]): void {
    const wanted = new Map(
      quotes.map(({ side, level, lots }) => [slotOf(marketId, side, level), lots]),
    );
    for (const key of new Set([...this.#intents.keys(), ...wanted.keys()])) {
      if (!key.startsWith(`${marketId} `)) continue;
      const lots = wanted.get(key) ?? 0;
      this.#intents.set(key, lots);
      const empty = this.#slotLots(key) === 0;
      this.#largestWanted.set(
        key,
        empty ? lots : Math.max(lots, this.#largestWanted.get(key) ?? 0),
      );
    }
  }

  /** Lots that may fill in a slot: open at the exchange, or on their way to it. */
  #slotLots(key: string): Lots {
    let lots = 0;
    for (const { action, level, run } of this.#live.values()) {
      if (run === this.#run && slotOf(action.marketId, action.side, level) === key)
        lots += this.#mayFill(action.hash);
    }
    return lots;
  }

  #mayFill(hash: Hex): Lots {
    const dispatched = this.#live.get(hash);
    if (dispatched === undefined) return 0;
    const order = this.#exchange.openOrders(this.#address).find(({ terms }) => terms.hash === hash);
    if (order !== undefined && order.openLots > 0) return order.openLots;
    // An order that is not open is over if the exchange has decided it, or if its timestamp is now
    // too old to be accepted.
    const isOver =
      dispatched.isDecided ||
      this.#nowMs() > dispatched.action.timestampMs + this.#plan.exchange.timestampWindowMs;
    if (isOver) this.#live.delete(hash);
    return isOver ? 0 : dispatched.action.lots;
  }

  /** Unsold lots of the takeovers that orders of this side would reduce. */
  #unsoldLots({ marketId, side }: PlaceAction): Lots {
    let left = 0;
    for (const report of this.#unwinds.values())
      if (report.marketId === marketId && report.state === "open")
        left -= sideSign(side) * report.remainingLots;
    return Math.max(0, left);
  }

  /** Notes that the exchange has accepted or refused a place. */
  delivered(info: Hex): void {
    const hash = this.#hashOfInfo.get(info);
    const dispatched = hash === undefined ? undefined : this.#live.get(hash);
    if (dispatched !== undefined) dispatched.isDecided = true;
  }

  /** A request of the bot's was refused before a byte was sent. */
  refused(request: HttpRequest): void {
    this.budgets.botRefused(request);
  }

  #dispatchedNow(action: Action): void {
    this.actions++;
    this.budgets.botSpends(action);
    if (action.kind !== "place") return;
    const level = this.#bot?.context.account.orders.get(action.hash)?.level ?? -1;
    this.#own.add(action.hash);
    this.#hashOfInfo.set(action.order.info, action.hash);
    this.#live.set(action.hash, {
      action,
      level,
      run: this.#run,
      atMs: this.#nowMs(),
      isDecided: false,
    });
    const key = slotOf(action.marketId, action.side, level);
    const inSlot = this.#slotLots(key);
    const allowed = Math.max(this.#largestWanted.get(key) ?? 0, this.#unsoldLots(action));
    if (level >= 0 && level < 1000 && inSlot > allowed)
      this.#violate(
        "slot",
        `${key} may hold ${inSlot} lots, but at most ${allowed} were wanted there`,
      );
    if (inSlot === action.lots && this.#intents.has(key))
      this.#largestWanted.set(key, Math.max(this.#intents.get(key) ?? 0, action.lots));
    this.#checkLimits(action);
    const seen = this.bookSeenAtMs.get(action.marketId) ?? Number.NEGATIVE_INFINITY;
    const age = this.#nowMs() - seen;
    if (age > this.#plan.bot.risk.maxBookAgeMs + 50)
      this.#violate("stale", `a place was sent on a book that is ${age} ms old`);
  }

  #checkLimits(action: PlaceAction): void {
    const bot = this.#bot;
    const limits = bot?.context.marketLimits.get(action.marketId);
    if (bot === undefined || limits === undefined) return;
    const plan = this.#plan.bot.markets[action.marketId];
    const trader = bot.context.traders.get(action.marketId);
    if (plan === undefined || trader === undefined) return;
    const maxPosition = trader.instrument.parseAmount(String(plan.limits.maxPositionBase));
    const maxOrder = trader.instrument.parseAmount(String(plan.limits.maxOrderBase));
    if (action.lots > maxOrder)
      this.#violate("limit", `an order of ${action.lots} lots was sent, allowed ${maxOrder}`);
    const position = this.#exchange.positionLots(this.#address, action.marketId);
    const { lots: sameSide, count } = this.worstAddition(action.marketId, action.side);
    const worst = Math.abs(position + sideSign(action.side) * sameSide);
    const manual = worst > maxPosition ? this.#surprises.lots(action.marketId) : 0;
    const reduces =
      Math.sign(position) === -sideSign(action.side) && sameSide <= Math.abs(position);
    if (worst > maxPosition + manual && !reduces) {
      this.#violate(
        "limit",
        `a ${action.side} of ${action.lots} lots leaves a worst case of ${worst} lots, allowed ${maxPosition} (${manual} of them are allowed for manual trades)`,
      );
    }
    if (count > (plan.limits.maxOpenOrders ?? Number.POSITIVE_INFINITY))
      this.#violate("limit", `${count} orders may be open, allowed ${plan.limits.maxOpenOrders}`);
  }

  /**
   * The most that may still be added to the position on a side, and the number of own orders that
   * may be open. Counted are orders open or in flight, takeovers in flight, and trades of the other
   * side whose settlement may fail.
   */
  worstAddition(marketId: MarketId, side: Side): { readonly lots: Lots; readonly count: number } {
    let lots =
      this.reservedLots(marketId, side) + this.#lotsThatMayFail(marketId, oppositeSide(side));
    let count = 0;
    for (const order of this.#exchange.openOrders(this.#address)) {
      if (
        order.terms.market.id === marketId &&
        order.openLots > 0 &&
        !this.#own.has(order.terms.hash) &&
        order.side === side
      )
        lots += order.openLots;
    }
    for (const [hash, dispatched] of this.#live) {
      if (dispatched.action.marketId !== marketId) continue;
      const may = this.#mayFill(hash);
      if (may > 0) count++;
      if (dispatched.action.side === side) lots += may;
    }
    return { lots, count };
  }

  /** Lots of the account's trades of a side that have neither settled nor failed. */
  #lotsThatMayFail(marketId: MarketId, side: Side): Lots {
    const trades =
      this.#exchange.account(this.#address)?.markets.get(marketId)?.trades.page({ limit: 500 }) ??
      [];
    return trades.reduce(
      (sum, { trade, isBuyer }) =>
        trade.status === "CREATED" && isBuyer === (side === "BUY") ? sum + trade.lots : sum,
      0,
    );
  }

  #violate(rule: string, what: string): void {
    if (this.violations.length < 50)
      this.violations.push({ atMs: this.#nowMs(), rule, text: what });
  }
}

function slotOf(marketId: MarketId, side: Side, level: number): string {
  return `${marketId} ${side} ${level}`;
}

function text(value: unknown): string {
  return JSON.stringify(value, (_key, held: unknown) =>
    typeof held === "bigint" ? held.toString() : held,
  );
}
