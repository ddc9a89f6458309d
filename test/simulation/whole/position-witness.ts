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
/** A place that was decided before the report may still be sent within this time. */
const CROSSING_MS: Ms = 20;
/** A bot that started after a takeover has read its positions by then. */
const START_READ_MS: Ms = 5_000;

interface Taken {
  readonly atMs: Ms;
  readonly hashes: ReadonlySet<Hex>;
  /** When the first report of it reached the process. */
  reportedAtMs: Ms | undefined;
}

/**
 * Checks that the bot does not increase a position that it does not know. After a takeover the
 * bot's position is wrong until it receives the takeover. The first report is a `LIQUIDATE` on the
 * stream or from REST, or the receipt. From then on the bot may neither send nor keep an order that
 * increases the position, until orders in flight explain the difference to the exchange.
 */
export class PositionWitness {
  readonly #exchange: EmbeddedExchange;
  readonly #account: Hex;
  readonly #nowMs: () => Ms;
  readonly #violate: Violate;
  readonly #taken = new Map<MarketId, Taken>();
  readonly #cancelled = new Set<Hex>();
  readonly #reported = new Set<Taken>();
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

  /** The bot's position as the bot counts it, for a trace; undefined while none runs. */
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
    // While an earlier takeover is reported and not resolved yet, its report counts.
    if (this.#wrongSinceMs.has(marketId) && this.#taken.get(marketId)?.reportedAtMs !== undefined)
      return;
    this.#taken.set(marketId, { atMs, hashes, reportedAtMs: undefined });
  }

  /** A frame or an answer of REST has reached the bot. */
  received(text: string): void {
    if (!text.includes('"LIQUIDATE"')) return;
    for (const [marketId, taken] of this.#taken)
      if (text.includes(`"${marketId}"`)) taken.reportedAtMs ??= this.#nowMs();
  }

  /** An answer of an RPC has reached the bot. */
  answered(method: string, params: readonly unknown[]): void {
    if (method !== "eth_getTransactionReceipt") return;
    for (const taken of this.#taken.values())
      if (taken.hashes.has(params[0] as Hex)) taken.reportedAtMs ??= this.#nowMs();
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
      if (now - since <= REACTION_MS || this.#reported.has(taken)) continue;
      for (const order of this.#exchange.openOrders(this.#account)) {
        const { terms, openLots, side } = order;
        if (
          terms.market.id !== marketId ||
          openLots === 0 ||
          this.#cancelled.has(terms.hash) ||
          !this.#increases(marketId, side)
        )
          continue;
        this.#report(
          taken,
          marketId,
          `${side} ${openLots} rests there ${now - since} ms after the first report of a takeover`,
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
    this.#report(
      taken,
      marketId,
      `${side} ${lots} was sent ${now - since} ms after the first report of a takeover`,
    );
  }

  #report(taken: Taken, marketId: MarketId, what: string): void {
    if (this.#reported.has(taken)) return;
    this.#reported.add(taken);
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
    const known = this.#knownSince(taken);
    return known === undefined ? undefined : Math.max(known, wrongSince);
  }

  /**
   * The time since which the process knows of a takeover; undefined before the first report.
   */
  #knownSince({ reportedAtMs, atMs }: Taken): Ms | undefined {
    if (atMs >= this.#startedAtMs) return reportedAtMs;
    return this.#confirmedAtMs === undefined
      ? undefined
      : Math.max(this.#confirmedAtMs + START_READ_MS, reportedAtMs ?? 0);
  }

  #increases(marketId: MarketId, side: "BUY" | "SELL"): boolean {
    return Math.sign(this.#exchange.positionLots(this.#account, marketId)) * sideSign(side) >= 0;
  }

  /** True if bot and exchange differ by more than the bot's own orders in flight explain. */
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
