import type { Bot } from "#bot/bot.js";
import type { Hex, Ms } from "#core/units.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import type { Violate } from "./violation.js";

/** Compares the parts of a run's profit with the exchange's own figures. */
export class ProfitWitness {
  readonly #exchange: EmbeddedExchange;
  readonly #address: Hex;
  readonly #nowMs: () => Ms;
  readonly #violate: Violate;
  #startedFlat = true;
  #isBased = false;
  #offsets: { readonly atMs: Ms; readonly offset: bigint }[] = [];

  constructor(exchange: EmbeddedExchange, address: Hex, nowMs: () => Ms, violate: Violate) {
    this.#exchange = exchange;
    this.#address = address;
    this.#nowMs = nowMs;
    this.#violate = violate;
  }

  /** A run begins. */
  begin(): void {
    this.#offsets = [];
    this.#startedFlat = this.#isFlat();
    this.#isBased = false;
  }

  /**
   * The bot has its base positions. Changes between its start and its first reads of the exchange
   * belong to them.
   */
  confirmed(): void {
    if (!this.#isBased) this.#startedFlat &&= this.#isFlat();
    this.#isBased = true;
  }

  /** Called periodically. */
  sample(bot: Bot): void {
    const offset = this.#offset(bot);
    if (offset !== undefined) this.#offsets.push({ atMs: this.#nowMs(), offset });
  }

  /**
   * Checks that the parts of the profit add up, to the unit, to the change of the exchange's own
   * net value at the same mark. A run that began with a position does not know the mark of its
   * first net value: the unknown part must then stay constant.
   */
  check(bot: Bot): void {
    const offset = this.#offset(bot);
    const { startEquity } = bot.context.account;
    if (offset === undefined || startEquity === undefined) return;
    const scale =
      10n ** BigInt(bot.context.account.profit().decimals - bot.context.rules.creditDecimals);
    if (this.#startedFlat && offset !== startEquity * scale) {
      return this.#violate(
        "profit",
        `the parts are ${offset - startEquity * scale} off the change of the net value (scale ${scale})`,
      );
    }
    const before = this.#offsets.filter(({ atMs }) => atMs < this.#nowMs() - 30_000);
    if (before.length > 3 && !before.some((one) => one.offset === offset)) {
      this.#violate(
        "profit",
        `the parts have drifted by ${offset - (before[0]?.offset ?? 0n)} from the net value (scale ${scale})`,
      );
    }
  }

  #isFlat(): boolean {
    const markets = this.#exchange.account(this.#address)?.markets.values() ?? [];
    return [...markets].every(({ position }) => position.matched.paper === 0n);
  }

  /**
   * The exchange's net value at the bot's own marks less the parts of the profit; undefined while
   * the positions differ.
   */
  #offset(bot: Bot): bigint | undefined {
    const { account, traders, rules } = bot.context;
    const theirs = this.#exchange.account(this.#address);
    if (theirs === undefined || !account.confirmed) return undefined;
    const { total, transfers, decimals } = account.profit();
    let netValue = theirs.primaryCredit;
    for (const trader of traders.values()) {
      const position = theirs.markets.get(trader.marketId)?.position.matched;
      if (position === undefined) continue;
      if (
        position.paper !==
        BigInt(account.positionLots(trader.marketId)) * trader.instrument.paperPerLot
      )
        return undefined;
      netValue +=
        position.credit +
        (position.paper * (trader.state.mark ?? 0n)) / 10n ** BigInt(rules.paperDecimals);
    }
    return netValue * 10n ** BigInt(decimals - rules.creditDecimals) - total - transfers;
  }
}
