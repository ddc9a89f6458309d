import { Interface } from "ethers";
import { dealerAbi } from "#chain/dealer.generated.js";
import { perpetualAbi } from "#chain/perpetual.generated.js";
import { settablePriceSourceAbi } from "#chain/settable-price-source.generated.js";
import { testTokenAbi } from "#chain/test-token.generated.js";
import type { Clock } from "#core/runtime.js";
import type { Signer } from "#core/signing.js";
import type { Hex, MarketId } from "#core/units.js";
import { chainConfigShape } from "#simulator/chain-config.js";
import type { EmbeddedChain } from "#simulator/embedded-chain.js";
import { type OpenChain, openChain } from "#simulator/open-chain.js";
import { match, orderInfo, sorted, tradeData } from "../../contracts/signed-orders.js";

export const USD = 10n ** 6n;
export const COIN = 10n ** 18n;
const PERCENT = COIN / 100n;

export const DEALER = new Interface(dealerAbi);
export const PERPETUAL = new Interface(perpetualAbi);
const TOKEN = new Interface(testTokenAbi);
export const SOURCE = new Interface(settablePriceSourceAbi);

/**
 * The markets of every simulation, and the price that each run begins at, in credit units a coin.
 */
export const MARKETS: readonly {
  readonly marketId: MarketId;
  readonly price: bigint;
  readonly threshold: bigint;
}[] = [
  { marketId: "btcusdc", price: 60_000n * USD, threshold: 3n * PERCENT },
  { marketId: "ethusdc", price: 3_000n * USD, threshold: 5n * PERCENT },
];
export const MOST_VICTIMS = 6;

/** A market on the chain. */
export interface GroundMarket {
  readonly marketId: MarketId;
  readonly perp: Hex;
  readonly source: Hex;
  readonly setter: Signer;
}

/** The accounts on the chain. */
export interface Cast {
  readonly liquidator: Signer;
  readonly rivals: readonly [Signer, Signer];
  readonly victims: readonly Signer[];
  /** Takes the other side of every position. */
  readonly counterparty: Signer;
}

/** A position to begin with: signed paper at a price in credit units a coin. */
export interface Opening {
  readonly victim: number;
  readonly market: number;
  readonly paper: bigint;
  readonly price: bigint;
}

/**
 * A real chain with its contracts deployed, on which every run begins anew: deploying takes a
 * second, going back a millisecond. Nothing is mined but by hand.
 */
export class Ground {
  #snapshot = "";

  private constructor(
    readonly open: OpenChain,
    readonly markets: readonly GroundMarket[],
    readonly cast: Cast,
    readonly domainSeparator: string,
    readonly now: { clock: Clock },
  ) {}

  static async create(startMs: number): Promise<Ground> {
    const still: Clock = {
      nowMs: () => startMs,
      monotonicMs: () => 0,
      setTimer: () => ({ cancel: () => {} }),
    };
    const now = { clock: still };
    const clock: Clock = {
      nowMs: () => now.clock.nowMs(),
      monotonicMs: () => now.clock.monotonicMs(),
      setTimer: () => ({ cancel: () => {} }),
    };
    const config = chainConfigShape.parse({
      accounts: { count: 4 + MOST_VICTIMS, tokenQuote: "100000000", unlocked: false },
      blocks: { intervalMs: 3_600_000, order: "tip", baseFeeWei: "1000000000" },
      contracts: { priceHeartbeatMs: 1_000_000_000 },
      rpc: null,
    });
    const open = await openChain(config, {
      chainId: 31_337,
      clock,
      markets: MARKETS.map(({ marketId, price, threshold }) => ({
        marketId,
        initialMarginRatio: (threshold * 11n) / 10n,
        liquidationThreshold: threshold,
        liquidationPriceOff: PERCENT,
        insuranceFeeRate: PERCENT,
        markPrice: price,
        isRegistered: true,
      })),
    });
    const [liquidator, first, second, counterparty, ...victims] = open.keys.accounts.map(
      ({ signer }) => signer,
    ) as [Signer, Signer, Signer, Signer, ...Signer[]];
    const { addresses, chain, keys } = open;
    const markets = MARKETS.map(({ marketId }) => {
      const place = addresses.markets.get(marketId);
      if (place === undefined) throw new Error(`no market ${marketId}`);
      return {
        marketId,
        perp: place.perp.toLowerCase() as Hex,
        source: place.priceSource,
        setter: keys.market(marketId).signer,
      };
    });
    for (const signer of [liquidator, first, second, counterparty, ...victims]) {
      const approve = TOKEN.encodeFunctionData("approve", [addresses.dealer, 2n ** 255n]) as Hex;
      await chain.send({ from: signer, to: addresses.token, data: approve, gas: 100_000 });
    }
    await chain.minePending();
    const [domainSeparator] = DEALER.decodeFunctionResult(
      "domainSeparator",
      await chain.call(addresses.dealer, DEALER.encodeFunctionData("domainSeparator") as Hex),
    );
    return new Ground(
      open,
      markets,
      { liquidator, rivals: [first, second], counterparty, victims },
      domainSeparator as string,
      now,
    );
  }

  get chain(): EmbeddedChain {
    return this.open.chain;
  }

  market(index: number): GroundMarket {
    const market = this.markets[index];
    if (market === undefined) throw new Error(`no market ${index}`);
    return market;
  }

  victim(index: number): Signer {
    const victim = this.cast.victims[index];
    if (victim === undefined) throw new Error(`no victim ${index}`);
    return victim;
  }

  /** Begins a run: the bare chain, then deposits in dollars and positions, all mined. */
  async begin(
    clock: Clock,
    deposits: readonly (readonly [Signer, bigint])[],
    openings: readonly Opening[],
  ): Promise<void> {
    if (this.#snapshot !== "") await this.chain.request("evm_revert", this.#snapshot);
    this.now.clock = clock;
    this.#snapshot = (await this.chain.request("evm_snapshot")) as string;
    const { addresses, keys } = this.open;
    for (const [who, quote] of deposits) {
      const data = DEALER.encodeFunctionData("deposit", [quote * USD, 0n, who.address]) as Hex;
      await this.chain.send({ from: who, to: addresses.dealer, data, gas: 300_000 });
    }
    await this.chain.minePending();
    const hashes: Hex[] = [];
    let nonce = 0n;
    for (const { victim, market, paper, price } of openings) {
      const { perp } = this.market(market);
      const order = (signer: Signer, size: bigint) => {
        nonce += 1n;
        const info = orderInfo(0n, 0n, 4_000_000_000n, nonce);
        const amount = size < 0n ? -size : size;
        return match(
          this.domainSeparator,
          { signer, perp, paper: size, credit: (-size * price) / COIN, info },
          amount,
        );
      };
      const data = tradeData(
        sorted(order(this.victim(victim), paper), [order(this.cast.counterparty, -paper)]),
      );
      const call = PERPETUAL.encodeFunctionData("trade", [data]) as Hex;
      hashes.push(
        await this.chain.send({
          from: keys.orderSender.signer,
          to: perp,
          data: call,
          gas: 1_000_000,
        }),
      );
    }
    await this.chain.minePending();
    for (const hash of hashes) {
      if ((await this.chain.receipt(hash))?.isReverted !== false)
        throw new Error("a position could not be opened");
    }
  }

  /** A view's answer at a block. */
  async view(
    to: Hex,
    contract: Interface,
    name: string,
    args: readonly unknown[],
    block: number | "latest" = "latest",
  ) {
    const tag = block === "latest" ? block : `0x${block.toString(16)}`;
    const data = await this.chain.request(
      "eth_call",
      { to, data: contract.encodeFunctionData(name, args) },
      tag,
    );
    return contract.decodeFunctionResult(name, data as string);
  }

  close(): Promise<void> {
    return this.open.close();
  }
}
