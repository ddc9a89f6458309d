import { ChainRpc } from "#chain/chain-rpc.js";
import { LensReader } from "#chain/lens-reader.js";
import type { InProcessRpc } from "#chain/rpc-transport.js";
import { TransactionManager } from "#chain/transaction-manager.js";
import type { TransactionRecord, TransactionStore } from "#chain/transaction-store.js";
import type { Clock, Random, Timer } from "#core/runtime.js";
import type { Signer } from "#core/signing.js";
import type { Hex, Ms } from "#core/units.js";
import { type LedgerFile, LiquidationLedger } from "#liquidator/liquidation-ledger.js";
import { Liquidator, type LiquidatorView } from "#liquidator/liquidator.js";
import type { LiquidatorSettings } from "#liquidator/liquidator-settings.js";
import type { InventoryUnwinder, LiquidatorVenue } from "#liquidator/liquidator-venue.js";
import { requireTakeover } from "#liquidator/receipt-takeover.js";
import type { LiquidatorLog } from "#liquidator/takeover-deps.js";
import type { Desk } from "./desk.js";
import { type Ground, USD } from "./ground.js";
import type { SeedPlan } from "./seed-plan.js";

/** The data on a machine that survives a process. */
export class Disk {
  readonly records: TransactionRecord[] = [];
  ledger = "";
}

/** Parts that a deliberate break replaces. */
export interface Parts {
  readonly nodes: readonly InProcessRpc[];
  readonly store: TransactionStore;
  readonly ledgerFile: LedgerFile;
  readonly settings: LiquidatorSettings;
  readonly unwind: InventoryUnwinder;
  readonly venue: LiquidatorVenue;
}

/** The part of a run's plan that belongs to the process. */
export type ProcessPlan = Pick<SeedPlan, "confirmations" | "marginBufferBps" | "quorum">;

/** Environment of a process. */
export interface Surroundings {
  readonly plan: ProcessPlan;
  readonly ground: Ground;
  readonly clock: Clock;
  readonly random: Random;
  readonly nodes: readonly InProcessRpc[];
  readonly desk: Desk;
  readonly disk: Disk;
  /**
   * Hears of every step at which the process could die: right before and right after each thing
   * that it does to what outlives it (its disk, the exchange, an RPC), and whatever its lanes tell.
   * After it returns, a killed one does nothing any more.
   */
  readonly onStep: (kind: string) => void;
  readonly rework: (parts: Parts) => Parts;
  /** The signing key; default: the liquidator's. */
  readonly signer?: Signer;
  /** Does all but send. */
  readonly dryRun?: boolean;
  readonly log?: LiquidatorLog;
}

/**
 * The liquidator's own process. Killed, it hears, sends, writes and remembers nothing more: neither
 * timers nor answers wake it, and only its disk is left.
 */
export class LiquidatorProcess {
  /** Undefined of a dry run. */
  readonly lanes: TransactionManager | undefined;
  readonly ledger: LiquidationLedger;
  readonly #liquidator: Liquidator;
  readonly rpc: ChainRpc;
  #isDead = false;

  constructor(surroundings: Surroundings) {
    const {
      plan,
      ground,
      clock,
      random,
      nodes,
      desk,
      disk,
      onStep,
      rework,
      dryRun = false,
      log = () => {},
    } = surroundings;
    const signer = surroundings.signer ?? ground.cast.liquidator;
    const ifAlive = <Args extends readonly unknown[]>(act: (...args: Args) => void) => {
      return (...args: Args): void => {
        if (!this.#isDead) act(...args);
      };
    };
    const mortally = (before: string, act: () => unknown, after: string): void => {
      ifAlive(() => onStep(before))();
      ifAlive(act)();
      ifAlive(() => onStep(after))();
    };
    const mortal: Clock = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      setTimer: (delayMs: Ms, fire: () => void): Timer => clock.setTimer(delayMs, ifAlive(fire)),
    };
    const parts = rework({
      nodes: nodes.map(({ name, call }) => ({
        name,
        call: (method, params) =>
          new Promise((resolve, reject) => {
            ifAlive(() => onStep("asking"))();
            if (!this.#isDead) call(method, params).then(ifAlive(resolve), ifAlive(reject));
            ifAlive(() => onStep("asked"))();
          }),
      })),
      store: {
        load: () => [...disk.records],
        append: (record: TransactionRecord) => {
          mortally(
            "storing",
            () => disk.records.push(record),
            record.kind === "attempt" ? "stored" : "ended",
          );
        },
        close: () => {},
      },
      ledgerFile: {
        read: () => disk.ledger,
        append: (line: string) => {
          mortally("noting", () => (disk.ledger += `${line}\n`), "noted");
        },
      },
      settings: settingsOf(plan, ground),
      unwind: {
        reserve: (takeovers) => mortally("reserving", () => desk.reserve(takeovers), "reserved"),
        acquire: (takeover) => mortally("acquiring", () => desk.acquire(takeover), "acquired"),
        revert: (id) => mortally("reverting", () => desk.revert(id), "reverted"),
      },
      venue: desk,
    });
    const rpc = new ChainRpc({
      urls: parts.nodes,
      chainId: 31_337,
      clock: mortal,
      quorum: plan.quorum,
      headRefreshMs: 200,
    });
    this.rpc = rpc;
    const open = () =>
      TransactionManager.open({
        rpc,
        signer,
        chainId: 31_337,
        clock: mortal,
        store: parts.store,
        pollMs: 500,
        confirmations: plan.confirmations,
        stuckBlocks: 2,
        stuckMs: 6_000,
        checkReceipt: (receipt, job) => requireTakeover(receipt, parts.settings.dealer, job),
      });
    this.lanes = dryRun ? undefined : open();
    this.lanes?.listen((event) => onStep(event.kind));
    this.ledger = new LiquidationLedger(parts.ledgerFile, mortal);
    this.#liquidator = new Liquidator({
      settings: parts.settings,
      rpc,
      lens: new LensReader({
        rpc,
        lens: ground.open.addresses.lens,
        dealer: ground.open.addresses.dealer,
      }),
      transactions: this.lanes,
      sender: signer.address,
      venue: parts.venue,
      unwind: parts.unwind,
      ledger: this.ledger,
      clock: mortal,
      random,
      log: (...said) => {
        if (!this.#isDead) log(...said);
      },
    });
  }

  /** Apart from the constructor, since it may be killed at a step of its start. */
  start(): void {
    this.#liquidator.start();
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Returns its state. */
  view(): LiquidatorView {
    return this.#liquidator.view();
  }

  kill(): void {
    this.#isDead = true;
  }

  /** Leaves in good order. @returns how many takeovers it left to the next run. */
  async stop(waitMs: Ms): Promise<number> {
    const left = await this.#liquidator.stop(waitMs);
    await this.rpc.close();
    return left.length;
  }
}

/** The least profit that every run asks for. */
const MIN_PROFIT = 5n * USD;

function settingsOf(plan: ProcessPlan, ground: Ground): LiquidatorSettings {
  return {
    account: ground.cast.liquidator.address.toLowerCase() as Hex,
    dealer: ground.open.addresses.dealer.toLowerCase() as Hex,
    rules: {
      minProfitCredit: MIN_PROFIT,
      marginBufferBps: plan.marginBufferBps,
      unwindReserveBps: 10,
      gasShareBps: 5_000,
      takeUpTo: "position",
      makerShareBps: 0,
    },
    maxNotionalCredit: undefined,
    maxGasCredit: undefined,
    l1FeeWei: 0n,
    tipWei: 10n ** 9n,
    maxPositionAmount: 10,
    pollMs: 1_000,
    chainPollMs: 500,
    maxInFlight: 4,
    maxCandidates: 1_000,
    deadlineMs: 20_000,
    cooldownMs: 2_000,
    watchFromBlock: undefined,
  };
}
