import type { Bot } from "#bot/bot.js";
import type { CreditUnits, Hex, Ms } from "#core/units.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import { LEAST_TRANSFER_QUOTE } from "./treasurer.js";
import type { Violate } from "./violation.js";

/** The time after the last transfer, and after a start, by which each transfer is reported. */
const REPORTED_WITHIN_MS: Ms = 65_000;

/**
 * Compares the bot's peak of the net value with the exchange's own highest value of the account,
 * both without transfers. A peak that is too high halts a bot that has lost nothing. A forgotten
 * peak lets the bot lose more than its limit.
 */
export class PeakWitness {
  readonly #exchange: EmbeddedExchange;
  readonly #address: Hex;
  readonly #nowMs: () => Ms;
  readonly #violate: Violate;
  readonly #slack: CreditUnits;
  #transferred = 0n;
  #movedAtMs: Ms = Number.NEGATIVE_INFINITY;
  #startedAtMs: Ms = Number.POSITIVE_INFINITY;
  #highest: CreditUnits | undefined;
  #seen: CreditUnits | undefined;

  constructor(exchange: EmbeddedExchange, address: Hex, nowMs: () => Ms, violate: Violate) {
    this.#exchange = exchange;
    this.#address = address;
    this.#nowMs = nowMs;
    this.#violate = violate;
    // The bot samples at other instants, by slightly older marks: a difference below a twentieth of
    // a transfer does not count.
    this.#slack =
      (BigInt(LEAST_TRANSFER_QUOTE) * 10n ** BigInt(exchange.config.creditDecimals)) / 20n;
  }

  transferred(amount: CreditUnits): void {
    this.#transferred += amount;
    this.#movedAtMs = this.#nowMs();
  }

  /** A run begins. */
  begin(): void {
    this.#startedAtMs = this.#nowMs();
  }

  /** Called periodically. @param undisturbedSinceMs when a fault last struck. */
  sample(bot: Bot, undisturbedSinceMs: Ms): void {
    const worth = this.#worth(bot);
    if (worth === undefined) return;
    const earned = worth - this.#transferred;
    if (this.#highest === undefined || earned > this.#highest) this.#highest = earned;
    const { peak } = bot.tradingGuards;
    const reportedMs =
      Math.max(this.#movedAtMs, this.#startedAtMs, undisturbedSinceMs) + REPORTED_WITHIN_MS;
    if (peak === undefined || !bot.context.account.current || this.#nowMs() < reportedMs) return;
    const ours = peak - this.#transferred;
    if (ours > this.#highest + this.#slack)
      this.#violate(
        "peak",
        `the peak is ${ours} without transfers, the account's highest value was ${this.#highest}`,
      );
    if (this.#seen !== undefined && ours < this.#seen - this.#slack)
      this.#violate("peak", `the peak is ${ours} without transfers, and was ${this.#seen}`);
    if (this.#seen === undefined || ours > this.#seen) this.#seen = ours;
  }

  /** The exchange's net value at the bot's own marks; undefined before it has any. */
  #worth(bot: Bot): CreditUnits | undefined {
    const theirs = this.#exchange.account(this.#address);
    if (theirs === undefined) return undefined;
    const { traders, rules } = bot.context;
    let worth = theirs.primaryCredit;
    for (const { marketId, state } of traders.values()) {
      const position = theirs.markets.get(marketId)?.position.matched;
      if (position === undefined) continue;
      if (state.mark === undefined && position.paper !== 0n) return undefined;
      worth +=
        position.credit +
        (position.paper * (state.mark ?? 0n)) / 10n ** BigInt(rules.paperDecimals);
    }
    return worth;
  }
}
