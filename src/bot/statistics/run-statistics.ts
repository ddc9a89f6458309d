import type { AccountChange } from "../../account/account-change.js";
import type { TradingAccount } from "../../account/trading-account.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { ExchangeTime } from "../../exchange/exchange-time.js";
import type { MarketTrader } from "../market/market-trader.js";
import { FillLevels } from "./fill-levels.js";
import { MarketStatistics } from "./market-statistics.js";

/** The parts of a bot that its statistics read. */
export interface RunStatisticsDeps {
  readonly clock: Clock;
  readonly exchangeTime: ExchangeTime;
  readonly account: TradingAccount;
  readonly traders: Iterable<MarketTrader>;
}

/**
 * Statistics of a bot since its start: markouts, quoted time and distance of each market. They read
 * the bot and change nothing, so that a replay acts the same with and without them.
 */
export class RunStatistics {
  readonly #deps: RunStatisticsDeps;
  readonly #levels = new FillLevels();
  readonly #markets: readonly (readonly [MarketId, MarketStatistics])[];

  constructor(deps: RunStatisticsDeps) {
    this.#deps = deps;
    const startMs = deps.clock.monotonicMs();
    this.#markets = [...deps.traders].map((trader) => [
      trader.marketId,
      new MarketStatistics(trader, startMs),
    ]);
  }

  /** Reads the bot's present state, at the end of a turn. */
  endTurn(): void {
    const { clock, account } = this.#deps;
    const nowMs = clock.monotonicMs();
    for (let index = 0; index < this.#markets.length; index += 1) {
      const [marketId, market] = this.#markets[index];
      market.endTurn(nowMs, account.orders.inBook(marketId));
    }
  }

  /** Notes a change of the account. */
  onAccountChange(change: AccountChange): void {
    if (change.kind === "order") {
      if (change.change.change === "matched")
        this.#levels.onMatched(change.order, change.change.lots);
      return;
    }
    if (change.kind !== "fill") return;
    const { trade } = change;
    const level = this.#levels.levelOf(
      trade,
      this.#deps.account.orders.mayStillFill(trade.marketId),
    );
    this.market(trade.marketId)?.fill(trade, level, this.#matchedAtMs(trade.timeMs));
  }

  /** The statistics of a market; undefined if the bot does not trade it. */
  market(marketId: MarketId): MarketStatistics | undefined {
    return this.#markets.find(([id]) => id === marketId)?.[1];
  }

  /** An instant of the exchange on the monotonic clock. Nothing has matched in the future. */
  #matchedAtMs(exchangeMs: Ms): Ms {
    const { clock, exchangeTime } = this.#deps;
    const agoMs = exchangeTime.isKnown ? exchangeTime.nowMs() - exchangeMs : 0;
    return clock.monotonicMs() - Math.max(0, agoMs);
  }
}
