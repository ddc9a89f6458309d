import { ceilDivide } from "../../core/bigints.js";
import { ConfigError } from "../../core/errors.js";
import { decimalToScaled } from "../../core/instrument.js";
import type { CreditUnits, MarketId, Ms } from "../../core/units.js";
import type { ExchangeConfig } from "../config/config.js";
import type { Market } from "./market.js";

/**
 * The divisor of a base fee's largest change in one block (EIP-1559,
 * BASE_FEE_MAX_CHANGE_DENOMINATOR).
 */
const LARGEST_CHANGE = 8n;
const WEI_PER_ETH = 10n ** 18n;
/**
 * The number of empty blocks that bring any price to its lower bound: 0.875 to this power is below
 * 10^-29.
 */
const EMPTY_BLOCKS_TO_FLOOR = 512;

/** The part of the gas market that is kept across restarts. */
export interface GasMarketState {
  readonly priceWei: bigint;
  readonly blockStartMs: Ms;
  readonly usedGas: bigint;
}

/**
 * The price of the gas for settlement: a base fee that follows how full blocks are with matches
 * (the rule of EIP-1559, between two bounds), and the price of ETH from a market's index.
 */
export class GasMarket {
  readonly #config: ExchangeConfig["gasFee"];
  /** The price of ETH until a market has one. */
  readonly #fallbackCredit: CreditUnits;
  readonly #markets: ReadonlyMap<MarketId, Market>;
  readonly #ethMarketId: MarketId | undefined;
  readonly #floorWei: bigint;
  readonly #ceilingWei: bigint;
  #priceWei: bigint;
  #blockStartMs: Ms = 0;
  #usedGas = 0n;

  /** @throws ConfigError for an ETH price from an unknown market */
  constructor(
    { gasFee, creditDecimals, markets: configured }: ExchangeConfig,
    markets: ReadonlyMap<MarketId, Market>,
  ) {
    if (gasFee.ethMarketId !== undefined && !Object.hasOwn(configured, gasFee.ethMarketId)) {
      throw new ConfigError("is not a market of this exchange", {
        field: "gasFee.ethMarketId",
        value: gasFee.ethMarketId,
        expected: Object.keys(configured).join(" or "),
      });
    }
    this.#config = gasFee;
    this.#ethMarketId =
      gasFee.ethMarketId ??
      Object.keys(configured).find((id) => configured[id]?.baseAsset === "ETH");
    this.#fallbackCredit = decimalToScaled(gasFee.ethPriceQuote, creditDecimals);
    this.#markets = markets;
    this.#floorWei = BigInt(gasFee.minGasPriceWei);
    this.#ceilingWei = BigInt(gasFee.maxGasPriceWei);
    this.#priceWei = this.#floorWei;
  }

  /** Adds the gas of a match that will be settled: one taker's order and one maker's. */
  onMatch(nowMs: Ms): void {
    this.#advance(nowMs);
    this.#usedGas += 2n * BigInt(this.#config.gasLimit);
  }

  /** The price of one unit of gas. */
  priceWei(nowMs: Ms): bigint {
    this.#advance(nowMs);
    return this.#priceWei;
  }

  /** The price of one ETH, in credit units. */
  get ethCredit(): CreditUnits {
    const index =
      (this.#ethMarketId === undefined ? undefined : this.#markets.get(this.#ethMarketId))?.prices
        .index ?? 0n;
    return index > 0n ? index : this.#fallbackCredit;
  }

  /** The cost of settling one order, in credit units, rounded up. */
  orderCost(nowMs: Ms): CreditUnits {
    const cost = BigInt(this.#config.gasLimit) * this.priceWei(nowMs) * this.ethCredit;
    return ceilDivide(cost, WEI_PER_ETH);
  }

  snapshot(): GasMarketState {
    return { priceWei: this.#priceWei, blockStartMs: this.#blockStartMs, usedGas: this.#usedGas };
  }

  restore({ priceWei, blockStartMs, usedGas }: GasMarketState): void {
    this.#priceWei = this.#bounded(priceWei);
    this.#blockStartMs = blockStartMs;
    this.#usedGas = usedGas;
  }

  /** Closes the blocks that have passed: the current one with its used gas, then empty ones. */
  #advance(nowMs: Ms): void {
    const { blockMs, blockGasTarget } = this.#config;
    const passed = Math.floor((nowMs - this.#blockStartMs) / blockMs);
    if (passed <= 0) {
      return;
    }
    this.#blockStartMs += passed * blockMs;
    const target = BigInt(blockGasTarget);
    // A block holds at most twice its target.
    const used = this.#usedGas < 2n * target ? this.#usedGas : 2n * target;
    this.#usedGas = 0n;
    this.#priceWei = this.#bounded(
      this.#priceWei + (this.#priceWei * (used - target)) / target / LARGEST_CHANGE,
    );
    for (
      let empty = 1;
      empty < Math.min(passed, EMPTY_BLOCKS_TO_FLOOR) && this.#priceWei > this.#floorWei;
      empty += 1
    ) {
      this.#priceWei = this.#bounded(this.#priceWei - this.#priceWei / LARGEST_CHANGE);
    }
    if (passed >= EMPTY_BLOCKS_TO_FLOOR) {
      this.#priceWei = this.#floorWei;
    }
  }

  #bounded(priceWei: bigint): bigint {
    return priceWei < this.#floorWei
      ? this.#floorWei
      : priceWei > this.#ceilingWei
        ? this.#ceilingWei
        : priceWei;
  }
}
