import { ChainRpc } from "#chain/chain-rpc.js";
import { LensReader } from "#chain/lens-reader.js";
import { Instrument } from "#core/instrument.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { Signer } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import type { Confirmation } from "#liquidator/candidate.js";
import { Confirmer } from "#liquidator/confirmer.js";
import type { PlanInput, PlanRules, Victim } from "#liquidator/plan-input.js";
import type { TakeoverPlan } from "#liquidator/takeover-plan.js";
import { findVictims, takeoverMarkets, type VenueMarket } from "#liquidator/victims.js";
import type { Level } from "#market/readable-book.js";
import type { MarginAccount } from "#perpetual/margin-account.js";
import { FaultyRpc } from "../chain/faulty-rpc.js";
import type { Receipt } from "../contracts/evm.js";
import { type Market, USD, World } from "../contracts/world.js";

/**
 * Half a dollar of profit, half of maintenance margin as buffer, a book that is taken at its word,
 * half of the room for gas.
 */
export const RULES: PlanRules = {
  minProfitCredit: USD / 2n,
  marginBufferBps: 5_000,
  unwindReserveBps: 0,
  gasShareBps: 5_000,
  takeUpTo: "position",
  makerShareBps: 5_000,
};

/** 300,000 gas at 2 gwei and 3,000 dollars an ether: 1.8 dollars a takeover. */
export const GAS = {
  gasPerTakeover: 300_000n,
  feePerGasWei: 2_000_000_000n,
  extraWei: 0n,
  creditPerEth: 3_000n * USD,
};

/** Sizes and ticks of the two markets. */
export const BTC = new Instrument({
  marketId: "btcusdc",
  tickSize: "0.1",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});
export const ETH = new Instrument({
  marketId: "ethusdc",
  tickSize: "0.01",
  stepSize: "0.01",
  creditDecimals: 6,
  paperDecimals: 18,
});

/**
 * One price on either side, `spreadBps` from each other, with as many lots as anybody could want.
 * @param price whole dollars.
 */
export function flatBook(
  instrument: Instrument,
  price: number,
  spreadBps = 0,
  lots = 1_000_000,
): Pick<VenueMarket, "bids" | "asks"> {
  const ticks = price / instrument.tickQuote;
  const half = (ticks * spreadBps) / 20_000;
  return {
    bids: [{ ticks: Math.floor(ticks - half), lots }],
    asks: [{ ticks: Math.ceil(ticks + half), lots }],
  };
}

/** A market as the exchange tells it, without limits, at 5 basis points for takers. */
export function venueMarket(
  instrument: Instrument,
  book: { bids: readonly Level[]; asks: readonly Level[] },
): VenueMarket {
  return {
    marketId: instrument.marketId,
    instrument,
    ...book,
    takerFeeRate: 5n * 10n ** 14n,
    makerFeeRate: -(10n ** 14n),
    pendingUnwindLots: 0,
    workingLots: { buy: 0, sell: 0 },
    reservedLots: { buy: 0, sell: 0 },
    unsettledLots: { buy: 0, sell: 0 },
    positionLots: undefined,
    limits: {},
  };
}

/** The contracts on a real EVM behind a real RPC, and the liquidator's eyes on them. */
export class Danger {
  readonly #confirmer: Confirmer;

  private constructor(
    readonly world: World,
    readonly rpc: FaultyRpc,
    readonly chain: ChainRpc,
  ) {
    const lens = new LensReader({
      rpc: chain,
      lens: world.lens.address,
      dealer: world.dealer.address,
    });
    this.#confirmer = new Confirmer({ rpc: chain, lens });
  }

  static async create(): Promise<Danger> {
    const world = await World.create();
    const rpc = await FaultyRpc.start(world.evm);
    const nowMs = () => world.evm.nowSeconds * 1000;
    const chain = new ChainRpc({
      urls: [rpc.url],
      chainId: 31337,
      clock: createLiveRuntime().clock,
      nowMs,
      headRefreshMs: 0,
      requestTimeoutMs: 60_000,
    });
    return new Danger(world, rpc, chain);
  }

  async close(): Promise<void> {
    await this.chain.close();
    await this.rpc.stop();
  }

  confirm(own: Signer, ...candidates: readonly { readonly address: Hex }[]): Promise<Confirmation> {
    return this.#confirmer.confirm(
      candidates.map(({ address }) => address),
      own.address,
    );
  }

  /** Input of a plan, from a confirmation. @param venue by market. */
  input(
    confirmation: Confirmation,
    venue: readonly (readonly [Market, VenueMarket])[],
    rules: Partial<PlanRules> = {},
  ): PlanInput {
    const byPerp = new Map(venue.map(([market, side]) => [perpOf(market), side]));
    return {
      own: {
        account: confirmation.own.account,
        margin: marginOf(confirmation, confirmation.own.account),
        limits: {},
        maxPositionAmount: 10,
      },
      markets: takeoverMarkets(confirmation, byPerp),
      gas: GAS,
      rules: { ...RULES, ...rules },
    };
  }

  /** The transaction of a plan. */
  take(market: Market, plan: TakeoverPlan, own: Signer, executor = own): Promise<Receipt> {
    const { victim, requestPaper, expectCredit } = plan;
    return market.perp.send(executor, "liquidate", own.address, victim, requestPaper, expectCredit);
  }

  /** The same without sending it. */
  simulate(
    market: Market,
    own: Signer,
    victim: Hex,
    requestPaper: bigint,
    expectCredit: bigint,
  ): Promise<unknown> {
    return market.perp.simulate(own, "liquidate", own.address, victim, requestPaper, expectCredit);
  }

  /** Net value, exposure, initial and maintenance margin, as the dealer tells them. */
  async riskOf(account: Hex): Promise<bigint[]> {
    return [...((await this.world.dealer.read("getTraderRisk", account)) as bigint[])];
  }
}

/** The predicted figures of {@link Danger.riskOf}. */
export function figures(margin: MarginAccount): bigint[] {
  return [
    margin.netValueCredit,
    margin.exposureCredit,
    margin.initialMarginCredit,
    margin.maintenanceMarginCredit,
  ];
}

/** The only account in danger of a confirmation. */
export function onlyVictim(confirmation: Confirmation): Victim {
  const { victims, refused } = findVictims(confirmation);
  const [victim] = victims;
  if (victim === undefined || victims.length > 1 || refused.length > 0)
    throw new Error(`victims ${victims.length}, refused ${refused.length}`);
  return victim;
}

/** The margin of an account that was read. */
export function marginOf(confirmation: Confirmation, account: Hex): MarginAccount {
  const entry = [...confirmation.accounts, confirmation.own].find(
    (each) => each.account === account.toLowerCase(),
  );
  if (entry?.kind !== "read") throw new Error(`${account} was not read`);
  return entry.margin;
}

export function perpOf({ perp }: Market): Hex {
  return perp.address.toLowerCase();
}

/** The one event of that name, its values without the indexed names. */
export function eventOf(receipt: Receipt, name: string): readonly unknown[] {
  const found = receipt.events.filter((event) => event.name === name);
  if (found.length !== 1) throw new Error(`${found.length} events ${name}`);
  return found[0]?.args ?? [];
}
