import type { CreditUnits, Hex, Lots, MarketId, Ms } from "../../core/units.js";
import type { Order } from "../../simulator/accounts/account.js";
import type { EmbeddedExchange } from "../../simulator/exchange.js";

/** One fill of an account, as its exchange has it in the end. */
export interface AccountFill {
  readonly atMs: Ms;
  readonly marketId: MarketId;
  readonly lots: Lots;
  readonly isBuyer: boolean;
  readonly isMaker: boolean;
  /** Unsigned credit that was exchanged. */
  readonly quote: CreditUnits;
  readonly commission: CreditUnits;
  readonly ticks: number;
  /** True if its settlement failed. */
  readonly hasFailed: boolean;
}

const EVERYTHING = { limit: Number.MAX_SAFE_INTEGER };

/** An account in the records of its exchange: nothing here is the bot's own opinion. */
export class ExchangeTruth {
  readonly exchange: EmbeddedExchange;
  readonly #address: Hex;

  constructor(exchange: EmbeddedExchange, address: Hex) {
    this.exchange = exchange;
    this.#address = address;
  }

  /** Credit, and the value of all positions at the exchange's marks, as matched. */
  get equity(): CreditUnits {
    const account = this.exchange.account(this.#address);
    if (account === undefined) return 0n;
    let sum = account.primaryCredit;
    for (const [marketId, { position }] of account.markets) {
      const { paper, credit } = position.matched;
      sum += credit + this.exchange.market(marketId).valueAtMark(paper);
    }
    return sum;
  }

  /** Signed position as matched. */
  positionLots(marketId: MarketId): Lots {
    return this.exchange.positionLots(this.#address, marketId);
  }

  /** Signed value of a position at the exchange's mark. */
  positionValue(marketId: MarketId): CreditUnits {
    const position = this.exchange.account(this.#address)?.markets.get(marketId)?.position;
    return this.exchange.market(marketId).valueAtMark(position?.matched.paper ?? 0n);
  }

  /** Orders with an open part. */
  openOrders(): readonly Order[] {
    return this.exchange.openOrders(this.#address).filter(({ openLots }) => openLots > 0);
  }

  /** Number of funding payments. */
  get fundings(): number {
    const incomes = this.exchange.account(this.#address)?.incomes.page(EVERYTHING) ?? [];
    return incomes.filter(({ type }) => type === "FUNDING_FEE").length;
  }

  /** Every fill, oldest first. */
  fills(): readonly AccountFill[] {
    return [...(this.exchange.account(this.#address)?.markets ?? [])]
      .flatMap(([marketId, { trades }]) =>
        trades.page(EVERYTHING).map(
          ({ trade, isBuyer, isMaker, commission }): AccountFill => ({
            atMs: trade.timeMs,
            marketId,
            lots: trade.lots,
            ticks: trade.ticks,
            isBuyer,
            isMaker,
            quote: trade.quote,
            commission,
            hasFailed: trade.status !== "CREATED" && trade.status !== "SETTLED",
          }),
        ),
      )
      .sort((a, b) => a.atMs - b.atMs);
  }
}
