import { Interface } from "ethers";
import { dealerAbi } from "../../../src/chain/abi/dealer.generated.js";
import { perpetualAbi } from "../../../src/chain/abi/perpetual.generated.js";
import { seededRandom } from "../../../src/core/seeded-random.js";
import type { Hex } from "../../../src/core/units.js";
import { VirtualClock } from "../../../src/core/virtual-clock.js";
import type { OpenChain } from "../../../src/simulator/chain/open-chain.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "../../../src/simulator/config.js";
import { type OpenExchange, openConfiguredExchange } from "../../../src/simulator/configured-exchange.js";
import type { EmbeddedExchange } from "../../../src/simulator/exchange.js";
import type { ChainReport } from "../../../src/simulator/settlement/chain-report.js";
import type { RecordStore } from "../../../src/simulator/store/record-store.js";
import { KEYS, ReferenceClient, START_MS } from "../reference-client.js";

export const DEALER = new Interface(dealerAbi);
export const PERPETUAL = new Interface(perpetualAbi);

/** What an exchange on a chain is opened with in a test. */
export interface ChainWorldOptions {
  readonly config?: Partial<ExchangeConfigInput>;
  readonly records?: RecordStore;
  readonly clock?: VirtualClock;
}

/** A position as the perpetual has it. */
export interface HeldOnChain {
  readonly paper: bigint;
  readonly credit: bigint;
}

/** An exchange in virtual time on a chain of its own, without a port, and what a test asks of the two. */
export class ChainWorld {
  readonly exchange: EmbeddedExchange;
  readonly chain: OpenChain;

  private constructor(
    readonly open: OpenExchange,
    readonly clock: VirtualClock,
    readonly reports: readonly ChainReport[],
  ) {
    this.exchange = open.exchange;
    this.chain = open.chain as OpenChain;
  }

  static async open({ config = {}, records, clock = new VirtualClock(START_MS) }: ChainWorldOptions = {}): Promise<ChainWorld> {
    const reports: ChainReport[] = [];
    const parsed = parseExchangeConfig({ markets: { btcusdc: {} }, ...config, chain: { rpc: null, accounts: { count: 0 }, ...config.chain } });
    const open = await openConfiguredExchange(
      parsed,
      { clock, random: seededRandom("exchange") },
      {
        ...(records === undefined ? {} : { records }),
        onChainReport: (report) => reports.push(report),
        onChainFault: (error) => {
          throw error;
        },
      },
    );
    open.exchange.start();
    return new ChainWorld(open, clock, reports);
  }

  /** A registered account with ethers' own signatures. */
  async client(place: number): Promise<ReferenceClient> {
    const key = KEYS[place];
    if (key === undefined) throw new Error(`no key ${place}`);
    const client = new ReferenceClient(this.exchange, () => this.clock.nowMs(), key, `10.0.0.${place + 1}`);
    if (this.exchange.account(client.address) === undefined) client.register();
    await this.open.settled();
    return client;
  }

  async clients(): Promise<[ReferenceClient, ReferenceClient, ReferenceClient]> {
    return [await this.client(0), await this.client(1), await this.client(2)];
  }

  perp(marketId = "btcusdc"): Hex {
    return this.chain.addresses.markets.get(marketId)?.perp ?? "";
  }

  house(marketId = "btcusdc"): Hex {
    return this.chain.keys.house(marketId).signer.address;
  }

  /** What the chain says that an account holds in a market. */
  async held(address: string, marketId = "btcusdc"): Promise<HeldOnChain> {
    const data = PERPETUAL.encodeFunctionData("balanceOf", [address]);
    const [paper, credit] = PERPETUAL.decodeFunctionResult("balanceOf", await this.chain.chain.call(this.perp(marketId), data));
    return { paper, credit };
  }

  /** Primary credit of an account on the chain. */
  async primary(address: string): Promise<bigint> {
    const data = DEALER.encodeFunctionData("getCreditOf", [address]);
    return DEALER.decodeFunctionResult("getCreditOf", await this.chain.chain.call(this.chain.addresses.dealer, data)).primaryCredit;
  }

  /** The transactions to a market's perpetual, oldest first. */
  async trades(marketId = "btcusdc"): Promise<{ readonly hash: Hex; readonly input: Hex; readonly isReverted: boolean }[]> {
    const found = [];
    const { chain } = this.chain;
    for (let number = 1; number <= chain.head.number; number += 1) {
      const block = (await chain.request("eth_getBlockByNumber", `0x${number.toString(16)}`, true)) as {
        readonly transactions: readonly { readonly hash: Hex; readonly to: Hex | null; readonly input: Hex }[];
      };
      for (const { hash, to, input } of block.transactions) {
        if (to?.toLowerCase() !== this.perp(marketId).toLowerCase()) continue;
        found.push({ hash, input, isReverted: (await chain.receipt(hash))?.isReverted === true });
      }
    }
    return found;
  }
}
