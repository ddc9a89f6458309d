import { MarketwrightError } from "../../core/errors.js";
import type { Timer } from "../../core/runtime/runtime.js";
import { CanonicalChain } from "../blocks/canonical-chain.js";
import { blockTag } from "../rpc/chain-rpc.js";
import { AccountReader } from "./account-reader.js";
import { FinalityWatcher } from "./finality-watcher.js";
import { GapFiller } from "./gap-filler.js";
import { JobRejectedError } from "./job-rejected-error.js";
import { NonceAllocator } from "./nonce-allocator.js";
import type { NonceSlot } from "./nonce-slot.js";
import { type ChainView, NonceTracker, withoutRawBytes } from "./nonce-tracker.js";
import { prepareJob } from "./prepare-job.js";
import { type FinishedSlot, TransactionLedger } from "./store/transaction-ledger.js";
import type {
  AccountNonceEvent,
  JobEvent,
  JobOutcome,
  JobReport,
  NonceReport,
  RefusalReason,
  TransactionEvent,
} from "./transaction-event.js";
import { checkJob, type TransactionJob } from "./transaction-job.js";
import {
  resolveTransactionSettings,
  type TransactionManagerOptions,
  type TransactionSettings,
} from "./transaction-settings.js";

/**
 * Sends the transactions of one account, several at a time and one per lane, and follows each to
 * its final outcome. A signed transaction is stored before it is sent. A nonce that was signed for
 * is used by that job or by its cancel, even after a crash.
 */
export class TransactionManager {
  readonly #settings: TransactionSettings;
  readonly #ledger: TransactionLedger;
  readonly #chain: CanonicalChain;
  readonly #account: AccountReader;
  readonly #nonceTracker: NonceTracker;
  readonly #ends: FinalityWatcher;
  readonly #gaps: GapFiller;
  readonly #listeners = new Set<(event: TransactionEvent) => void>();
  /** Jobs for which nothing is signed yet. */
  readonly #starting = new Map<string, TransactionJob>();
  readonly #cancelledBeforeSigning = new Set<string>();
  readonly #work = new Set<Promise<void>>();
  readonly #nonces: NonceAllocator;
  #timer: Timer | undefined;
  #isPolling = false;
  /** True if another poll must follow the one in progress. */
  #isPollRequested = false;
  #isFaulty = false;
  #isClosed = false;

  private constructor(settings: TransactionSettings) {
    this.#settings = settings;
    this.#ledger = new TransactionLedger(settings.store);
    this.#nonces = new NonceAllocator(this.#ledger);
    this.#chain = new CanonicalChain(settings.rpc);
    this.#account = new AccountReader(settings.rpc, settings.signer.address);
    this.#nonceTracker = new NonceTracker({
      settings,
      ledger: this.#ledger,
      chain: this.#chain,
      isClosed: () => this.#isClosed,
      isFaulty: () => this.#isFaulty,
      emitJobEvent: (job, event) => this.#tell(job, event),
      emitNonceEvent: (event) => this.#emitNonceEvent(event),
      onStoreFailure: (error) => this.#fault(error),
    });
    this.#gaps = new GapFiller({
      settings,
      ledger: this.#ledger,
      account: this.#account,
      keeper: this.#nonceTracker,
      isStopped: () => this.#isClosed || this.#isFaulty,
      onStoreFailure: (error) => this.#fault(error),
    });
    this.#ends = new FinalityWatcher({
      ledger: this.#ledger,
      chain: this.#chain,
      account: this.#account,
      keeper: this.#nonceTracker,
      followBlocks: settings.followBlocks,
      onUndone: (ended) => this.#undo(ended),
    });
    this.#pollSoon();
  }

  /**
   * Opens the store and follows its transactions from now on. No request is sent before the
   * caller's synchronous code is done.
   * @throws ConfigError for an invalid setting; the store's errors when it cannot be read.
   */
  static open(options: TransactionManagerOptions): TransactionManager {
    return new TransactionManager(resolveTransactionSettings(options));
  }

  /**
   * Calls the listener with every event, until the returned function is called. If a listener
   * throws, the process ends: that is a bug.
   */
  listen(listener: (event: TransactionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Simulates, signs, stores and sends a job, and follows it until final. Events report its
   * progress; the last is `final`.
   * @throws JobRejectedError when the lane is busy, the id is known, a field is wrong, or the
   * manager accepts no more jobs.
   */
  submit(job: TransactionJob): void {
    if (this.#isClosed) throw new JobRejectedError("closed", "the transaction manager is closed");
    if (this.#isFaulty)
      throw new JobRejectedError("fault", "the transaction manager's store has failed", {
        expected: "a restart",
      });
    checkJob(job);
    if (
      this.#starting.has(job.id) ||
      this.#ledger.findSlot(job.id) !== undefined ||
      this.#ledger.hasEnded(job.id)
    )
      throw new JobRejectedError("known", "is already the id of another job", {
        field: "id",
        value: job.id,
        expected: "one that was never used",
      });
    if (this.isBusy(job.lane))
      throw new JobRejectedError("busy", "has a job in flight", {
        field: "lane",
        value: job.lane,
        expected: "its end first",
      });
    this.#starting.set(job.id, job);
    this.#run(this.#start(job));
  }

  /** Returns true if a job of the lane has no final outcome yet. */
  isBusy(lane: string): boolean {
    if ([...this.#starting.values()].some((job) => job.lane === lane)) return true;
    return this.#ledger.slots.some(({ job }) => job?.lane === lane);
  }

  /**
   * Requests a cancel, which may be too late; the `final` event says which. @returns false when
   * there is none in flight
   */
  cancel(jobId: string): boolean {
    const slot = this.#ledger.findSlot(jobId);
    if (slot !== undefined) slot.isCancelRequested = true;
    else if (this.#starting.has(jobId)) this.#cancelledBeforeSigning.add(jobId);
    else return false;
    this.#pollSoon();
    return true;
  }

  /**
   * Every job in flight, and the last thousand final ones, oldest first. After a restart, those in
   * the store.
   */
  jobs(): readonly JobReport[] {
    const starting = [...this.#starting.values()].map(
      (job): JobReport => ({
        jobId: job.id,
        job,
        state: "starting",
        attempts: [],
        outcome: undefined,
      }),
    );
    return [...this.#ledger.jobs(), ...starting];
  }

  /** The use of each nonce of the account, as far as it is kept. */
  nonces(): readonly NonceReport[] {
    return this.#ledger.nonces();
  }

  /**
   * Stops sending, and waits for what is in progress. The next process to open the store recovers
   * what is in flight.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timer?.cancel();
    await Promise.all(this.#work);
    this.#ledger.close();
  }

  async #start(job: TransactionJob): Promise<void> {
    const { clock } = this.#settings;
    if (clock.nowMs() >= job.deadlineMs) return this.#refuse(job, { kind: "deadline" });
    const prepared = await prepareJob(this.#settings, this.#account, job);
    if (!prepared.isReady) return this.#refuse(job, prepared.reason);
    const { result, gasLimit, fees, costWei, balanceWei, nodeNonce } = prepared;
    this.#tell(job, { kind: "simulated", result, gasLimit });
    if (this.#isClosed) return this.#refuse(job, { kind: "closed" });
    if (this.#cancelledBeforeSigning.has(job.id)) return this.#refuse(job, { kind: "asked" });
    if (clock.nowMs() >= job.deadlineMs) return this.#refuse(job, { kind: "deadline" });
    const neededWei = costWei + this.#ledger.committedWei;
    if (neededWei > balanceWei)
      return this.#refuse(job, { kind: "insufficient-funds", neededWei, balanceWei });
    const nonce = this.#nonces.next(nodeNonce);
    const attempt = this.#nonceTracker.sign(nonce, job, "act", gasLimit, fees);
    let slot: NonceSlot;
    try {
      slot = this.#ledger.open(job, attempt);
    } catch (error) {
      this.#fault(error);
      return this.#refuse(job, { kind: "store", text: textOf(error) });
    }
    this.#nonces.signed(nonce);
    this.#starting.delete(job.id);
    slot.isCancelRequested = this.#cancelledBeforeSigning.delete(job.id);
    this.#tell(job, { kind: "sent", attempt: withoutRawBytes(attempt) });
    await this.#nonceTracker.broadcast(slot);
    this.#pollSoon();
  }

  #refuse(job: TransactionJob, reason: RefusalReason): void {
    const outcome: JobOutcome = { kind: "refused", reason };
    this.#starting.delete(job.id);
    this.#cancelledBeforeSigning.delete(job.id);
    this.#ledger.refused(job, outcome);
    this.#tell(job, outcome);
    this.#tell(job, { kind: "final", outcome });
  }

  /** Polls everything in flight once. */
  async #poll(): Promise<void> {
    try {
      const step = await this.#chain.advance();
      const { head } = step;
      this.#ends.onChainStep(step);
      await this.#ends.check(head).catch((error: unknown) => this.#trouble(error));
      if (this.#ledger.slots.length === 0) return;
      const view = { head, count: await this.#account.count(blockTag(head.number), head.number) };
      this.#nonces.recordChainCount(view.count, (from, to) =>
        this.#emitNonceEvent({ kind: "foreign-nonces", from, to }),
      );
      await this.#trackSlots(view);
    } catch (error) {
      this.#trouble(error);
    }
  }

  async #trackSlots(view: ChainView): Promise<void> {
    const { slots } = this.#ledger;
    const looks = slots.map((slot) =>
      this.#nonceTracker.track(slot, view).catch((error: unknown) => this.#trouble(error)),
    );
    await Promise.all(looks);
    await this.#gaps.fillIfStuck(view);
  }

  #undo(ended: FinishedSlot): void {
    const { slot, outcome } = ended;
    try {
      this.#ledger.reopen(ended);
    } catch (error) {
      this.#fault(error);
    }
    if (outcome !== null) this.#tell(slot.job, { kind: "undone", nonce: slot.nonce, outcome });
  }

  /** Polls soon: at once, or after the poll in progress. */
  #pollSoon(): void {
    this.#timer?.cancel();
    this.#isPollRequested = this.#isPolling;
    this.#arm(0);
  }

  #arm(delayMs: number): void {
    if (this.#isClosed || this.#isPolling || this.#ledger.isEmpty) return;
    this.#timer = this.#settings.clock.setTimer(delayMs, () => {
      this.#isPolling = true;
      this.#isPollRequested = false;
      this.#run(
        this.#poll().finally(() => {
          this.#isPolling = false;
          this.#arm(this.#isPollRequested ? 0 : this.#settings.pollMs);
        }),
      );
    });
  }

  /**
   * Runs work that only {@link TransactionManager.close} awaits. An error is a bug, and ends the
   * process.
   */
  #run(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => this.#crash(error))
      .finally(() => this.#work.delete(done));
    this.#work.add(done);
  }

  #tell(job: TransactionJob | null, event: JobEvent): void {
    if (job !== null)
      this.#emit({ atMs: this.#settings.clock.nowMs(), jobId: job.id, lane: job.lane, ...event });
  }

  #emitNonceEvent(event: AccountNonceEvent): void {
    this.#emit({ atMs: this.#settings.clock.nowMs(), ...event });
  }

  #emit(event: TransactionEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#crash(error);
      }
    }
  }

  #trouble(error: unknown): void {
    if (!(error instanceof MarketwrightError)) this.#crash(error);
    else if (!this.#isClosed) this.#emitNonceEvent({ kind: "trouble", text: error.message });
  }

  #fault(error: unknown): void {
    if (this.#isFaulty) return;
    this.#isFaulty = true;
    this.#emitNonceEvent({ kind: "fault", text: textOf(error) });
  }

  /**
   * Throws outside of every promise, where nothing catches it, so that a send in progress is not
   * cut short.
   */
  #crash(error: unknown): void {
    this.#settings.clock.setTimer(0, () => {
      throw error;
    });
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
