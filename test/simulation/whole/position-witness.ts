import type { Bot } from "#bot/bot.js";
import type { Hex, Lots, MarketId, Ms } from "#core/units.js";
import { sideSign } from "#core/units.js";
import type { Action, PlaceAction } from "#exchange/venue.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import type { Violate } from "../violation.js";
import type { MinedTakeover } from "./takeovers-under-way.js";

/**
 * The time from the first report of a takeover that reaches the process until its increasing orders
 * there have had their cancel sent.
 */
export const REACTION_MS: Ms = 1_000;
/** The word and a place that was decided before it may cross within a turn. */
const CROSSING_MS: Ms = 20;
/** A bot that was started after a takeover has read its positions by then. */
const START_READ_MS: Ms = 5_000;

interface Taken {
  readonly atMs: Ms;
  readonly hashes: ReadonlySet<Hex>;
  /** When the first word of it reached a process. */
  wordAtMs: Ms | undefined;
}

/**
 * Checks the bot's actions in a market against its knowledge of the position there. After a
 * takeover the bot's position is wrong until the bot receives it; from the first report on (a
 * `LIQUIDATE` on the stream or from REST, or the receipt) the bot may neither send nor keep an
 * order that increases the position, until bot and exchange differ by no more than orders that are
 * under way explain.
 */
export class PositionWitness {
  readonly #exchange: EmbeddedExchange;
  readonly #account: Hex;
  readonly #nowMs: () => Ms;
  readonly #violate: Violate;
  readonly #taken = new Map<MarketId, Taken>();
  readonly #cancelled = new Set<Hex>();
  readonly #toldOf = new Set<Taken>();
  /** Since when bot and exchange differ, without a break. */
  readonly #wrongSinceMs = new Map<MarketId, Ms>();
  #bot: Bot | undefined;
  #startedAtMs: Ms = 0;
  #confirmedAtMs: Ms | undefined;
  /**
   * Time for which a market's position was wrong although a report had arrived, for the summary of
   * a run.
   */
  wrongMs = 0;
  #lastMs: Ms = 0;

  constructor(exchange: EmbeddedExchange, account: Hex, nowMs: () => Ms, violate: Violate) {
    this.#exchange = exchange;
    this.#account = account;
    this.#nowMs = nowMs;
    this.#violate = violate;
  }

  /** The bot's own idea of its position, for a trace; undefined while none runs. */
  ours(marketId: MarketId): Lots | undefined {
    return this.#bot?.context.account.positionLots(marketId);
  }

  attach(bot: Bot | undefined): void {
    this.#bot = bot;
    this.#startedAtMs = this.#nowMs();
    this.#confirmedAtMs = undefined;
    this.#wrongSinceMs.clear();
  }

  takeoverMined({ marketId, atMs, hashes }: MinedTakeover): void {
    // While an earlier one is not known yet, its word counts.
    if (this.#wrongSinceMs.has(marketId) && this.#taken.get(marketId)?.wordAtMs !== undefined)
      return;
    this.#taken.set(marketId, { atMs, hashes, wordAtMs: undefined });
  }

  /** A frame or an answer of REST has reached the bot. */
  received(text: string): void {
    if (!text.includes('"LIQUIDATE"')) return;
    for (const [marketId, taken] of this.#taken)
      if (text.includes(`"${marketId}"`)) taken.wordAtMs ??= this.#nowMs();
  }

  /** An answer of an RPC has reached the bot. */
  answered(method: string, params: readonly unknown[]): void {
    if (method !== "eth_getTransactionReceipt") return;
    for (const taken of this.#taken.values())
      if (taken.hashes.has(params[0] as Hex)) taken.wordAtMs ??= this.#nowMs();
  }

  dispatched(action: Action): void {
    if (action.kind === "cancel") this.#cancelled.add(action.hash);
    if (action.kind === "cancel-all")
      for (const order of this.#exchange.openOrders(this.#account))
        if (order.terms.market.id === action.marketId) this.#cancelled.add(order.terms.hash);
    if (action.kind === "place") this.#placed(action);
  }

  afterEvent(): void {
    const now = this.#nowMs();
    const elapsed = now - this.#lastMs;
    this.#lastMs = now;
    if (this.#bot?.context.account.confirmed === true) this.#confirmedAtMs ??= now;
    for (const [marketId, taken] of this.#taken) {
      if (!this.#isWrong(marketId)) {
        this.#wrongSinceMs.delete(marketId);
        continue;
      }
      const since = this.#sinceOf(marketId, taken, now);
      if (since === undefined || now < since) continue;
      this.wrongMs += elapsed;
      if (now - since <= REACTION_MS || this.#toldOf.has(taken)) continue;
      for (const order of this.#exchange.openOrders(this.#account)) {
        const { terms, openLots, side } = order;
        if (
          terms.market.id !== marketId ||
          openLots === 0 ||
          this.#cancelled.has(terms.hash) ||
          !this.#increases(marketId, side)
        )
          continue;
        this.#say(
          taken,
          marketId,
          `${side} ${openLots} rests there ${now - since} ms after the first word of a takeover`,
        );
        break;
      }
    }
  }

  #placed({ marketId, side, lots }: PlaceAction): void {
    const taken = this.#taken.get(marketId);
    if (taken === undefined || !this.#isWrong(marketId) || !this.#increases(marketId, side)) return;
    const now = this.#nowMs();
    const since = this.#sinceOf(marketId, taken, now);
    if (since === undefined || now <= since + CROSSING_MS) return;
    this.#say(
      taken,
      marketId,
      `${side} ${lots} leaves ${now - since} ms after the first word of a takeover`,
    );
  }

  #say(taken: Taken, marketId: MarketId, what: string): void {
    if (this.#toldOf.has(taken)) return;
    this.#toldOf.add(taken);
    const ours = this.#bot?.context.account.positionLots(marketId);
    const theirs = this.#exchange.positionLots(this.#account, marketId);
    this.#violate(
      "position",
      `${what}: in ${marketId} the bot counts with ${ours} lots, the exchange has ${theirs}`,
    );
  }

  /**
   * The time since which the position is wrong although a report had arrived; undefined before any
   * report.
   */
  #sinceOf(marketId: MarketId, taken: Taken, now: Ms): Ms | undefined {
    const wrongSince = this.#wrongSinceMs.get(marketId) ?? now;
    this.#wrongSinceMs.set(marketId, wrongSince);
    const word = this.#wordOf(taken);
    return word === undefined ? undefined : Math.max(word, wrongSince);
  }

  /**
   * The time since which the process knows of a takeover; undefined before the first report.
   */
  #wordOf({ wordAtMs, atMs }: Taken): Ms | undefined {
    if (atMs >= this.#startedAtMs) return wordAtMs;
    return this.#confirmedAtMs === undefined
      ? undefined
      : Math.max(this.#confirmedAtMs + START_READ_MS, wordAtMs ?? 0);
  }

  #increases(marketId: MarketId, side: "BUY" | "SELL"): boolean {
    return Math.sign(this.#exchange.positionLots(this.#account, marketId)) * sideSign(side) >= 0;
  }

  /** True when bot and exchange differ by more than the bot's own orders under way explain. */
  #isWrong(marketId: MarketId): boolean {
    const account = this.#bot?.context.account;
    if (account?.confirmed !== true) return false;
    const difference =
      this.#exchange.positionLots(this.#account, marketId) - account.positionLots(marketId);
    if (difference === 0) return false;
    // If an order is reported as filled and its trade is lost on the way, the next list of trades
    // has it.
    let explained: Lots = account.orders.unmatchedLots(marketId, difference > 0 ? "BUY" : "SELL");
    for (const order of account.orders.mayStillFill(marketId))
      if (sideSign(order.side) === Math.sign(difference)) explained += order.mayFillLots;
    return Math.abs(difference) > explained;
  }
}
