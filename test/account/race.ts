import type { AccountStep } from "#account/account-change.js";
import { TradingAccount } from "#account/trading-account.js";
import type { Hex, Ms, Side } from "#core/units.js";
import type { VenueOrder, VenueTrade } from "#exchange/records.js";
import type { Action, Outcome } from "#exchange/venue.js";
import {
  INSTRUMENT,
  infoOf,
  MARKET,
  placeAction,
  T0,
  TAG,
  venueOrder,
  venueTrade,
} from "./exchange-story.js";
import { ScriptedExchange, TIMEOUT } from "./scripted-exchange.js";

const WINDOW_MS = 5000;
const STEP_MS = 50;
/** 60,000 per base, in credit units. */
const MARK = 60_000_000_000n;
export const SLOT_LOTS = 10;

export interface Faults {
  /**
   * Chances out of 100: of a lost request or response, of a request that a proxy sends twice, of a
   * stream event dropped or repeated.
   */
  readonly lost: number;
  readonly twice: number;
  readonly dropped: number;
  readonly failing: number;
  readonly manual: number;
  /** Stream events overtake each other. */
  readonly disorder: boolean;
  /** Counting mode of the exchange's positions: from the match by default. */
  readonly positionsFrom?: ScriptedExchange["positionsFrom"];
  /** Chance out of 100, twenty times a second, that the bot is killed and started again. */
  readonly restarting?: number;
  /** True if the account acquires positions in liquidations. */
  readonly takesOver?: boolean;
}

/**
 * An exchange, a network and a careless bot, all from one seed: events happen in any possible
 * order.
 */
export class Race {
  readonly exchange = new ScriptedExchange();
  account: TradingAccount;
  nowMs: Ms = T0;
  quiet = false;
  protected readonly faults: Faults;
  #state: number;
  #serial = 0;
  #tradeId = 0;
  #actionId = 0;
  #streamUp = false;
  #lastToldMs: Ms = T0;
  readonly #agenda: { atMs: Ms; run: () => void }[] = [];
  readonly #slots = new Map<Hex, string>();
  /** Places that may still arrive. */
  readonly #underWay = new Map<Hex, Ms>();

  constructor(seed: number, faults: Faults) {
    this.#state = seed >>> 0;
    this.faults = faults;
    this.exchange.positionsFrom = faults.positionsFrom ?? "match";
    this.account = this.#started();
    this.#stream(true);
  }

  #started(before?: TradingAccount): TradingAccount {
    const account = new TradingAccount({
      instruments: new Map([[MARKET, INSTRUMENT]]),
      nonceTag: TAG,
      nextActionId: () => this.#actionId++,
      ...(this.faults.takesOver === true ? { previousTakeovers: before?.takeovers ?? [] } : {}),
    });
    account.onEvent({ type: "market-state", marketId: MARKET, mark: MARK } as never, this.nowMs);
    return account;
  }

  /** Messages in transit to the old bot are lost. */
  #restart(): void {
    this.account = this.#started(this.account);
    this.#stream(true);
  }

  run(untilMs: Ms, check: () => void): void {
    while (this.nowMs < untilMs) {
      this.nowMs += STEP_MS;
      this.exchange.timeMs = this.nowMs;
      for (let due = this.#due(); due !== undefined; due = this.#due()) {
        due.run();
        check();
      }
      this.take(this.account.onTick(this.nowMs));
      if (!this.quiet) this.live();
      check();
    }
  }

  /** Total size that may still fill at the exchange in one slot, requests in flight included. */
  worstSlot(): number {
    const slots = new Map<string, number>();
    const add = (hash: Hex, lots: number): void =>
      void slots.set(
        this.#slots.get(hash) ?? hash,
        (slots.get(this.#slots.get(hash) ?? hash) ?? 0) + lots,
      );
    for (const order of this.exchange.orders)
      if (this.#slots.has(order.hash)) add(order.hash, order.availableLots);
    for (const [hash, untilMs] of this.#underWay) {
      if (untilMs >= this.nowMs && !this.exchange.orders.some((order) => order.hash === hash))
        add(hash, SLOT_LOTS);
    }
    return Math.max(0, ...slots.values());
  }

  isOwn(hash: Hex): boolean {
    return this.#slots.has(hash);
  }

  protected live(): void {
    if (this.chance(8)) this.#place();
    if (this.chance(5)) this.#cancel();
    if (this.chance(1) && this.chance(30))
      this.#request({
        kind: "cancel-all",
        actionId: this.#actionId++,
        timestampMs: this.nowMs,
        marketId: MARKET,
      });
    if (this.chance(8)) this.#match();
    if (this.faults.manual > 0 && this.chance(1)) this.#manual();
    if (this.faults.lost > 0 && this.chance(1) && this.chance(30)) this.#stream(false);
    if (!this.#streamUp && this.chance(4)) this.#stream(true);
    if (this.chance(this.faults.restarting ?? 0)) this.#restart();
  }

  calm(): void {
    this.quiet = true;
    if (!this.#streamUp) this.#stream(true);
  }

  #place(): void {
    if (!this.account.current || !this.account.isPositionKnown(MARKET)) return;
    const side: Side = this.chance(50) ? "BUY" : "SELL";
    const level = this.chance(50) ? 0 : 1;
    if (this.account.orders.slotOccupied(MARKET, side, level)) return;
    const action = placeAction(++this.#serial, {
      actionId: this.#actionId++,
      timestampMs: this.nowMs,
      side,
      lots: SLOT_LOTS,
    });
    this.#slots.set(action.hash, `${side} ${level}`);
    this.account.intend({ action, level });
    this.#underWay.set(action.hash, this.nowMs + WINDOW_MS);
    this.#request(action);
  }

  #cancel(): void {
    const open = this.account.orders
      .mayStillFill(MARKET)
      .filter(
        ({ orderId, cancel }) =>
          orderId !== undefined && (cancel === "none" || cancel === "unknown"),
      );
    const order = open[Math.floor(this.uniform() * open.length)];
    if (order?.orderId === undefined) return;
    this.#request({
      kind: "cancel",
      actionId: this.#actionId++,
      timestampMs: this.nowMs,
      marketId: MARKET,
      orderId: order.orderId,
      hash: order.hash,
    });
  }

  #match(): void {
    const open = this.exchange.orders.filter((order) => order.availableLots > 0);
    const order = open[Math.floor(this.uniform() * open.length)];
    if (order === undefined) return;
    const lots = Math.min(order.availableLots, 1 + Math.floor(this.uniform() * SLOT_LOTS));
    const trade = venueTrade(++this.#tradeId, order.side, lots, { timeMs: this.nowMs });
    const pendingLots = order.pendingLots + lots;
    const whole = order.availableLots === lots;
    this.#tellOrder(order, {
      pendingLots,
      availableLots: order.availableLots - lots,
      status: whole ? "FILLED" : "PARTIAL_FILLED",
    });
    this.#tellTrade(trade);
    this.at(1000 + 3000 * this.uniform(), () => {
      const status = this.chance(this.faults.failing) ? "FAILED" : "SETTLED";
      const now = this.exchange.orders.find(({ id }) => id === order.id);
      if (now === undefined) return;
      const part =
        status === "FAILED"
          ? { failedLots: now.failedLots + lots }
          : { filledLots: now.filledLots + lots };
      this.#tellOrder(now, { ...part, pendingLots: now.pendingLots - lots });
      this.#tellTrade({ ...trade, status });
    });
  }

  #manual(): void {
    const serial = ++this.#serial;
    this.#tellOrder(
      venueOrder(serial, {
        info: infoOf(serial, 1),
        side: this.chance(50) ? "BUY" : "SELL",
        createdAtMs: this.nowMs,
      }),
      {},
    );
  }

  #tellOrder(order: VenueOrder, part: Partial<VenueOrder>): void {
    const next = { ...order, ...part };
    this.exchange.set(next);
    this.tell(() =>
      this.account.onEvent(
        { type: "order-update", order: next, timestampMs: this.nowMs },
        this.nowMs,
      ),
    );
  }

  #tellTrade(trade: VenueTrade): void {
    this.exchange.settle(trade);
    this.tell(() => this.account.onEvent({ type: "trade-update", trade }, this.nowMs));
  }

  protected tell(event: () => AccountStep): void {
    const { account } = this;
    if (!this.#streamUp || this.chance(this.faults.dropped)) return;
    const copies = this.chance(this.faults.twice) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const delayMs = 2000 * this.uniform() ** 4;
      this.#lastToldMs = this.faults.disorder
        ? this.nowMs + delayMs
        : Math.max(this.#lastToldMs, this.nowMs + delayMs);
      this.at(this.#lastToldMs - this.nowMs, () => {
        if (account === this.account) this.take(event());
      });
    }
  }

  #stream(up: boolean): void {
    this.#streamUp = up;
    this.take(
      this.account.onEvent(
        { type: "stream", stream: "account", state: up ? "up" : "down", reason: "" },
        this.nowMs,
      ),
    );
  }

  protected take(step: AccountStep): void {
    for (const question of step.queries) this.#request(question);
  }

  /** Sends a request. It may be lost or be sent twice, and its response may be lost. */
  #request(action: Action): void {
    this.take(this.account.onDispatched(action, this.nowMs));
    const { account } = this;
    let answered = false;
    const answer = (outcome: Outcome): void => {
      if (answered || account !== this.account) return;
      answered = true;
      this.take(account.onOutcome(action, outcome, this.nowMs));
    };
    this.at(3000, () => answer(TIMEOUT));
    const copies = this.chance(this.faults.lost) ? 0 : this.chance(this.faults.twice) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      this.at((this.quiet ? 100 : 7000) * this.uniform() ** 6, () => {
        const outcome = this.#process(action);
        if (!this.chance(this.faults.lost))
          this.at(1500 * this.uniform() ** 3, () => answer(outcome));
      });
    }
  }

  #process(action: Action): Outcome {
    const refuse = (code: number): Outcome => ({
      result: "rejected",
      code,
      codeText: "",
      message: "",
      httpStatus: 400,
    });
    if (Math.abs(this.nowMs - action.timestampMs) > WINDOW_MS) return refuse(1011);
    switch (action.kind) {
      case "question":
        return this.exchange.answer(action);
      case "place": {
        if (this.exchange.orders.some(({ hash }) => hash === action.hash)) return refuse(2016);
        const serial = Number.parseInt(action.hash.slice(2), 16);
        const order = venueOrder(serial, {
          side: action.side,
          lots: action.lots,
          createdAtMs: this.nowMs,
        });
        this.#tellOrder(order, {});
        return { result: "accepted", order };
      }
      case "cancel": {
        const order = this.exchange.orders.find(({ id }) => id === action.orderId);
        if (order === undefined || order.availableLots === 0) return refuse(2011);
        this.#end(order);
        return { result: "cancelled" };
      }
      case "cancel-all":
        for (const order of this.exchange.orders) if (order.availableLots > 0) this.#end(order);
        return { result: "cancelled" };
      default:
        return refuse(1111);
    }
  }

  #end(order: VenueOrder): void {
    this.#tellOrder(order, {
      canceledLots: order.canceledLots + order.availableLots,
      availableLots: 0,
      status: "CANCELED",
    });
  }

  protected at(delayMs: Ms, run: () => void): void {
    this.#agenda.push({ atMs: this.nowMs + delayMs, run });
  }

  #due(): { run: () => void } | undefined {
    const index = this.#agenda.reduce(
      (best, { atMs }, i) =>
        atMs <= this.nowMs && (best < 0 || atMs < (this.#agenda[best]?.atMs ?? 0)) ? i : best,
      -1,
    );
    return index < 0 ? undefined : this.#agenda.splice(index, 1)[0];
  }

  protected chance(percent: number): boolean {
    return percent > 0 && this.uniform() * 100 < percent;
  }

  /** A small seeded generator (mulberry32, Tommy Ettinger). */
  protected uniform(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** Two minutes of races, then a minute and a third without faults. */
export function race<Told extends Race>(told: Told, invariants: (race: Told) => void): Told {
  told.run(T0 + 120_000, () => invariants(told));
  told.calm();
  told.run(T0 + 200_000, () => {});
  return told;
}
