import type { PlannedTakeover, Takeover } from "#account/takeover.js";
import { Instrument } from "#core/instrument.js";
import type { Signer } from "#core/signing.js";
import type { CreditUnits, Hex, Lots, MarketId, Ms } from "#core/units.js";
import type {
  InventoryUnwinder,
  LiquidatorVenue,
  ListedRiskyAccount,
  TakeoverPause,
} from "#liquidator/liquidator-venue.js";
import type { VenueMarket } from "#liquidator/victims.js";
import type { Level } from "#market/readable-book.js";
import type { HoldingClock } from "#simulation/waiting-clock.js";
import { match, orderInfo, sorted, tradeData } from "../../contracts/signed-orders.js";
import type { BlockBuilder } from "./block-builder.js";
import { COIN, DEALER, type Ground, PERPETUAL } from "./ground.js";
import { Sender } from "./rivals.js";

const GRIDS = [
  { marketId: "btcusdc", tickSize: "0.1", stepSize: "0.001" },
  { marketId: "ethusdc", tickSize: "0.01", stepSize: "0.001" },
] as const;
const INSTRUMENTS = GRIDS.map(
  (grid) => new Instrument({ ...grid, creditDecimals: 6, paperDecimals: 18 }),
);

const PAPER_PER_LOT = 10n ** 15n;
const TAKER_RATE = 5n * 10n ** 14n;
const GWEI = 10n ** 9n;

/**
 * The exchange from a liquidator's view: its list of risky accounts, its books around the price,
 * and a seller of acquired positions by trades on the chain. It outlives the liquidator's process,
 * like the exchange and the bot's state directory.
 */
export class Desk implements LiquidatorVenue, InventoryUnwinder {
  /** Reported takeovers that were not reverted, by id. */
  readonly acquired = new Map<string, Takeover>();
  /** Every reported id, and the number of times that it was reported as new. */
  readonly toldTimes = new Map<string, number>();
  /** Takeovers under way, as they were reported last. */
  reserved: readonly PlannedTakeover[] = [];
  readonly accountLimits = {};
  readonly #ground: Ground;
  readonly #clock: HoldingClock;
  readonly #sender: Sender;
  readonly #prices: bigint[];
  readonly #sellAfterMs: Ms;
  #risky: readonly ListedRiskyAccount[] = [];
  #positions: bigint[] = [];
  #since: (Ms | undefined)[] = [];
  #nonce = 10n ** 9n;

  constructor(
    ground: Ground,
    builder: BlockBuilder,
    clock: HoldingClock,
    prices: readonly bigint[],
    sellAfterMs: Ms,
  ) {
    this.#ground = ground;
    this.#clock = clock;
    this.#sender = new Sender(ground.open.keys.orderSender.signer, ground, builder);
    this.#prices = [...prices];
    this.#sellAfterMs = sellAfterMs;
  }

  pause(): TakeoverPause | undefined {
    return undefined;
  }

  async riskyAccounts(): Promise<readonly ListedRiskyAccount[]> {
    return this.#risky;
  }

  markets(): ReadonlyMap<Hex, VenueMarket> {
    return new Map(this.#ground.markets.map(({ perp }, i) => [perp, this.#market(i)]));
  }

  marketIdFor(perp: Hex): MarketId | undefined {
    return this.#ground.markets.find((market) => market.perp === perp)?.marketId;
  }

  perpFor(marketId: MarketId): Hex | undefined {
    return this.#ground.markets.find((market) => market.marketId === marketId)?.perp;
  }

  async creditPerEth(): Promise<CreditUnits> {
    return this.#prices[1] ?? 0n;
  }

  markValue(perp: Hex, paper: bigint): CreditUnits | undefined {
    const price = this.#prices[this.#ground.markets.findIndex((market) => market.perp === perp)];
    return price === undefined ? undefined : (paper * price) / COIN;
  }

  unwindingCredit(): CreditUnits {
    return this.#positions.reduce(
      (sum, paper, i) => sum + ((paper < 0n ? -paper : paper) * (this.#prices[i] ?? 0n)) / COIN,
      0n,
    );
  }

  acquire(takeover: Takeover): void {
    if (this.acquired.has(takeover.id)) return;
    this.acquired.set(takeover.id, takeover);
    this.toldTimes.set(takeover.id, (this.toldTimes.get(takeover.id) ?? 0) + 1);
  }

  reserve(takeovers: readonly PlannedTakeover[]): void {
    this.reserved = takeovers;
  }

  revert(takeoverId: string): void {
    this.acquired.delete(takeoverId);
  }

  /** The oracle's price is the exchange's mark. */
  setPrice(market: number, price: bigint): void {
    this.#prices[market] = price;
  }

  /** The exchange's view of a block. */
  async onBlock(reorgDepth: number): Promise<void> {
    if (reorgDepth > 0) this.#sender.forget();
    const { cast, markets, open } = this.#ground;
    const risky: ListedRiskyAccount[] = [];
    for (const { address } of cast.victims) {
      // The dealer returns nothing for a market with a stale price, so the exchange uses its own
      // marks.
      const [isSafe] = await this.#ground
        .view(open.addresses.dealer, DEALER, "isSafe", [address])
        .catch(() => [false]);
      risky.push({
        account: address.toLowerCase() as Hex,
        isSafe: isSafe === true,
        marketIds: markets.map(({ marketId }) => marketId),
      });
    }
    this.#risky = risky;
    const own = cast.liquidator.address;
    for (const [i, { perp }] of markets.entries()) {
      const [paper] = (await this.#ground.view(perp, PERPETUAL, "balanceOf", [own])) as unknown as [
        bigint,
      ];
      this.#positions[i] = paper;
      if (paper === 0n) this.#since[i] = undefined;
      else this.#since[i] ??= this.#clock.nowMs();
      const since = this.#since[i];
      if (since !== undefined && this.#clock.nowMs() - since >= this.#sellAfterMs)
        await this.#sell(i, paper);
    }
  }

  async #sell(market: number, paper: bigint): Promise<void> {
    const lots = paper / PAPER_PER_LOT;
    const price = this.#prices[market] ?? 0n;
    const { perp } = this.#ground.market(market);
    const order = (signer: Signer, size: bigint) => {
      this.#nonce += 1n;
      const amount = size < 0n ? -size : size;
      const info = orderInfo(0n, TAKER_RATE, 4_000_000_000n, this.#nonce);
      return match(
        this.#ground.domainSeparator,
        { signer, perp, paper: size, credit: (-size * price) / COIN, info },
        amount,
      );
    };
    const { liquidator, counterparty } = this.#ground.cast;
    const size = -lots * PAPER_PER_LOT;
    if (size === 0n) return;
    const data = tradeData(sorted(order(liquidator, size), [order(counterparty, -size)]));
    this.#since[market] = this.#clock.nowMs();
    await this.#sender.send(perp, PERPETUAL.encodeFunctionData("trade", [data]), 2n * GWEI);
  }

  #market(i: number): VenueMarket {
    const instrument = INSTRUMENTS[i] as Instrument;
    const price = this.#prices[i] ?? 0n;
    const mid = Number(price) / 1e6 / Number(GRIDS[i]?.tickSize);
    const depth: Lots = i === 0 ? 400 : 6_000;
    const levels = (sign: 1 | -1): Level[] =>
      Array.from({ length: 30 }, (_, level) => ({
        ticks: Math.round(mid * (1 + (sign * (1 + 2 * level)) / 10_000)),
        lots: depth,
      }));
    const lots = Number((this.#positions[i] ?? 0n) / PAPER_PER_LOT);
    return {
      marketId: instrument.marketId,
      instrument,
      bids: levels(-1),
      asks: levels(1),
      takerFeeRate: TAKER_RATE,
      makerFeeRate: 10n ** 14n,
      pendingUnwindLots: lots,
      workingLots: { buy: 0, sell: 0 },
      reservedLots: { buy: 0, sell: 0 },
      unsettledLots: { buy: 0, sell: 0 },
      positionLots: undefined,
      limits: {},
    };
  }
}
