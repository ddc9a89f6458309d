import { parseUnits } from "ethers";
import type { Signer } from "../../core/crypto/signing.js";
import { RunError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import type { ExchangeAccount } from "../accounts/account.js";
import type { CreditLedger } from "../accounts/credit-ledger.js";
import type { OnSettlement, Settlement } from "../accounts/settlement.js";
import type { EmbeddedChain } from "../chain/embedded-chain.js";
import type { OpenChain } from "../chain/open-chain.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { Market } from "../markets/market.js";
import { BlockFollower } from "./block-follower.js";
import { ChainAccounts } from "./chain-accounts.js";
import type { ChainBlock } from "./chain-block.js";
import { ChainCreditLedger, type ChainCreditLedgerDeps } from "./chain-credit-ledger.js";
import { ChainEventReader } from "./chain-events.js";
import { ChainMarkPrices } from "./chain-mark-prices.js";
import { ChainOutbox } from "./chain-outbox.js";
import type { ChainReport } from "./chain-report.js";
import { ChainSettlement } from "./chain-settlement.js";
import { HouseOrderSigner } from "./house-order-signer.js";

/** Dependencies of {@link ChainConnector}. */
export interface ChainConnectorDeps {
  readonly state: ExchangeState;
  readonly open: OpenChain;
  /** Runs a change as one event of the exchange. */
  turn(run: () => void): void;
  report(report: ChainReport): void;
  /** Called on a failure after which the chain refuses all requests. */
  onFault(error: unknown): void;
}

/** The exchange's reactions to its chain; within a turn. */
export interface ChainConnectorListener {
  /** Credit or positions of accounts have changed. */
  onChanged(accounts: Iterable<ExchangeAccount>): void;
  /** The mark of a market has changed. */
  onMark(market: Market): void;
  /**
   * An address may no longer sign for an account.
   * @param operator in lower case
   */
  onRevoked(account: ExchangeAccount, operator: Hex): void;
}

/**
 * The exchange's connection to its chain. The exchange decides at once and sends requests to the
 * chain after the event that decided. The chain's results are applied as one event for each block.
 */
export class ChainConnector {
  readonly open: OpenChain;
  readonly outbox: ChainOutbox;
  readonly #parts: ChainConnectorDeps;
  readonly #follower: BlockFollower;
  readonly #signers: ReadonlyMap<Hex, Signer>;
  #settlement: ChainSettlement | null = null;
  #credit: ChainCreditLedger | null = null;
  #accounts: ChainAccounts | null = null;
  #marks: ChainMarkPrices | null = null;
  #isRunning = false;

  constructor(parts: ChainConnectorDeps) {
    const { state, open, turn, onFault } = parts;
    this.#parts = parts;
    this.open = open;
    this.#signers = signersOf(open);
    this.outbox = new ChainOutbox({
      state,
      chain: open.chain,
      signerOf: (address) => this.#signers.get(address),
      turn,
      onFault,
    });
    this.#follower = new BlockFollower({
      state,
      chain: open.chain,
      dealer: lower(open.addresses.dealer),
      perps: new Set([...open.addresses.markets.values()].map(({ perp }) => lower(perp))),
      events: new ChainEventReader(open.addresses, open.dealerEventFormat),
      isOwn: (transaction) => this.outbox.isOwn(transaction),
      findRevertReason: (hash) => findRevertReason(open.chain, hash),
      turn,
      apply: (block) => this.#apply(block),
      onFault,
    });
  }

  /** Creates the settlement of the exchange's trades; called once. */
  settlement(onSettlement: OnSettlement): Settlement {
    const { state, open, report } = this.#parts;
    const { chain, domain, markets } = state.config;
    const { keys, chain: evm } = open;
    this.#settlement = new ChainSettlement(
      {
        outbox: this.outbox,
        orderSender: lower(keys.orderSender.signer.address),
        houses: new HouseOrderSigner(domain, (marketId) => keys.house(marketId)),
        gas: {
          blockGasLimit: evm.genesis.blockGasLimit,
          maxPositions: Math.min(chain?.contracts.maxPositions ?? 1, Object.keys(markets).length),
        },
        houseDelayMs: chain?.blocks.intervalMs ?? 0,
        report,
      },
      onSettlement,
    );
    return this.#settlement;
  }

  /** Creates the ledger that moves the exchange's credit; called once. */
  credit({
    onChanged,
    onDepositArrived,
  }: Pick<ChainConnectorListener, "onChanged"> &
    Pick<ChainCreditLedgerDeps, "onDepositArrived">): CreditLedger {
    const { state, open, report } = this.#parts;
    const { chain } = state.config;
    const { dealer, owner, fundingKeeper, fundingRateLimiter } = open.addresses;
    this.#credit = new ChainCreditLedger({
      state,
      outbox: this.outbox,
      accounts: () => this.#requireAccounts(),
      dealer: lower(dealer),
      owner: lower(owner),
      fundingKeeper: lower(fundingKeeper),
      fundingTarget: lower(chain?.contracts.fundingLimiter === false ? dealer : fundingRateLimiter),
      gasMoneyWei: parseUnits(chain?.accounts.gasEth ?? "0", 18),
      report,
      onDepositArrived,
      afterChange: onChanged,
    });
    return this.#credit;
  }

  /** Attaches the listener once all markets exist. */
  attach({ onChanged, onMark, onRevoked }: ChainConnectorListener): void {
    const { state, open, report, turn } = this.#parts;
    const { chain } = state.config;
    const places = new Map(
      [...open.addresses.markets].map(([marketId, { priceSource, setter }]) => [
        marketId,
        { priceSource: lower(priceSource), setter: lower(setter) },
      ]),
    );
    const accounts = new ChainAccounts({
      state,
      sources: new Map([...places].map(([marketId, { priceSource }]) => [marketId, priceSource])),
      onOperator: (account, operator, isValid) => {
        // A later change that is pending decides.
        if (this.#credit?.hasPendingOperatorChange(account, operator)) return;
        if (isValid) account.operators.add(operator);
        else onRevoked(account, operator);
      },
      onMark: (market, price, updatedAtSeconds) =>
        this.#marks?.onPrice(market, price, updatedAtSeconds),
      onChanged,
    });
    this.#accounts = accounts;
    this.#marks = new ChainMarkPrices({
      state,
      outbox: this.outbox,
      accounts,
      contracts: places,
      minChangeBps: chain?.oracle.minChangeBps ?? 0,
      minIntervalMs: chain?.oracle.minIntervalMs ?? 0,
      heartbeatMs: chain?.contracts.priceHeartbeatMs ?? 0,
      turn,
      onMark,
      report,
    });
  }

  #requireAccounts(): ChainAccounts {
    if (this.#accounts === null)
      throw new RunError("the chain's accounts do not exist yet", { field: "chain" });
    return this.#accounts;
  }

  /**
   * Applies the blocks that the state does not have yet; before the first start.
   * @throws FormatError when the state and the chain do not match; RunError when the chain has
   * failed
   */
  async catchUp(): Promise<void> {
    await this.#follower.catchUp();
    this.#settlement?.requirePendingRequests();
  }

  /** Sends pending requests to the chain and follows its blocks. */
  start(): void {
    this.#isRunning = true;
    this.#follower.start();
    this.#marks?.start();
    this.outbox.open();
  }

  /** Stops sending and applying until the next start, which finds pending requests again. */
  stop(): void {
    this.#isRunning = false;
    this.outbox.close();
    this.#follower.stop();
    this.#marks?.stop();
  }

  /** Sends an event's requests; called after each event, once it is committed. */
  flush(): void {
    this.outbox.flush();
  }

  /**
   * Waits until every request to the chain is done and every block of it applied. With a block
   * interval, transactions that wait for the next block are not awaited.
   */
  async waitUntilSettled(): Promise<void> {
    do {
      await this.outbox.idle();
      await this.open.chain.idle();
      await this.#follower.idle();
    } while (
      this.#isRunning &&
      (this.outbox.isSending || this.#parts.state.chainBlock < this.open.chain.head.number)
    );
  }

  #apply(block: ChainBlock): void {
    for (const transaction of block.transactions) {
      if (!this.outbox.resolve(transaction)) this.#accounts?.apply(transaction);
    }
    this.#marks?.onBlock(block);
    this.outbox.checkDropped();
  }
}

/**
 * The reason why a mined transaction was reverted: the contract's text, or the EVM's; null if there
 * is neither.
 * @throws RunError when the chain has failed
 */
async function findRevertReason(chain: EmbeddedChain, hash: Hex): Promise<string | null> {
  // A receipt has no reason, and a call at the block before would run on another state than the
  // transaction did.
  const outcome = await chain.handle("debug_traceTransaction", [
    hash,
    { tracer: "callTracer", tracerConfig: { onlyTopCall: true } },
  ]);
  if ("error" in outcome) return null;
  const { revertReason: reason, error } = outcome.result as {
    readonly revertReason?: string;
    readonly error?: string;
  };
  return reason || error || null;
}

/** The accounts that the exchange itself signs for. */
function signersOf({ keys, addresses }: OpenChain): ReadonlyMap<Hex, Signer> {
  const marketIds = [...addresses.markets.keys()];
  const held = [
    keys.owner,
    keys.orderSender,
    keys.insurance,
    keys.fundingKeeper,
    ...marketIds.flatMap((marketId) => [keys.market(marketId), keys.house(marketId)]),
  ];
  return new Map(held.map(({ signer }) => [lower(signer.address), signer]));
}

function lower(address: Hex): Hex {
  return address.toLowerCase() as Hex;
}
