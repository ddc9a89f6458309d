import type { Hex, Lots, Ms, Side } from "#core/units.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";

/** A position since an instant. */
interface Since {
  readonly atMs: Ms;
  readonly lots: Lots;
}

/** A fill that a venue has taken back. */
interface Reversal {
  readonly atMs: Ms;
  /** Signed lots of the fill. */
  readonly lots: Lots;
}

const KEPT_MS: Ms = 120_000;

/** The bot's account as one exchange knows it, with the positions of the last minutes. */
export class HedgeTruth {
  readonly #exchange: EmbeddedExchange;
  readonly #address: Hex;
  readonly #marketId: string;
  readonly #history: Since[] = [{ atMs: 0, lots: 0 }];
  readonly #reversals: Reversal[] = [];
  readonly #pendingIds = new Set<string>();
  readonly #reportedIds = new Set<string>();
  #tradesSeen = 0;

  constructor(exchange: EmbeddedExchange, address: Hex, marketId: string) {
    this.#exchange = exchange;
    this.#address = address;
    this.#marketId = marketId;
  }

  /** The position now, as matched. */
  get lots(): Lots {
    return this.#history.at(-1)?.lots ?? 0;
  }

  /** Lots of open orders on a side. */
  openLots(side: Side): Lots {
    let sum = 0;
    for (const order of this.#exchange.openOrders(this.#address))
      if (order.side === side) sum += order.openLots;
    return sum;
  }

  /** Least and largest position since an instant. */
  rangeSince(sinceMs: Ms): { readonly least: Lots; readonly most: Lots } {
    let [least, most] = [this.lots, this.lots];
    for (let at = this.#history.length - 1; at >= 0; at -= 1) {
      const { atMs, lots } = this.#history[at] as Since;
      least = Math.min(least, lots);
      most = Math.max(most, lots);
      if (atMs <= sinceMs) break;
    }
    return { least, most };
  }

  /** Signed lots of fills on a side that were taken back since an instant. */
  reversedSince(sinceMs: Ms, side: Side): Lots {
    return this.#reversals
      .filter(({ atMs, lots }) => atMs >= sinceMs && lots > 0 === (side === "BUY"))
      .reduce((sum, { lots }) => sum + lots, 0);
  }

  /** A trade that the stream has reported to the bot. */
  reported(tradeId: string): void {
    this.#reportedIds.add(tradeId);
  }

  /** Lots of fills on a side since an instant that the stream has not reported to the bot. */
  unreportedSince(sinceMs: Ms, side: Side): Lots {
    let sum = 0;
    for (const { trade, isBuyer } of this.#trades())
      if (
        trade.timeMs >= sinceMs &&
        isBuyer === (side === "BUY") &&
        !this.#reportedIds.has(trade.id)
      )
        sum += trade.lots;
    return sum;
  }

  /** Reads the exchange. Call it after every event. */
  read(nowMs: Ms): void {
    const lots = this.#exchange.positionLots(this.#address, this.#marketId);
    if (lots === this.lots) return;
    this.#history.push({ atMs: nowMs, lots });
    while ((this.#history[1]?.atMs ?? nowMs) < nowMs - KEPT_MS) this.#history.shift();
    this.#readTrades(nowMs);
  }

  /** Earnings of the account by trades and funding, without the value of its position. */
  get cashCredit(): bigint {
    const account = this.#exchange.account(this.#address);
    let sum = 0n;
    for (const { trade, isBuyer, commission } of this.#trades())
      if (trade.status !== "FAILED") sum += (isBuyer ? -trade.quote : trade.quote) - commission;
    const everything = { limit: Number.MAX_SAFE_INTEGER };
    for (const { type, amount } of account?.incomes.page(everything) ?? [])
      if (type === "FUNDING_FEE") sum += amount;
    return sum;
  }

  #trades() {
    const trades = this.#exchange.account(this.#address)?.markets.get(this.#marketId)?.trades;
    return trades?.page({ limit: Number.MAX_SAFE_INTEGER }) ?? [];
  }

  /** Notes the trades that have failed since the last time. */
  #readTrades(nowMs: Ms): void {
    const trades = this.#trades();
    for (const { trade } of trades.slice(this.#tradesSeen)) this.#pendingIds.add(trade.id);
    this.#tradesSeen = trades.length;
    for (const { trade, isBuyer } of trades) {
      if (!this.#pendingIds.has(trade.id) || trade.status === "CREATED") continue;
      this.#pendingIds.delete(trade.id);
      if (trade.status === "FAILED")
        this.#reversals.push({ atMs: nowMs, lots: isBuyer ? trade.lots : -trade.lots });
    }
  }
}
