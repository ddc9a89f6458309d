import { Interface } from "ethers";
import { dealerAbi, dealerBytecode } from "#chain/dealer.generated.js";
import { dealerLensAbi, dealerLensBytecode } from "#chain/dealer-lens.generated.js";
import {
  fundingRateLimiterAbi,
  fundingRateLimiterBytecode,
} from "#chain/funding-rate-limiter.generated.js";
import { perpetualAbi, perpetualBytecode } from "#chain/perpetual.generated.js";
import {
  settablePriceSourceAbi,
  settablePriceSourceBytecode,
} from "#chain/settable-price-source.generated.js";
import { testTokenAbi, testTokenBytecode } from "#chain/test-token.generated.js";
import { ecdsaScheme, type Signer } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { type Contract, Evm, type Receipt } from "./evm.js";
import { type MatchedOrder, match, orderInfo, sorted, tradeData } from "./signed-orders.js";

/** Smallest units of credit in one dollar, and of paper in one coin. */
export const USD = 10n ** 6n;
export const COIN = 10n ** 18n;

/** Seconds for which a price counts in these tests. */
export const HEARTBEAT = 10 ** 9;

export const KEYS = [
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  ...[2, 3, 4, 5, 6, 7, 8].map((n) => `0x${n.toString(16).padStart(64, "0")}`),
] as Hex[];

/** One market: a perpetual and the source of its price. */
export interface Market {
  readonly perp: Contract;
  readonly source: Contract;
}

/** Ratios, 1e18. */
export interface Ratios {
  readonly initial: bigint;
  readonly maintenance: bigint;
  readonly discount: bigint;
  readonly insuranceFee: bigint;
}

/**
 * One side of a match. A price in whole dollars, a size in 1e-18 coins, negative to sell; rates
 * 1e18.
 */
export interface Side {
  readonly trader: Signer;
  readonly paper: bigint;
  readonly price: bigint;
  readonly makerFeeRate?: bigint;
  readonly takerFeeRate?: bigint;
  /** Paper that trades now, the whole order by default. */
  readonly amount?: bigint;
}

const PERCENT = COIN / 100n;
export const BTC_RATIOS: Ratios = {
  initial: 5n * PERCENT,
  maintenance: 3n * PERCENT,
  discount: PERCENT,
  insuranceFee: PERCENT,
};
export const ETH_RATIOS: Ratios = {
  initial: 10n * PERCENT,
  maintenance: 5n * PERCENT,
  discount: PERCENT,
  insuranceFee: 2n * PERCENT,
};
/** The rates of the reference cases, 1e18. */
export const MAKER_FEE = 10n ** 14n;
export const TAKER_FEE = 5n * 10n ** 14n;

/**
 * Everything deployed and wired, with two markets at 30,000 and 2,000, and no account with any
 * credit.
 */
export class World {
  readonly owner = signer(0);
  readonly insurance = signer(7);
  #nonce = 0n;

  private constructor(
    readonly evm: Evm,
    readonly dealer: Contract,
    readonly usdc: Contract,
    readonly jusd: Contract,
    readonly lens: Contract,
    readonly limiter: Contract,
    readonly btc: Market,
    readonly eth: Market,
    readonly domainSeparator: string,
  ) {}

  static async create(): Promise<World> {
    const evm = await Evm.start(KEYS);
    const owner = signer(0);
    const deployed = (abi: readonly string[], bytecode: string, ...args: unknown[]) =>
      evm.deploy(owner, abi, bytecode, ...args);
    // The addresses of the order vectors: the dealer is the account's first contract, a perpetual
    // its third.
    const token = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512";
    const dealer = await deployed(dealerAbi, dealerBytecode, token);
    const usdc = await deployed(testTokenAbi, testTokenBytecode, "Test USD Coin", "USDC");
    const btcPerp = await deployed(perpetualAbi, perpetualBytecode, dealer.address);
    const ethPerp = await deployed(perpetualAbi, perpetualBytecode, dealer.address);
    const jusd = await deployed(testTokenAbi, testTokenBytecode, "Second test dollar", "JUSD");
    const lens = await deployed(dealerLensAbi, dealerLensBytecode);
    const limiter = await deployed(
      fundingRateLimiterAbi,
      fundingRateLimiterBytecode,
      dealer.address,
      3,
    );
    const btc = {
      perp: btcPerp,
      source: await deployed(
        settablePriceSourceAbi,
        settablePriceSourceBytecode,
        "BTC/USD",
        HEARTBEAT,
      ),
    };
    const eth = {
      perp: ethPerp,
      source: await deployed(
        settablePriceSourceAbi,
        settablePriceSourceBytecode,
        "ETH/USD",
        HEARTBEAT,
      ),
    };
    const domainSeparator = (await dealer.read("domainSeparator")) as string;
    const world = new World(evm, dealer, usdc, jusd, lens, limiter, btc, eth, domainSeparator);
    await dealer.send(owner, "setInsurance", world.insurance.address);
    await dealer.send(owner, "setOrderSender", owner.address, true);
    await dealer.send(owner, "setFundingRateKeeper", owner.address);
    await dealer.send(owner, "setMaxPositionAmount", 10);
    await dealer.send(owner, "setSecondaryAsset", jusd.address);
    await world.setPrice(btc, 30_000n * USD);
    await world.setPrice(eth, 2_000n * USD);
    await world.list(btc, "btcusdc", BTC_RATIOS);
    await world.list(eth, "ethusdc", ETH_RATIOS);
    await evm.save();
    return world;
  }

  async list(market: Market, name: string, ratios: Ratios, isRegistered = true): Promise<Receipt> {
    const { initial, maintenance, discount, insuranceFee } = ratios;
    const param = [
      initial,
      maintenance,
      discount,
      insuranceFee,
      market.source.address,
      name,
      isRegistered,
    ];
    return this.dealer.send(this.owner, "setPerpRiskParams", market.perp.address, param);
  }

  /** A further market at 1 dollar, listed with the ratios of btc. */
  async addMarket(name: string): Promise<Market> {
    const perp = await this.evm.deploy(
      this.owner,
      perpetualAbi,
      perpetualBytecode,
      this.dealer.address,
    );
    const source = await this.evm.deploy(
      this.owner,
      settablePriceSourceAbi,
      settablePriceSourceBytecode,
      name,
      HEARTBEAT,
    );
    const market = { perp, source };
    await this.setPrice(market, USD);
    await this.list(market, name, BTC_RATIOS);
    return market;
  }

  /** @param price Credit units per coin. */
  async setPrice({ source }: Market, price: bigint): Promise<void> {
    await source.send(this.owner, "setMarkPrice", price);
  }

  /** Puts the market's price out of date, and no other. */
  async makeStale({ source }: Market): Promise<void> {
    await source.send(this.owner, "setHeartbeat", 0);
    await this.evm.wait(1);
  }

  /** Amounts in dollars. */
  async deposit(trader: Signer, primary: bigint, secondary = 0n): Promise<Receipt> {
    for (const [token, amount] of [
      [this.usdc, primary],
      [this.jusd, secondary],
    ] as const) {
      if (amount === 0n) continue;
      await token.send(this.owner, "mint", trader.address, amount * USD);
      await token.send(trader, "approve", this.dealer.address, amount * USD);
    }
    return this.dealer.send(trader, "deposit", primary * USD, secondary * USD, trader.address);
  }

  /** A signed order of that side. */
  signed(market: Market, side: Side, by: Signer = side.trader): MatchedOrder {
    const {
      trader,
      paper,
      price,
      makerFeeRate = MAKER_FEE,
      takerFeeRate = TAKER_FEE,
      amount = paper < 0n ? -paper : paper,
    } = side;
    this.#nonce += 1n;
    const info = orderInfo(makerFeeRate, takerFeeRate, 2_051_222_400n, this.#nonce);
    return match(
      this.domainSeparator,
      {
        signer: trader,
        perp: market.perp.address,
        paper,
        credit: (-paper * price * USD) / COIN,
        info,
      },
      amount,
      by,
    );
  }

  /** One taker against its makers. */
  async trade(market: Market, taker: Side, ...makers: readonly Side[]): Promise<Receipt> {
    const orders = sorted(
      this.signed(market, taker),
      makers.map((maker) => this.signed(market, maker)),
    );
    return market.perp.send(this.owner, "trade", tradeData(orders));
  }

  /** `buyer` takes `paper` from `seller` at that price, in whole dollars. */
  async open(
    market: Market,
    buyer: Signer,
    seller: Signer,
    paper: bigint,
    price: bigint,
  ): Promise<Receipt> {
    return this.trade(
      market,
      { trader: buyer, paper, price },
      { trader: seller, paper: -paper, price },
    );
  }

  async liquidate(
    market: Market,
    by: Signer,
    victim: Signer,
    paper: bigint,
    expectCredit: bigint,
    executor = by,
  ): Promise<Receipt> {
    return market.perp.send(executor, "liquidate", by.address, victim.address, paper, expectCredit);
  }

  /** Paper and credit. */
  async balance({ perp }: Market, trader: Signer): Promise<[bigint, bigint]> {
    const [paper, credit] = (await perp.read("balanceOf", trader.address)) as [bigint, bigint];
    return [paper, credit];
  }

  /** Primary and secondary credit. */
  async credit(trader: Signer): Promise<[bigint, bigint]> {
    const [primary, secondary] = (await this.dealer.read("getCreditOf", trader.address)) as [
      bigint,
      bigint,
    ];
    return [primary, secondary];
  }

  async isSafe(trader: Signer): Promise<boolean> {
    return (await this.dealer.read("isSafe", trader.address)) as boolean;
  }
}

/** The account of one of {@link KEYS}. 0 owns, 7 insures. */
export function signer(index: number): Signer {
  return ecdsaScheme.signer(KEYS[index] ?? "0x");
}

export const DEALER = new Interface(dealerAbi);
export const PERPETUAL = new Interface(perpetualAbi);
