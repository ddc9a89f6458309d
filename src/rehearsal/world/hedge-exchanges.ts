import type { BotConfig, MarketHedgeConfig } from "../../bot/config/config.js";
import type { SignatureScheme, Signer } from "../../core/crypto/signing.js";
import type { Clock, Random } from "../../core/runtime/runtime.js";
import { seededRandom } from "../../core/runtime/seeded-random.js";
import type { CreditUnits, Hex, MarketId } from "../../core/units.js";
import { EmbeddedHedgeVenue } from "../../hedge/embedded/embedded-hedge-venue.js";
import type { HedgeVenue } from "../../hedge/hedge-venue.js";
import { rulesOf } from "../../simulation/bot-rig.js";
import { DeepVenue } from "../../simulation/deep-venue.js";
import type { FaultSource } from "../../simulation/faults.js";
import { FaultyNetwork } from "../../simulation/faulty-network.js";
import { type ExchangeConfig, parseExchangeConfig } from "../../simulator/config/config.js";
import { EmbeddedExchange } from "../../simulator/exchange.js";
import { ExchangeTruth } from "../measures/exchange-truth.js";

const HEDGE_KEY: Hex = `0x${"43".repeat(32)}`;
/** Most lots of a level of the deep book, as a multiple of the file's largest position. */
const DEPTH = 0.25;
/** Quote with which each hedge account begins: no hedge fails for want of it. */
export const HEDGE_CREDIT = "10000000";

/** Dependencies of {@link HedgeExchanges}. */
export interface HedgeExchangesDeps {
  readonly bot: BotConfig;
  readonly seed: number;
  readonly clock: Clock;
  readonly scheme: SignatureScheme;
  /** The first exchange: the hedges have the grids of its markets. */
  readonly primary: ExchangeConfig;
  readonly failureRate: number;
  readonly faults: FaultSource;
  readonly quoteOf: (marketId: MarketId) => number;
}

/** The exchanges where a bot lays its positions off, by the names of the file. */
export class HedgeExchanges {
  readonly exchanges: ReadonlyMap<string, EmbeddedExchange>;
  readonly truths: ReadonlyMap<string, ExchangeTruth>;
  readonly #deps: HedgeExchangesDeps;
  readonly #signer: Signer;
  #networks: FaultyNetwork[] = [];

  constructor(deps: HedgeExchangesDeps) {
    this.#deps = deps;
    this.#signer = deps.scheme.signer(HEDGE_KEY);
    const names = new Set(hedgesOf(deps.bot).map(([, { venue }]) => venue));
    this.exchanges = new Map([...names].map((name) => [name, this.#exchange(name)]));
    this.truths = new Map(
      [...this.exchanges].map(([name, exchange]) => [
        name,
        new ExchangeTruth(exchange, this.#signer.address),
      ]),
    );
  }

  start(): void {
    for (const exchange of this.exchanges.values()) {
      exchange.start();
      exchange.register(this.#signer.address);
    }
  }

  stop(): void {
    for (const exchange of this.exchanges.values()) exchange.stop();
  }

  get equity(): CreditUnits {
    let sum = 0n;
    for (const truth of this.truths.values()) sum += truth.equity;
    return sum;
  }

  get isRunning(): boolean {
    return [...this.exchanges.values()].every(({ isRunning }) => isRunning);
  }

  /** The venues of a bot that starts, on networks of its own. */
  open(clock: Clock, random: Random): ReadonlyMap<string, HedgeVenue> {
    const { faults, bot } = this.#deps;
    this.#networks = [];
    return new Map(
      [...this.exchanges].map(([name, exchange]) => {
        const symbols = hedgesOf(bot).flatMap(([id, { venue }]) => (venue === name ? [id] : []));
        const network = new FaultyNetwork(exchange, this.#deps.clock, faults, "10.0.0.1");
        this.#networks.push(network);
        const venue = new EmbeddedHedgeVenue({
          transport: network,
          runtime: { clock, random },
          signer: this.#signer,
          rules: rulesOf(exchange, symbols),
          symbols,
          requestTimeoutMs: bot.hedgeVenues?.[name]?.requestTimeoutMs ?? 2_000,
        });
        return [name, venue];
      }),
    );
  }

  /** The process of the bot has died. */
  cut(): void {
    for (const network of this.#networks) network.cut();
  }

  /** Stops or starts every exchange. */
  setRunning(isRunning: boolean): void {
    for (const exchange of this.exchanges.values()) {
      if (exchange.isRunning === isRunning) continue;
      if (isRunning) exchange.start();
      else exchange.stop();
    }
    for (const network of this.#networks) {
      network.down = !isRunning;
      if (!isRunning) network.dropStreams("connection reset");
    }
  }

  /** Makes every exchange accept or refuse new orders. */
  setTrading(isTrading: boolean): void {
    for (const exchange of this.exchanges.values())
      for (const marketId of Object.keys(exchange.config.markets))
        exchange.setMarketStatus(marketId, isTrading ? "TRADING" : "SUSPENDED");
  }

  /** True if a market's position and its hedge together are beyond the band of the file. */
  isBeyondBand(marketId: MarketId, positionBase: number): boolean {
    const hedge = this.#deps.bot.markets[marketId]?.hedge;
    const truth = hedge === undefined ? undefined : this.truths.get(hedge.venue);
    if (hedge === undefined || truth === undefined) return false;
    const { lotBase } = truth.exchange.market(marketId).instrument;
    const net = positionBase * hedge.ratio + truth.positionLots(marketId) * lotBase;
    return Math.abs(net) > Math.max(Number(hedge.maxUnhedgedBase), lotBase) + lotBase / 2;
  }

  #exchange(name: string): EmbeddedExchange {
    const { bot, seed, primary, failureRate, clock, scheme, quoteOf } = this.#deps;
    const { takerFeeBps } = bot.hedgeVenues?.[name] ?? {};
    const markets = hedgesOf(bot).flatMap(([id, { venue }]) => {
      const market = primary.markets[id];
      if (venue !== name || market === undefined) return [];
      const { baseAsset, quoteAsset, tickSize, stepSize, priceQuote, amountBase } = market;
      const fees =
        takerFeeBps === undefined ? {} : { takerFeeRate: (takerFeeBps / 1e4).toFixed(6) };
      const written = { baseAsset, quoteAsset, tickSize, stepSize, priceQuote, amountBase };
      return [[id, { ...written, marketAmountBase: amountBase, ...fees }] as const];
    });
    return new EmbeddedExchange(
      parseExchangeConfig({
        seed: `hedge ${name} ${seed}`,
        creditDecimals: primary.creditDecimals,
        creditOnRegistration: HEDGE_CREDIT,
        markets: Object.fromEntries(markets),
        gasFee: { waiverMultiple: 0 },
        settlement: { ...primary.settlement, failureRate },
        rateLimits: { common: 0, order: 0 },
      }),
      { clock, random: seededRandom(`hedge exchange ${name} ${seed}`) },
      {
        scheme,
        createFlow: (marketId) =>
          new DeepVenue(
            () => quoteOf(marketId),
            seededRandom(`hedge flow ${name} ${marketId} ${seed}`),
            Math.max(
              10,
              Math.round(
                (Number(bot.markets[marketId]?.limits.maxPositionBase ?? 1) * DEPTH) /
                  Number(primary.markets[marketId]?.stepSize ?? 1),
              ),
            ),
          ),
      },
    );
  }
}

/** The bot's file as it reaches these exchanges: each contract has the id of its market. */
export function withHedgeSymbols(bot: BotConfig): BotConfig {
  const markets = Object.fromEntries(
    Object.entries(bot.markets).map(([id, market]) => [
      id,
      market.hedge === undefined ? market : { ...market, hedge: { ...market.hedge, symbol: id } },
    ]),
  );
  return { ...bot, markets };
}

function hedgesOf({ markets }: BotConfig): (readonly [MarketId, MarketHedgeConfig])[] {
  return Object.entries(markets).flatMap(([id, { hedge }]) =>
    hedge === undefined ? [] : [[id, hedge] as const],
  );
}
