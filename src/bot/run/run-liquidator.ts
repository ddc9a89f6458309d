import { DealerReader } from "../../chain/contracts/dealer-reader.js";
import { LensReader } from "../../chain/contracts/lens-reader.js";
import type { ChainRpc } from "../../chain/rpc/chain-rpc.js";
import { TransactionManager } from "../../chain/transactions/transaction-manager.js";
import { ecdsaScheme, type Signer } from "../../core/crypto/signing.js";
import { ConfigError } from "../../core/errors.js";
import { decimalToScaled } from "../../core/instrument.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { CreditUnits, Hex, Lots, MarketId, Ms } from "../../core/units.js";
import type { RestClient } from "../../exchange/rest/rest-client.js";
import { checkOperatorRight } from "../../liquidator/check-operator-right.js";
import {
  type LedgerChange,
  type LedgerFile,
  LIQUIDATIONS_FILE,
  LiquidationLedger,
} from "../../liquidator/ledger/liquidation-ledger.js";
import { Liquidator } from "../../liquidator/liquidator.js";
import type { LiquidatorSettings } from "../../liquidator/liquidator-settings.js";
import type { InventoryUnwinder } from "../../liquidator/liquidator-venue.js";
import type { PlanRules } from "../../liquidator/plan/plan-input.js";
import { requireTakeover } from "../../liquidator/receipt-takeover.js";
import type { LiquidatorLog } from "../../liquidator/takeover-deps.js";
import type { UnsoldValue } from "../../liquidator/unsold-value.js";
import type { BotConfig, LiquidatorConfig } from "../config/config.js";
import type { Bot } from "../engine/bot.js";
import type { BotEvent } from "../engine/bot-event.js";
import type { BotCommand } from "../engine/input.js";
import type { StateStore } from "../state/state-dir.js";
import { type ChainAccess, findLensAddress, openChainRpc } from "./chain-access.js";
import { BotLiquidatorVenue } from "./liquidator-venue.js";
import { recordUnwind } from "./monitor/record-unwind.js";

/** Longest wait for the outcome of pending takeovers at a stop. */
const STOP_WAIT_MS: Ms = 10_000;

/**
 * Part of the ledger that a start reads: its end. The file grows by some megabytes an hour if many
 * accounts are in danger, and after a week it is longer than the longest string. This part covers
 * half a day then. An opportunity without an entry for longer is only in the file.
 */
const LEDGER_READ_BYTES = 64 * 2 ** 20;

/** Inputs of a liquidator's start beside a running bot. */
export interface StartLiquidatorOptions {
  readonly config: BotConfig;
  readonly privateKey: Hex;
  readonly account: Hex;
  readonly runtime: Runtime;
  readonly store: StateStore;
  readonly client: RestClient;
  readonly bot: Bot;
  readonly access: ChainAccess;
  readonly dryRun: boolean;
  readonly command: (command: BotCommand) => void;
  readonly log: LiquidatorLog;
  readonly onLedgerChange: (note: LedgerChange) => void;
  /** Wall time that the age of heads is measured by: the exchange's. */
  readonly nowMs: () => Ms;
}

/** A liquidator that runs beside a bot. */
export interface RunningLiquidator {
  readonly liquidator: Liquidator;
  readonly ledger: LiquidationLedger;
  readonly rpc: ChainRpc;
  readonly dryRun: boolean;
  /** The sender, and its authorisation by the account. */
  readonly sender: Hex;
  readonly mayAct: boolean;
  /** Credit units of one ether, as the exchange reported last; undefined before. */
  creditPerEth(): CreditUnits | undefined;
  /**
   * Value of unsold lots at the worse of the exchange's mark and the chain's, and whose mark that
   * is.
   */
  unsoldValue(marketId: MarketId, lots: Lots): UnsoldValue | undefined;
  /** Receives every event of the bot, including the progress of sales. */
  onBotEvent(notice: BotEvent): void;
  /**
   * Starts no more takeovers; pending ones are waited for, and then left to the next run. A second
   * call does nothing more.
   */
  stop(): Promise<void>;
}

/**
 * Starts the liquidator of a bot's file, if it has one.
 * @throws ConfigError if the exchange does not settle on this chain; ChainUnavailable if the chain
 * cannot be read.
 */
export async function startLiquidator(
  options: StartLiquidatorOptions,
): Promise<RunningLiquidator | undefined> {
  const { config, runtime, store, client, bot, log, command } = options;
  const { chain, liquidator: wanted } = config;
  if (chain === undefined || wanted === undefined) return undefined;
  const { clock, random } = runtime;
  const { eip712 } = bot.context.rules;
  const dealer = eip712.verifyingContract.toLowerCase();
  const rpc = openChainRpc(chain, options.access.rpcs, {
    chainId: eip712.chainId,
    clock,
    nowMs: options.nowMs,
  });
  try {
    const reader = new DealerReader(rpc, dealer);
    const separator = await reader.domainSeparator();
    if (separator !== eip712.domainSeparator.toLowerCase())
      throw new ConfigError(
        "is not the chain and dealer that the exchange settles on: its EIP-712 domain differs",
        {
          field: "chain.rpc",
          value: separator,
          expected: eip712.domainSeparator,
        },
      );
    const signer = ecdsaScheme.signer(options.privateKey);
    const mayAct = await checkOperatorRight(reader, options.account, signer.address, log);
    const settings = settingsOf(options, dealer, await reader.maxPositionAmount());
    const lens = new LensReader({
      rpc,
      lens: await findLensAddress(chain, client),
      dealer,
      gasCap: chain.gasCap,
    });
    const dryRun = options.dryRun || wanted.dryRun;
    const ledger = new LiquidationLedger(createLedgerFile(store), clock);
    const lanes = dryRun ? undefined : openLanes(options, rpc, signer, dealer);
    let liquidator: Liquidator | undefined;
    const venue = new BotLiquidatorVenue(
      bot,
      client,
      clock,
      () => command({ command: "asked" }),
      (perp) => liquidator?.markFor(perp),
    );
    const unwind: InventoryUnwinder = {
      reserve: (takeovers) => command({ command: "reserve", takeovers }),
      acquire: (takeover) => command({ command: "inherit", takeover }),
      revert: (takeoverId) => command({ command: "disinherit", takeoverId }),
    };
    const restValue = (marketId: MarketId, lots: Lots) => venue.unsoldValue(marketId, lots);
    const unlisten = ledger.listen(options.onLedgerChange);
    liquidator = new Liquidator({
      settings,
      rpc,
      lens,
      transactions: lanes,
      sender: signer.address,
      venue,
      unwind,
      ledger,
      clock,
      random,
      log,
    });
    liquidator.start();
    let stopping: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      const left = await liquidator.stop(STOP_WAIT_MS);
      for (const { victim, perp, jobId } of left)
        log("warn", "a takeover is still in flight: the next run follows it", {
          victim,
          perp,
          jobId,
        });
      unlisten();
      await rpc.close();
    };
    return {
      liquidator,
      ledger,
      rpc,
      dryRun,
      sender: signer.address,
      mayAct,
      creditPerEth: () => venue.lastCreditPerEth,
      onBotEvent: (notice) => recordUnwind(ledger, notice, restValue),
      unsoldValue: restValue,
      stop: () => {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    await rpc.close();
    throw error;
  }
}

/** The ledger's lines in the state directory. */
export function createLedgerFile(store: Pick<StateStore, "readTail" | "append">): LedgerFile {
  return {
    read: () => store.readTail(LIQUIDATIONS_FILE, LEDGER_READ_BYTES),
    append: (line) => store.append(LIQUIDATIONS_FILE, line),
  };
}

/** The takeover conditions of a bot's file. */
export function planRulesFor(wanted: LiquidatorConfig, creditDecimals: number): PlanRules {
  return {
    minProfitCredit: decimalToScaled(wanted.minProfitQuote, creditDecimals),
    marginBufferBps: Math.round(wanted.marginBufferFraction * 10_000),
    unwindReserveBps: wanted.unwindReserveBps,
    takeUpTo: wanted.takeUpTo,
    gasShareBps: Math.round(wanted.gasShareFraction * 10_000),
    makerShareBps: Math.round(wanted.makerShareFraction * 10_000),
  };
}

function settingsOf(
  { config, account, bot }: StartLiquidatorOptions,
  dealer: Hex,
  maxPositionAmount: number,
): LiquidatorSettings {
  const { chain, liquidator: wanted } = config;
  if (chain === undefined || wanted === undefined)
    throw new ConfigError("has no liquidator settings", { field: "liquidator" });
  const { creditDecimals } = bot.context.rules;
  const credit = (quote: string | undefined): bigint | undefined =>
    quote === undefined ? undefined : decimalToScaled(quote, creditDecimals);
  return {
    account: account.toLowerCase(),
    dealer,
    rules: planRulesFor(wanted, creditDecimals),
    maxNotionalCredit: credit(wanted.maxNotionalQuote),
    maxGasCredit: credit(wanted.maxGasQuote),
    l1FeeWei: decimalToScaled(wanted.l1FeeEth, 18),
    tipWei: decimalToScaled(wanted.tipGwei, 9),
    maxPositionAmount,
    pollMs: wanted.pollMs,
    chainPollMs: chain.pollMs,
    maxInFlight: wanted.maxInFlight,
    maxCandidates: wanted.maxCandidates,
    deadlineMs: wanted.deadlineMs,
    cooldownMs: wanted.cooldownMs,
    watchFromBlock: wanted.watchFromBlock,
  };
}

function openLanes(
  { config, bot, runtime, access }: StartLiquidatorOptions,
  rpc: ChainRpc,
  signer: Signer,
  dealer: Hex,
): TransactionManager {
  const { chain, liquidator: wanted } = config;
  if (chain === undefined || wanted === undefined)
    throw new ConfigError("has no liquidator settings", { field: "liquidator" });
  const chainId = chain.chainId ?? bot.context.rules.eip712.chainId;
  const { pollMs, confirmations } = chain;
  const { bumpPercent, stuckBlocks, stuckMs, tipGwei } = wanted;
  return TransactionManager.open({
    rpc,
    signer,
    chainId,
    clock: runtime.clock,
    store: access.laneStore({ chainId, account: signer.address }),
    pollMs,
    confirmations,
    bumpPercent,
    stuckBlocks,
    stuckMs,
    tipWei: decimalToScaled(tipGwei, 9),
    checkReceipt: (receipt, job) => requireTakeover(receipt, dealer, job),
  });
}
