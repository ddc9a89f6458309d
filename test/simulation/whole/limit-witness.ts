import type { BotConfig } from "#bot/config.js";
import { decimalToScaled } from "#core/instrument.js";
import {
  type CreditUnits,
  type Hex,
  type Lots,
  type MarketId,
  type Ms,
  type Side,
  sideSign,
} from "#core/units.js";
import type { PlaceAction } from "#exchange/venue.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import type { Violate } from "../violation.js";
import type { Witness } from "../witness.js";
import type { SentTakeover } from "./takeovers-under-way.js";

/**
 * Maximum age of the mark by which a bot and a planner value positions: the network may be slow,
 * and the planner's mark some blocks old.
 */
const MARK_AGE_MS: Ms = 15_000;
const SIDES = ["BUY", "SELL"] as const;

interface MarketLimit {
  readonly lots: Lots;
  /** Credit units. */
  readonly notional: CreditUnits | undefined;
}

/** The parts that the check of the limits needs. */
export interface LimitWitnessDeps {
  readonly config: BotConfig;
  readonly exchange: EmbeddedExchange;
  readonly account: Hex;
  readonly nowMs: () => Ms;
  /** Counts the lots that orders, takeovers in flight and failing trades may add. */
  readonly orders: Witness;
  readonly violate: Violate;
}

/**
 * Checks the account's position against the limits of the bot's file after every event. Checks the
 * worst case of every takeover and place when it is sent, in its market and in the whole account.
 * The reserved takeovers and all orders together must stay within the limits, even if trades fail.
 * Only a limit in money may be exceeded, by a moved mark.
 */
export class LimitWitness {
  readonly #deps: LimitWitnessDeps;
  readonly #violate: Violate;
  readonly #limits: ReadonlyMap<MarketId, MarketLimit>;
  readonly #worst = new Map<MarketId, Lots>();
  readonly #marks = new Map<MarketId, { readonly untilMs: Ms; readonly mark: CreditUnits }[]>();

  constructor(deps: LimitWitnessDeps) {
    const { config, exchange } = deps;
    this.#deps = deps;
    this.#violate = deps.violate;
    this.#limits = new Map(
      Object.entries(config.markets).map(([marketId, { limits }]) => [
        marketId,
        {
          lots: exchange.market(marketId).instrument.parseAmount(String(limits.maxPositionBase)),
          notional: this.#creditOf(limits.maxNotionalQuote),
        },
      ]),
    );
  }

  afterEvent(): void {
    const { exchange, account, nowMs } = this.#deps;
    for (const [marketId, { lots: limit }] of this.#limits) {
      this.#noteMark(marketId, nowMs());
      const position = exchange.positionLots(account, marketId);
      const lots = Math.abs(position);
      // A position above the limit is a violation once, and again when it grows.
      const known = Math.max(limit, this.#worst.get(marketId) ?? 0);
      if (lots <= limit) this.#worst.delete(marketId);
      if (lots <= known) continue;
      this.#worst.set(marketId, lots);
      this.#violate("limit", `the position in ${marketId} is ${position} lots, allowed ${limit}`);
    }
  }

  /** Checks a takeover that was sent. */
  takeoverSent({ marketId, lots }: SentTakeover): void {
    const limit = this.#limits.get(marketId);
    if (limit === undefined) return;
    const side = lots > 0 ? "BUY" : "SELL";
    const { exchange, account, orders } = this.#deps;
    const position = exchange.positionLots(account, marketId);
    const worst = this.#worstLots(marketId, side);
    if (worst > limit.lots && !this.#onlyReduces(marketId, side))
      this.#violate(
        "reserve",
        `a takeover of ${lots} lots in ${marketId} leaves a worst case of ${worst} lots, allowed ${limit.lots}: the position is ${position}, orders, takeovers in flight and failing trades may add ${orders.worstAddition(marketId, side).lots}`,
      );
    this.#checkMoney(marketId, side, Math.abs(lots), `a takeover of ${lots} lots in ${marketId}`);
  }

  /** Checks a place that was sent. */
  placed({ marketId, side, lots }: PlaceAction): void {
    this.#checkMoney(marketId, side, lots, `a ${side} of ${lots} lots in ${marketId}`);
  }

  /**
   * Checks the limits in money of the market and of the account. `added` is already counted in the
   * worst case.
   */
  #checkMoney(marketId: MarketId, side: Side, added: Lots, what: string): void {
    if (this.#onlyReduces(marketId, side)) return;
    const here = this.#worstCredit(marketId, this.#worstLots(marketId, side));
    const { notional } = this.#limits.get(marketId) ?? {};
    if (notional !== undefined && here > notional)
      this.#violate(
        "account",
        `${what} leaves a worst case of ${here} credit units there, allowed ${notional}`,
      );
    const limit = this.#accountLimit();
    if (limit === undefined) return;
    let [before, after] = [0n, 0n];
    for (const id of this.#limits.keys()) {
      const lots = Math.max(...SIDES.map((one) => this.#worstLots(id, one)));
      const without =
        id === marketId
          ? Math.max(...SIDES.map((one) => this.#worstLots(id, one) - (one === side ? added : 0)))
          : lots;
      after += this.#worstCredit(id, lots);
      before += this.#worstCredit(id, without);
    }
    if (after > limit && after > before)
      this.#violate(
        "account",
        `${what} leaves a worst case of ${after} credit units in all markets, allowed ${limit}`,
      );
  }

  /**
   * The position if everything of a side fills and nothing of the other; 0 if it has the other
   * sign.
   */
  #worstLots(marketId: MarketId, side: Side): Lots {
    const { exchange, account, orders } = this.#deps;
    return Math.max(
      0,
      sideSign(side) * exchange.positionLots(account, marketId) +
        orders.worstAddition(marketId, side).lots,
    );
  }

  #onlyReduces(marketId: MarketId, side: Side): boolean {
    const { exchange, account, orders } = this.#deps;
    const position = exchange.positionLots(account, marketId);
    return (
      Math.sign(position) === -sideSign(side) &&
      orders.worstAddition(marketId, side).lots <= Math.abs(position)
    );
  }

  /** Value at the lowest of the marks that the bot may have used. */
  #worstCredit(marketId: MarketId, lots: Lots): CreditUnits {
    const { instrument, prices } = this.#deps.exchange.market(marketId);
    let mark = prices.mark;
    for (const one of this.#marks.get(marketId) ?? []) if (one.mark < mark) mark = one.mark;
    return (BigInt(lots) * instrument.paperPerLot * mark) / 10n ** BigInt(instrument.paperDecimals);
  }

  /** The smaller of the account's limits, in credit units. */
  #accountLimit(): CreditUnits | undefined {
    const { maxNotionalQuote, maxLeverage } = this.#deps.config.risk;
    const notional = this.#creditOf(maxNotionalQuote);
    if (maxLeverage === undefined) return notional;
    const byLeverage = (this.#netValue() * BigInt(Math.ceil(maxLeverage * 1_000_000))) / 1_000_000n;
    return notional === undefined || byLeverage < notional ? byLeverage : notional;
  }

  /**
   * Net value at the newest marks, plus 2 %: the bot may have had other marks, and a takeover adds
   * its discount.
   */
  #netValue(): CreditUnits {
    const { exchange, account } = this.#deps;
    const held = exchange.account(account);
    let worth = held?.primaryCredit ?? 0n;
    for (const marketId of this.#limits.keys()) {
      const { paper = 0n, credit = 0n } = held?.markets.get(marketId)?.position.matched ?? {};
      const { prices, instrument } = exchange.market(marketId);
      worth += credit + (paper * prices.mark) / 10n ** BigInt(instrument.paperDecimals);
    }
    return worth + worth / 50n;
  }

  #creditOf(quote: string | undefined): CreditUnits | undefined {
    return quote === undefined
      ? undefined
      : decimalToScaled(quote, this.#deps.exchange.config.creditDecimals);
  }

  #noteMark(marketId: MarketId, nowMs: Ms): void {
    const { mark } = this.#deps.exchange.market(marketId).prices;
    const marks = this.#marks.get(marketId) ?? [];
    this.#marks.set(marketId, marks);
    if (marks.at(-1)?.mark === mark) marks.pop();
    marks.push({ untilMs: nowMs, mark });
    while ((marks[0]?.untilMs ?? nowMs) < nowMs - MARK_AGE_MS) marks.shift();
  }
}
