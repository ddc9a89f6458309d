import { getCreateAddress, Interface, type InterfaceAbi } from "ethers";
import { dealerAbi, dealerBytecode } from "../../chain/abi/dealer.generated.js";
import { dealerLensAbi, dealerLensBytecode } from "../../chain/abi/dealer-lens.generated.js";
import {
  fundingRateLimiterAbi,
  fundingRateLimiterBytecode,
} from "../../chain/abi/funding-rate-limiter.generated.js";
import { perpetualAbi, perpetualBytecode } from "../../chain/abi/perpetual.generated.js";
import {
  settablePriceSourceAbi,
  settablePriceSourceBytecode,
} from "../../chain/abi/settable-price-source.generated.js";
import { testTokenAbi, testTokenBytecode } from "../../chain/abi/test-token.generated.js";
import type { Signer } from "../../core/crypto/signing.js";
import { ConfigError, RunError } from "../../core/errors.js";
import type { Hex, MarketId } from "../../core/units.js";
import type { ChainKeys } from "./chain-keys.js";
import type { EmbeddedChain } from "./embedded-chain.js";

/** One market as its contracts need it. Ratios are scaled by 1e18. */
export interface DeployedMarket {
  readonly marketId: MarketId;
  readonly initialMarginRatio: bigint;
  readonly liquidationThreshold: bigint;
  readonly liquidationPriceOff: bigint;
  readonly insuranceFeeRate: bigint;
  /**
   * Its first mark price, in credit units per 1e18 paper; an existing mark stays. Null if there is
   * none yet.
   */
  readonly markPrice: bigint | null;
  readonly isRegistered: boolean;
}

/** The settings of a deployment besides the markets. */
export interface ChainSettings {
  readonly markets: readonly DeployedMarket[];
  /** The time for which a mark price is valid. */
  readonly priceHeartbeatSeconds: number;
  /** The maximum number of positions of one account. */
  readonly maxPositions: number;
  /** The time from a withdrawal's request to its execution. */
  readonly withdrawTimeLockSeconds: number;
  /** True if funding rates go through the limiter; false if the keeper updates them directly. */
  readonly isFundingLimited: boolean;
  /**
   * The limiter's speed, in maintenance margins a day. The limiter is deployed once and keeps it.
   */
  readonly fundingSpeedMultiplier: number;
  /** Tokens, in smallest units, that each ordinary account begins with. */
  readonly tokenUnitsEach: bigint;
}

/** The addresses of all contracts. */
export interface ChainAddresses {
  readonly token: Hex;
  readonly dealer: Hex;
  readonly lens: Hex;
  readonly fundingRateLimiter: Hex;
  readonly owner: Hex;
  readonly orderSender: Hex;
  readonly insurance: Hex;
  readonly fundingKeeper: Hex;
  /** `setter` may set the source's price. */
  readonly markets: ReadonlyMap<
    MarketId,
    { readonly perp: Hex; readonly priceSource: Hex; readonly setter: Hex }
  >;
}

const DEALER = new Interface(dealerAbi);
const LIMITER = new Interface(fundingRateLimiterAbi);
const TOKEN = new Interface(testTokenAbi);
const SOURCE = new Interface(settablePriceSourceAbi);

/** Wei for the gas of a market's account. */
const MARKET_BALANCE_WEI = 10n ** 24n;
const GAS = { deploy: 8_000_000, set: 500_000, transfer: 21_000 } as const;

/**
 * Deploys missing contracts and updates settings that differ. An interrupted deployment is
 * completed, a market may be added, and a changed ratio applies from the next start on.
 * @throws RunError when a step reverts, such as a ratio that the dealer refuses; ConfigError when
 * an existing limiter has another speed
 */
export async function deploy(
  chain: EmbeddedChain,
  keys: ChainKeys,
  settings: ChainSettings,
): Promise<ChainAddresses> {
  const deployment = new Deployment(chain);
  const owner = keys.owner.signer;
  const token = await deployment.contract(
    owner,
    0,
    testTokenAbi,
    testTokenBytecode,
    "Test USD Coin",
    "USDC",
  );
  const dealer = await deployment.contract(owner, 1, dealerAbi, dealerBytecode, token);
  const lens = await deployment.contract(owner, 2, dealerLensAbi, dealerLensBytecode);
  const { fundingSpeedMultiplier: speed, markets } = settings;
  const keeper = keys.fundingKeeper.signer;
  const limiter = await deployment.contract(
    keeper,
    0,
    fundingRateLimiterAbi,
    fundingRateLimiterBytecode,
    dealer,
    speed,
  );
  // Funded by a transfer before they deploy: the genesis does not know markets that are added
  // later.
  for (const { marketId } of markets)
    await deployment.fund(owner, keys.market(marketId).signer.address);
  await deployment.finish();
  const places = new Map<MarketId, { perp: Hex; priceSource: Hex; setter: Hex }>();
  for (const { marketId } of markets) {
    const { signer } = keys.market(marketId);
    places.set(marketId, {
      perp: await deployment.contract(signer, 0, perpetualAbi, perpetualBytecode, dealer),
      priceSource: await deployment.contract(
        signer,
        1,
        settablePriceSourceAbi,
        settablePriceSourceBytecode,
        marketId,
        settings.priceHeartbeatSeconds,
      ),
      setter: signer.address,
    });
  }
  await deployment.finish();

  const orderSender = keys.orderSender.signer.address;
  const insurance = keys.insurance.signer.address;
  const mover = settings.isFundingLimited ? limiter : keeper.address;
  const [deployedSpeed] = await deployment.read(limiter, LIMITER, "speedMultiplier");
  if (deployedSpeed !== BigInt(speed)) {
    throw new ConfigError("the funding limiter of a chain cannot be changed", {
      field: "fundingSpeedMultiplier",
      value: speed,
      expected: String(deployedSpeed),
    });
  }
  const state = await deployment.read(dealer, DEALER, "state");
  await deployment.set(owner, dealer, DEALER, "setInsurance", state.insurance, insurance);
  await deployment.set(
    owner,
    dealer,
    DEALER,
    "setFundingRateKeeper",
    state.fundingRateKeeper,
    mover,
  );
  await deployment.set(
    owner,
    dealer,
    DEALER,
    "setMaxPositionAmount",
    state.maxPositionAmount,
    BigInt(settings.maxPositions),
  );
  await deployment.set(
    owner,
    dealer,
    DEALER,
    "setWithdrawTimeLock",
    state.withdrawTimeLock,
    BigInt(settings.withdrawTimeLockSeconds),
  );
  const [isSender] = await deployment.read(dealer, DEALER, "isOrderSenderValid", orderSender);
  if (isSender !== true)
    await deployment.send(owner, dealer, DEALER, "setOrderSender", orderSender, true);
  for (const { signer } of keys.accounts) {
    await deployment.mintOnce(owner, token, signer.address, settings.tokenUnitsEach);
  }
  for (const market of markets) {
    const place = places.get(market.marketId);
    if (place === undefined) continue;
    const { signer } = keys.market(market.marketId);
    const [round] = await deployment.read(place.priceSource, SOURCE, "roundId");
    if (round === 0n && market.markPrice !== null) {
      await deployment.send(signer, place.priceSource, SOURCE, "setMarkPrice", market.markPrice);
    }
    const [heartbeat] = await deployment.read(place.priceSource, SOURCE, "heartbeat");
    await deployment.set(
      signer,
      place.priceSource,
      SOURCE,
      "setHeartbeat",
      heartbeat,
      BigInt(settings.priceHeartbeatSeconds),
    );
    const wanted = [
      market.initialMarginRatio,
      market.liquidationThreshold,
      market.liquidationPriceOff,
      market.insuranceFeeRate,
      place.priceSource,
      market.marketId,
      market.isRegistered,
    ];
    const [params] = await deployment.read(dealer, DEALER, "getRiskParams", place.perp);
    if (!same([...params], wanted))
      await deployment.send(owner, dealer, DEALER, "setPerpRiskParams", place.perp, wanted);
  }
  await deployment.finish();
  return {
    token,
    dealer,
    lens,
    fundingRateLimiter: limiter,
    owner: owner.address,
    orderSender,
    insurance,
    fundingKeeper: keeper.address,
    markets: places,
  };
}

class Deployment {
  readonly #chain: EmbeddedChain;
  readonly #sent: { readonly hash: Hex; readonly step: string }[] = [];

  constructor(chain: EmbeddedChain) {
    this.#chain = chain;
  }

  /**
   * Returns the address of an account's contract and deploys it if it is missing. An account
   * deploys before it does anything else.
   */
  async contract(
    from: Signer,
    nonce: number,
    abi: InterfaceAbi,
    bytecode: Hex,
    ...args: readonly unknown[]
  ): Promise<Hex> {
    const address = create(from, nonce);
    const sent = Number(
      await this.#chain.request("eth_getTransactionCount", from.address, "pending"),
    );
    if (sent <= nonce) {
      const data = bytecode + new Interface(abi).encodeDeploy(args).slice(2);
      const hash = await this.#chain.send({ from, to: null, data, gas: GAS.deploy });
      this.#sent.push({ hash, step: "deploy" });
    }
    return address;
  }

  async read(to: Hex, abi: Interface, name: string, ...args: readonly unknown[]) {
    return abi.decodeFunctionResult(
      name,
      await this.#chain.call(to, abi.encodeFunctionData(name, args)),
    );
  }

  async set(
    from: Signer,
    to: Hex,
    abi: Interface,
    name: string,
    held: unknown,
    wanted: unknown,
  ): Promise<void> {
    if (held !== wanted) await this.send(from, to, abi, name, wanted);
  }

  async send(
    from: Signer,
    to: Hex,
    abi: Interface,
    name: string,
    ...args: readonly unknown[]
  ): Promise<void> {
    const hash = await this.#chain.send({
      from,
      to,
      data: abi.encodeFunctionData(name, args),
      gas: GAS.set,
    });
    this.#sent.push({ hash, step: name });
  }

  /** Sends gas money to an account that has none. */
  async fund(owner: Signer, to: Hex): Promise<void> {
    if (BigInt((await this.#chain.request("eth_getBalance", to, "latest")) as Hex) > 0n) return;
    const hash = await this.#chain.send({
      from: owner,
      to,
      data: "0x",
      valueWei: MARKET_BALANCE_WEI,
      gas: GAS.transfer,
    });
    this.#sent.push({ hash, step: "fund" });
  }

  /**
   * Mints tokens for an account that has never had any, so that an account which spent its tokens
   * gets no second mint.
   */
  async mintOnce(owner: Signer, token: Hex, to: Hex, units: bigint): Promise<void> {
    if (units === 0n) return;
    const topics = [
      TOKEN.getEvent("Transfer")?.topicHash,
      `0x${"0".repeat(64)}`,
      `0x${"0".repeat(24)}${to.slice(2).toLowerCase()}`,
    ];
    const given = (await this.#chain.request("eth_getLogs", {
      address: token,
      fromBlock: "0x0",
      toBlock: "latest",
      topics,
    })) as unknown[];
    if (given.length === 0) await this.send(owner, token, TOKEN, "mint", to, units);
  }

  /**
   * Waits for every step.
   * @throws RunError when one reverted
   */
  async finish(): Promise<void> {
    await this.#chain.minePending();
    for (const { hash, step } of this.#sent.splice(0)) {
      const receipt = await this.#chain.receipt(hash);
      if (receipt?.isReverted !== false) {
        throw new RunError("the contracts could not be deployed", {
          field: "chain",
          value: step,
          expected: "a successful transaction",
        });
      }
    }
  }
}

function create(from: Signer, nonce: number): Hex {
  return getCreateAddress({ from: from.address, nonce });
}

function same(held: readonly unknown[], wanted: readonly unknown[]): boolean {
  return held.every((value, place) => value === wanted[place]);
}
