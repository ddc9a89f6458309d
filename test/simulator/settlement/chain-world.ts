import { Interface } from "ethers";
import { dealerAbi } from "#chain/dealer.generated.js";
import { perpetualAbi } from "#chain/perpetual.generated.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Hex } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { ChainReport } from "#simulator/chain-report.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "#simulator/config.js";
import { type OpenExchange, openConfiguredExchange } from "#simulator/configured-exchange.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import type { FlowMarket } from "#simulator/flow-market.js";
import type { OpenChain } from "#simulator/open-chain.js";
import type { RecordStore } from "#simulator/record-store.js";
import { KEYS, ReferenceClient, START_MS } from "../reference-client.js";

export const DEALER = new Interface(dealerAbi);
export const PERPETUAL = new Interface(perpetualAbi);

/** Options of a test's exchange on a chain. */
export interface ChainWorldOptions {
  readonly config?: Partial<ExchangeConfigInput>;
  readonly records?: RecordStore;
  readonly clock?: VirtualClock;
  /** True if the markets use the configured order flows; otherwise the test is the flow. */
  readonly ownFlows?: boolean;
}

/** An account's position in one market, and its primary credit. */
export interface HeldCredit {
  readonly paper: bigint;
  readonly credit: bigint;
  readonly primary: bigint;
}

/** An exchange in virtual time on its own chain, without a port, with helpers that read both. */
export class ChainWorld {
  readonly exchange: EmbeddedExchange;
  readonly chain: OpenChain;

  private constructor(
    readonly open: OpenExchange,
    readonly clock: VirtualClock,
    readonly reports: readonly ChainReport[],
    /** The markets' flow ports, which the test uses as their order flow. */
    readonly flows: ReadonlyMap<string, FlowMarket>,
  ) {
    this.exchange = open.exchange;
    this.chain = open.chain as OpenChain;
  }

  static async open({
    config = {},
    records,
    clock = new VirtualClock(START_MS),
    ownFlows = false,
  }: ChainWorldOptions = {}): Promise<ChainWorld> {
    const reports: ChainReport[] = [];
    const flows = new Map<string, FlowMarket>();
    const parsed = parseExchangeConfig({
      markets: { btcusdc: {} },
      ...config,
      chain: { rpc: null, accounts: { count: 0 }, ...config.chain },
    });
    const open = await openConfiguredExchange(
      parsed,
      { clock, random: seededRandom("exchange") },
      {
        ...(records === undefined ? {} : { records }),
        ...(ownFlows
          ? {}
          : {
              createFlow: (marketId: string) => ({
                start: (market: FlowMarket) => void flows.set(marketId, market),
                stop: () => {},
              }),
            }),
        onChainReport: (report) => reports.push(report),
        onChainFault: (error) => {
          throw error;
        },
      },
    );
    open.exchange.start();
    return new ChainWorld(open, clock, reports, flows);
  }

  /** Sets the index and the mark of a market, and waits for the mark's block. */
  async setMark(quote: number, marketId = "btcusdc"): Promise<void> {
    const { instrument } = this.exchange.market(marketId);
    const ticks = instrument.parsePrice(String(quote));
    this.flow(marketId).setReference(ticks, ticks);
    await this.open.waitUntilSettled();
  }

  flow(marketId = "btcusdc"): FlowMarket {
    const flow = this.flows.get(marketId);
    if (flow === undefined) throw new Error(`no market ${marketId}`);
    return flow;
  }

  /** A registered account with ethers' own signatures. */
  async client(place: number): Promise<ReferenceClient> {
    const key = KEYS[place];
    if (key === undefined) throw new Error(`no key ${place}`);
    const client = new ReferenceClient(
      this.exchange,
      () => this.clock.nowMs(),
      key,
      `10.0.0.${place + 1}`,
    );
    if (this.exchange.account(client.address) === undefined) client.register();
    await this.open.waitUntilSettled();
    return client;
  }

  async clients(): Promise<[ReferenceClient, ReferenceClient, ReferenceClient]> {
    return [await this.client(0), await this.client(1), await this.client(2)];
  }

  /** An account's settled position in one market and its primary credit, by the exchange. */
  ofExchange(address: string, marketId = "btcusdc"): HeldCredit {
    const account = [this.exchange.account(address), this.exchange.house(marketId)].find(
      (held) => held?.address === address,
    );
    if (account === undefined) throw new Error(`no account ${address}`);
    const { paper, credit } = account.inMarket(marketId).position.settled;
    return { paper, credit, primary: account.settledPrimaryCredit };
  }

  /** The same by the contracts. */
  async ofChain(address: string, marketId = "btcusdc"): Promise<HeldCredit> {
    const { chain, addresses } = this.chain;
    const balance = await chain.call(
      this.perp(marketId),
      PERPETUAL.encodeFunctionData("balanceOf", [address]),
    );
    const [paper, credit] = PERPETUAL.decodeFunctionResult("balanceOf", balance);
    const funds = await chain.call(
      addresses.dealer,
      DEALER.encodeFunctionData("getCreditOf", [address]),
    );
    return {
      paper,
      credit,
      primary: DEALER.decodeFunctionResult("getCreditOf", funds).primaryCredit,
    };
  }

  /**
   * The fees of every order by the contracts, by the order's hash, in the order of their events.
   */
  async fees(): Promise<ReadonlyMap<string, readonly bigint[]>> {
    const { chain, addresses } = this.chain;
    const topics = [DEALER.getEvent("OrderFilled")?.topicHash];
    const logs = (await chain.request("eth_getLogs", {
      address: addresses.dealer,
      fromBlock: "0x0",
      toBlock: "latest",
      topics,
    })) as {
      readonly topics: string[];
      readonly data: string;
    }[];
    const fees = new Map<string, bigint[]>();
    for (const log of logs) {
      const { orderHash, fee } = DEALER.decodeEventLog("OrderFilled", log.data, log.topics);
      fees.set(orderHash, [...(fees.get(orderHash) ?? []), fee]);
    }
    return fees;
  }

  perp(marketId = "btcusdc"): Hex {
    return this.chain.addresses.markets.get(marketId)?.perp ?? "";
  }

  house(marketId = "btcusdc"): Hex {
    return this.chain.keys.house(marketId).signer.address;
  }

  /** The transactions to a market's perpetual, oldest first. */
  async trades(
    marketId = "btcusdc",
  ): Promise<{ readonly hash: Hex; readonly input: Hex; readonly isReverted: boolean }[]> {
    const found = [];
    const { chain } = this.chain;
    for (let number = 1; number <= chain.head.number; number += 1) {
      const block = (await chain.request(
        "eth_getBlockByNumber",
        `0x${number.toString(16)}`,
        true,
      )) as {
        readonly transactions: readonly {
          readonly hash: Hex;
          readonly to: Hex | null;
          readonly input: Hex;
        }[];
      };
      for (const { hash, to, input } of block.transactions) {
        if (to?.toLowerCase() !== this.perp(marketId).toLowerCase()) continue;
        found.push({ hash, input, isReverted: (await chain.receipt(hash))?.isReverted === true });
      }
    }
    return found;
  }
}
