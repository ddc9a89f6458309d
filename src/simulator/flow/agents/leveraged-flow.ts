import { bytesToHex } from "../../../core/crypto/hex.js";
import { keccak256 } from "../../../core/crypto/keccak.js";
import type { Runtime, Timer } from "../../../core/runtime/runtime.js";
import { seededRandom } from "../../../core/runtime/seeded-random.js";
import type { Hex, MarketId } from "../../../core/units.js";
import type { AccountFlow, FlowExchange } from "../flow-accounts.js";
import type { LeveragedParams } from "../leveraged-params.js";
import { LeveragedTrader, type TraderMarket } from "./leveraged-trader.js";
import { sampleLognormal } from "./sampling.js";

/** The traders of one market. */
export interface LeveragedMarket {
  readonly marketId: MarketId;
  /** The seed of everything about them, including their keys. */
  readonly seed: string;
  readonly params: LeveragedParams & {
    readonly leverage: { readonly min: number; readonly max: number };
  };
}

/**
 * The private key of a trader, from seed, market and number alone, so that it is the same account
 * at every start.
 */
export function traderKey(seed: string, marketId: MarketId, number: number): Hex {
  return bytesToHex(keccak256(Buffer.from(`${seed}/${marketId}/leveraged-${number}`, "utf8")));
}

/**
 * The traders near their highest leverage of all markets. Each acts at its own times, on the
 * monotonic clock.
 */
export class LeveragedFlow implements AccountFlow {
  readonly #markets: readonly LeveragedMarket[];
  readonly #mostMarkets: number;
  readonly #timers = new Map<LeveragedTrader, Timer>();
  #isRunning = false;

  /** @param mostMarkets the maximum number of markets of one trader. */
  constructor(markets: readonly LeveragedMarket[], mostMarkets: number) {
    this.#markets = markets;
    this.#mostMarkets = mostMarkets;
  }

  /**
   * Opens every account.
   * @throws RunError when the exchange accepts no more accounts
   */
  start(exchange: FlowExchange, runtime: Runtime): void {
    this.#isRunning = true;
    const traders = this.#markets.flatMap((market) => this.#tradersOf(market, exchange, runtime));
    for (const { trader, openAtMs } of traders) {
      this.#actLater(trader, openAtMs - runtime.clock.monotonicMs(), runtime);
    }
  }

  stop(): void {
    this.#isRunning = false;
    for (const timer of this.#timers.values()) {
      timer.cancel();
    }
    this.#timers.clear();
  }

  #tradersOf(
    { marketId, seed, params }: LeveragedMarket,
    exchange: FlowExchange,
    runtime: Runtime,
  ) {
    return Array.from({ length: params.count }, (_, index) => {
      const random = seededRandom(`${seed}/leveraged-${index + 1}`);
      const creditQuote = sampleLognormal(random, params.creditQuote, params.sizeSigma);
      const openAtMs = runtime.clock.monotonicMs() + random.uniform() * params.openWithinMs;
      const markets =
        random.uniform() < params.severalMarketsShare ? this.#marketsFrom(marketId) : [marketId];
      const trader = new LeveragedTrader(
        exchange.account(traderKey(seed, marketId, index + 1)),
        markets.map((id) => this.#traderMarket(id, exchange)),
        { ...params, creditQuote },
        random,
        { firstSide: index % 2 === 0 ? 1 : -1, openAtMs },
      );
      return { trader, openAtMs };
    });
  }

  /** The market itself, then the others in the configured order. */
  #marketsFrom(marketId: MarketId): readonly MarketId[] {
    const others = this.#markets.map((market) => market.marketId).filter((id) => id !== marketId);
    return [marketId, ...others].slice(0, this.#mostMarkets);
  }

  #traderMarket(id: MarketId, exchange: FlowExchange): TraderMarket {
    const own = this.#markets.find((market) => market.marketId === id) as LeveragedMarket;
    return { id, market: exchange.market(id), leverage: own.params.leverage };
  }

  #actLater(trader: LeveragedTrader, waitMs: number, runtime: Runtime): void {
    const timer = runtime.clock.setTimer(Math.max(1, Math.ceil(waitMs)), () => {
      this.#timers.delete(trader);
      const next = trader.act(runtime.clock.monotonicMs());
      // A failed exchange has stopped the flow in the meantime.
      if (this.#isRunning) {
        this.#actLater(trader, next, runtime);
      }
    });
    this.#timers.set(trader, timer);
  }
}
