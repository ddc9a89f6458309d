import type { Bot } from "#bot/bot.js";
import type { BotEvent } from "#bot/bot-event.js";
import type { UnwindReport } from "#bot/unwind-report.js";
import type { CreditUnits, Hex, Lots, MarketId, Ms, Side } from "#core/units.js";
import { oppositeSide, sideSign } from "#core/units.js";
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
  isJudged: boolean;
}

/**
 * Watches one simulated hour from outside: it reads the exchange's own state and the bot's actions
 * as they are sent, and checks both against the rules that a trader's money depends on.
 */
export class Witness {
  readonly violations: Violation[] = [];
  events = 0;
  actions = 0;
  /** The last time a fault touched a request of the bot, or the exchange was away. */
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
  /** Every order that a bot of this hour has sent. */
  readonly #own = new Set<Hex>();
  readonly #hashOfInfo = new Map<Hex, Hex>();
  /** Those that may still fill. */
  readonly #live = new Map<Hex, Dispatched>();
  readonly #asked = new Map<string, Lots>();
  readonly #intents = new Map<string, Lots>();
  /**
   * Acquired positions that are being sold. Where no strategy quotes, the bot offers them by
   * itself.
   */
  readonly #unwinds = new Map<string, UnwindReport>();
  readonly #fates: FateWitness;
  readonly #surprises: Surprises;
  /**
   * Lots of takeovers on a side that were sent and are in no block yet: they may come on top of
   * every order.
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

  /** A bot runs from now on; undefined while none does. */
  attach(bot: Bot | undefined): void {
    this.#bot = bot;
    this.#fates.begin();
    if (bot !== undefined) {
      this.#run++;
      this.#profit.begin();
      this.#peak.begin();
      this.#asked.clear();
      this.#intents.clear();
      this.#unwinds.clear();
    }
  }

  /** Adds lots that another party adds to or takes from the position. */
  surprised(marketId: MarketId, lots: Lots): void {
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
      // An exchange that is away answers no request: the time is counted from its return.
      if (!this.#exchange.isRunning) this.disturbedAtMs = now;
      this.#fates.look(bot, now, this.disturbedAtMs);
    }
  }

  /** To the unit, with the insurance account and the fees in it. */
  #checkMoney(): void {
    const audit = this.#exchange.audit();
    if (!audit.isConserved)
      this.#violate(
        "money",
        `the exchange's money is not what came in less what left: ${text(audit)}`,
      );
  }

  /** Now and then: books. */
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
  guardSaysSafe(): void {
    const open = this.#ownOpen();
    if (open.length > 0 && this.#bot === undefined)
      this.#violate("guard", `the guard called it safe with ${open.length} orders open`);
  }

  /** The faults have been over for a while: both sides must agree. */
  agree(): void {
    for (const difference of this.disagreements()) this.#violate("agree", difference);
    if (this.#bot !== undefined) this.#profit.check(this.#bot);
  }

  /**
   * The differences between both sides now. An event of this very millisecond is a difference until
   * it has travelled.
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
        if (order.phase === "unknown") found.push(`${marketId}: ${order.hash} is unknown still`);
        if ((order.phase === "open" || order.phase === "partly-filled") && !open.has(order.hash)) {
          found.push(
            `${marketId}: ${order.hash} is ${order.phase} in the table, not at the exchange (${instrument.formatPrice(order.ticks)})`,
          );
        }
      }
    }
    return found;
  }

  /** The bot has left in good order. */
  left(ordersLeft: number | undefined): void {
    const open = this.#ownOpen();
    if (ordersLeft === undefined) this.#violate("leave", "the bot has not left");
    if (open.length > 0 && ordersLeft === 0)
      this.#violate("leave", `the bot left cleanly with ${open.length} orders open`);
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
      this.#asked.set(key, empty ? lots : Math.max(lots, this.#asked.get(key) ?? 0));
    }
  }

  /** The lots that may fill in a slot: open at the exchange, or on the way to it. */
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
    // Not open: over when the exchange has judged it, or when its timestamp is too old for it to be
    // taken any more.
    const isOver =
      dispatched.isJudged ||
      this.#nowMs() > dispatched.action.timestampMs + this.#plan.exchange.timestampWindowMs;
    if (isOver) this.#live.delete(hash);
    return isOver ? 0 : dispatched.action.lots;
  }

  /** The rest of the takeovers that orders of this side would sell. */
  #onOffer({ marketId, side }: PlaceAction): Lots {
    let left = 0;
    for (const report of this.#unwinds.values())
      if (report.marketId === marketId && report.state === "open")
        left -= sideSign(side) * report.remainingLots;
    return Math.max(0, left);
  }

  /** A place reached the exchange, which took it or refused it. */
  delivered(info: Hex): void {
    const hash = this.#hashOfInfo.get(info);
    const dispatched = hash === undefined ? undefined : this.#live.get(hash);
    if (dispatched !== undefined) dispatched.isJudged = true;
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
      isJudged: false,
    });
    const key = slotOf(action.marketId, action.side, level);
    const inSlot = this.#slotLots(key);
    const asked = Math.max(this.#asked.get(key) ?? 0, this.#onOffer(action));
    if (level >= 0 && level < 1000 && inSlot > asked)
      this.#violate(
        "slot",
        `${key} may hold ${inSlot} lots, the largest request for it is ${asked}`,
      );
    if (inSlot === action.lots && this.#intents.has(key))
      this.#asked.set(key, Math.max(this.#intents.get(key) ?? 0, action.lots));
    this.#checkLimits(action);
    const seen = this.bookSeenAtMs.get(action.marketId) ?? Number.NEGATIVE_INFINITY;
    const age = this.#nowMs() - seen;
    if (age > this.#plan.bot.risk.maxBookAgeMs + 50)
      this.#violate("stale", `a place left on a book of ${age} ms ago`);
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
      this.#violate("limit", `an order of ${action.lots} lots left, allowed ${maxOrder}`);
    const position = this.#exchange.positionLots(this.#address, action.marketId);
    const { lots: sameSide, count } = this.mayJoin(action.marketId, action.side);
    const worst = Math.abs(position + sideSign(action.side) * sameSide);
    const surprise = worst > maxPosition ? this.#surprises.lots(action.marketId) : 0;
    const reduces =
      Math.sign(position) === -sideSign(action.side) && sameSide <= Math.abs(position);
    if (worst > maxPosition + surprise && !reduces) {
      this.#violate(
        "limit",
        `a ${action.side} of ${action.lots} lots leaves a worst case of ${worst} lots, allowed ${maxPosition} (${surprise} lots came as a surprise)`,
      );
    }
    if (count > (plan.limits.maxOpenOrders ?? Number.POSITIVE_INFINITY))
      this.#violate("limit", `${count} orders may be open, allowed ${plan.limits.maxOpenOrders}`);
  }

  /**
   * The most that may still be added to the position on a side: orders open or under way, takeovers
   * under way, and trades of the other side that may fail; and how many own orders may be open in
   * all.
   */
  mayJoin(marketId: MarketId, side: Side): { readonly lots: Lots; readonly count: number } {
    let lots = this.reservedLots(marketId, side) + this.#mayFail(marketId, oppositeSide(side));
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
  #mayFail(marketId: MarketId, side: Side): Lots {
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
