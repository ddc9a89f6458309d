import { Interface } from "ethers";
import { settablePriceSourceAbi } from "../../chain/abi/settable-price-source.generated.js";
import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { CreditUnits, Hex, MarketId, Ms } from "../../core/units.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { Market } from "../markets/market.js";
import type { ChainAccounts } from "./chain-accounts.js";
import type { ChainBlock } from "./chain-block.js";
import type { ChainOutbox } from "./chain-outbox.js";
import type { ChainReport } from "./chain-report.js";

/** A market's price source, and the account that may set its price. In lower case. */
export interface MarkPriceContract {
  readonly priceSource: Hex;
  readonly setter: Hex;
}

/** Dependencies of {@link ChainMarkPrices}. */
export interface ChainMarkPricesDeps {
  readonly state: ExchangeState;
  readonly outbox: ChainOutbox;
  readonly accounts: ChainAccounts;
  readonly contracts: ReadonlyMap<MarketId, MarkPriceContract>;
  readonly minChangeBps: number;
  readonly minIntervalMs: Ms;
  /** The time for which a price is valid on chain. */
  readonly heartbeatMs: Ms;
  /** Runs a change as one event of the exchange. */
  turn(run: () => void): void;
  /** The mark of a market has changed. */
  onMark(market: Market): void;
  report(report: ChainReport): void;
}

const KIND = "mark";
const SOURCE = new Interface(settablePriceSourceAbi);
const GAS = 150_000;

/**
 * Keeps each market's mark equal to the price of its source on chain. The market's own prices
 * propose a new one, subject to a minimum interval and a minimum change. It becomes the mark when
 * its block has been read. A price set by another account becomes the mark as well, until the
 * market proposes the next. An unchanged price is sent again before it becomes stale.
 */
export class ChainMarkPrices {
  readonly #parts: ChainMarkPricesDeps;
  readonly #clock: Clock;
  /** The price that each market proposes and has not sent yet. */
  readonly #proposedPrices = new Map<Market, CreditUnits>();
  readonly #sentMs = new Map<Market, Ms>();
  readonly #timers = new Map<string, Timer>();
  #isRunning = false;

  constructor(parts: ChainMarkPricesDeps) {
    this.#parts = parts;
    this.#clock = parts.state.runtime.clock;
    const { outbox, accounts, state, report } = parts;
    const next = (about: unknown) => {
      const market = state.markets.get(String(about));
      if (market !== undefined) this.#sendIfDue(market);
    };
    outbox.handle(KIND, {
      onMined: ({ details }, transaction) => {
        if (transaction.isReverted) {
          const { revertReason, hash } = transaction;
          report({
            kind: "mark-failed",
            about: String(details.about),
            reason: revertReason ?? "reverted",
            hash,
          });
        }
        accounts.apply(transaction);
        next(details.about);
      },
      onRefused: ({ details }, reason) => {
        report({ kind: "mark-failed", about: String(details.about), reason, hash: null });
        next(details.about);
      },
    });
    for (const market of state.markets.values()) {
      market.prices.proposeTo((price) => this.#propose(market, price));
    }
  }

  /** Starts refreshing prices that become stale. */
  start(): void {
    this.#isRunning = true;
    for (const market of this.#parts.state.markets.values()) this.#scheduleRefresh(market);
  }

  stop(): void {
    this.#isRunning = false;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  /** Applies a price of a price source. */
  onPrice(market: Market, price: CreditUnits, updatedAtSeconds: number): void {
    market.markSetSeconds = updatedAtSeconds;
    const { prices } = market;
    const isNew = prices.mark !== price;
    prices.mark = price;
    if (prices.index === 0n) prices.index = price;
    this.#scheduleRefresh(market);
    this.#parts.state.listener.onMarket(market);
    if (isNew) this.#parts.onMark(market);
  }

  /** Checks for stale prices: a block's time may have been moved manually. */
  onBlock({ timestampSeconds }: ChainBlock): void {
    for (const market of this.#parts.state.markets.values()) {
      const ageMs = (timestampSeconds - market.markSetSeconds) * 1000;
      if (market.markSetSeconds > 0 && ageMs >= this.#parts.heartbeatMs / 2) this.#refresh(market);
    }
  }

  #propose(market: Market, price: CreditUnits): void {
    if (price <= 0n) return;
    this.#proposedPrices.set(market, price);
    this.#sendIfDue(market);
  }

  #sendIfDue(market: Market): void {
    const price = this.#proposedPrices.get(market);
    if (price === undefined || this.#hasPendingPrice(market)) return;
    const { minChangeBps, minIntervalMs } = this.#parts;
    const { mark } = market.prices;
    const change = price > mark ? price - mark : mark - price;
    if (mark > 0n && (change === 0n || Number(change) * 10_000 < minChangeBps * Number(mark))) {
      this.#proposedPrices.delete(market);
      return;
    }
    const waitMs =
      (this.#sentMs.get(market) ?? -minIntervalMs) + minIntervalMs - this.#clock.monotonicMs();
    if (waitMs > 0) {
      this.#later(`mark ${market.id}`, waitMs, () => this.#sendIfDue(market));
      return;
    }
    this.#ask(market, price);
  }

  #ask(market: Market, price: CreditUnits): void {
    const place = this.#parts.contracts.get(market.id);
    if (place === undefined) return;
    this.#proposedPrices.delete(market);
    this.#sentMs.set(market, this.#clock.monotonicMs());
    const data = SOURCE.encodeFunctionData("setMarkPrice", [price]) as Hex;
    const { setter: from, priceSource: to } = place;
    this.#parts.outbox.add({ kind: KIND, from, to, data, gas: GAS, details: { about: market.id } });
  }

  #hasPendingPrice(market: Market): boolean {
    for (const { details } of this.#parts.outbox.pending(KIND)) {
      if (details.about === market.id) return true;
    }
    return false;
  }

  #refresh(market: Market): void {
    if (market.prices.mark > 0n && !this.#hasPendingPrice(market))
      this.#ask(market, this.#proposedPrices.get(market) ?? market.prices.mark);
  }

  #scheduleRefresh(market: Market): void {
    if (!this.#isRunning || market.markSetSeconds === 0) return;
    // A chain whose clock was moved ahead has prices from the future.
    const ageMs = Math.max(0, this.#clock.nowMs() - market.markSetSeconds * 1000);
    this.#later(`refresh ${market.id}`, this.#parts.heartbeatMs / 2 - ageMs, () =>
      this.#refresh(market),
    );
  }

  #later(name: string, waitMs: Ms, run: () => void): void {
    if (!this.#isRunning) return;
    this.#timers.get(name)?.cancel();
    this.#timers.set(
      name,
      this.#clock.setTimer(Math.max(0, Math.ceil(waitMs)), () => {
        this.#timers.delete(name);
        this.#parts.turn(run);
      }),
    );
  }
}
