import { FormatError } from "../../../core/errors.js";
import { NonceSlot } from "../nonce-slot.js";
import type { JobOutcome, JobReport, NonceReport } from "../transaction-event.js";
import type { TransactionJob } from "../transaction-job.js";
import type { StoredAttempt, TransactionRecord, TransactionStore } from "./transaction-store.js";

/** Final outcomes that are kept. */
const MOST_FINALS = 1000;

type Final = Extract<TransactionRecord, { readonly kind: "final" }>;

/** A final outcome that a deep reorg may still remove. */
export interface FinishedSlot {
  readonly slot: NonceSlot;
  /** Null for a nonce that only filled a gap. */
  readonly outcome: JobOutcome | null;
  /** The newest block at that time. */
  readonly atBlock: number;
}

/** The owner of each nonce and the outcome of each job: the store's content, in memory. */
export class TransactionLedger {
  readonly #store: TransactionStore;
  readonly #slots = new Map<number, NonceSlot>();
  readonly #finals = new Map<number, Final>();
  readonly #ended = new Map<number, FinishedSlot>();
  readonly #outcomes = new Map<
    string,
    { readonly job: TransactionJob | undefined; readonly outcome: JobOutcome }
  >();
  readonly #foreign = new Set<number>();

  /**
   * Loads the store. @throws the store's errors; FormatError when its records contradict each
   * other.
   */
  constructor(store: TransactionStore) {
    this.#store = store;
    for (const record of store.load()) {
      if (record.kind === "final") this.#end(record, this.#slots.get(record.nonce));
      else if (record.kind === "reopened") this.#open(record.nonce);
      else this.#take(record.job, record.attempt);
    }
  }

  /** Open slots, by nonce. */
  get slots(): readonly NonceSlot[] {
    return [...this.#slots.values()].sort((a, b) => a.nonce - b.nonce);
  }

  /** Final slots that are still watched, by nonce. */
  get ended(): readonly FinishedSlot[] {
    return [...this.#ended.values()].sort((a, b) => a.slot.nonce - b.slot.nonce);
  }

  /** True if nothing is followed and nothing watched. */
  get isEmpty(): boolean {
    return this.#slots.size === 0 && this.#ended.size === 0;
  }

  findSlot(jobId: string): NonceSlot | undefined {
    return [...this.#slots.values()].find(({ job }) => job?.id === jobId);
  }

  /** Our nonces, final or not, in [from, below), in order. */
  ours(from: number, below: number): readonly number[] {
    const nonces = new Set([...this.#slots.keys(), ...this.#finals.keys()]);
    return [...nonces].filter((nonce) => nonce >= from && nonce < below).sort((a, b) => a - b);
  }

  hasEnded(jobId: string): boolean {
    return this.#outcomes.has(jobId);
  }

  /** The first nonce after all of ours. */
  get nextNonce(): number {
    let next = 0;
    for (const nonce of [...this.#slots.keys(), ...this.#finals.keys()])
      next = Math.max(next, nonce + 1);
    return next;
  }

  /**
   * Stores the first transaction of a nonce, before it is sent. @throws the store's errors; nothing
   * has changed then.
   */
  open(job: TransactionJob | null, attempt: StoredAttempt): NonceSlot {
    this.#store.append({ kind: "attempt", job, attempt });
    return this.#take(job, attempt);
  }

  /** Stores a further transaction. @throws the store's errors; nothing has changed then. */
  extend(
    slot: NonceSlot,
    attempt: StoredAttempt,
    since: { readonly ms: number; readonly block: number },
  ): void {
    this.#store.append({ kind: "attempt", job: null, attempt });
    slot.add(attempt, since);
  }

  /**
   * Records the final outcome of a nonce, at the current newest block. @throws the store's errors;
   * the outcome counts anyway.
   */
  finish(slot: NonceSlot, outcome: JobOutcome | null, atBlock: number): void {
    const record: Final = {
      kind: "final",
      nonce: slot.nonce,
      jobId: slot.job?.id ?? null,
      outcome,
      atBlock,
    };
    this.#end(record, slot);
    this.#store.append(record);
  }

  /**
   * Reopens a nonce whose outcome a reorg removed. @throws the store's errors; the nonce is
   * followed anyway.
   */
  reopen({ slot: { nonce } }: FinishedSlot): void {
    this.#open(nonce);
    this.#store.append({ kind: "reopened", nonce });
  }

  /** Stops watching an outcome that is old enough. */
  stopWatching({ slot: { nonce } }: FinishedSlot): void {
    this.#ended.delete(nonce);
  }

  /** Records a job that ended without a nonce. */
  refused(job: TransactionJob, outcome: JobOutcome): void {
    this.#remember(job.id, job, outcome);
  }

  /** Records nonces of another process, both ends included; the newest are kept. */
  foreign(from: number, to: number): void {
    for (let nonce = Math.max(from, to - MOST_FINALS + 1); nonce <= to; nonce += 1) {
      this.#foreign.add(nonce);
      const [oldest] = this.#foreign;
      if (this.#foreign.size > MOST_FINALS && oldest !== undefined) this.#foreign.delete(oldest);
    }
  }

  /** Largest cost of everything that is not mined yet, values included. */
  get committedWei(): bigint {
    let wei = 0n;
    for (const { mined, job, attempts } of this.#slots.values()) {
      if (mined !== undefined) continue;
      const most = attempts
        .map(({ gasLimit, maxFeeWei }) => gasLimit * maxFeeWei)
        .reduce((a, b) => (a > b ? a : b));
      wei += most + (job?.valueWei ?? 0n);
    }
    return wei;
  }

  jobs(): readonly JobReport[] {
    const ended = [...this.#outcomes].map(
      ([jobId, { job, outcome }]): JobReport => ({
        jobId,
        job,
        state: "final",
        attempts: [],
        outcome,
      }),
    );
    const open = this.slots.flatMap((slot): JobReport[] => {
      if (slot.job === null) return [];
      const state =
        slot.mined !== undefined ? "mined" : slot.isCancelling ? "cancelling" : "pending";
      return [
        { jobId: slot.job.id, job: slot.job, state, attempts: slot.attempts, outcome: undefined },
      ];
    });
    return [...ended, ...open];
  }

  nonces(): readonly NonceReport[] {
    const reports: NonceReport[] = [];
    for (const { nonce, jobId, outcome } of this.#finals.values()) {
      const by =
        outcome === null
          ? "fill"
          : outcome.kind === "foreign"
            ? "foreign"
            : outcome.kind === "cancelled"
              ? "cancel"
              : "job";
      const hash = outcome !== null && "receipt" in outcome ? outcome.receipt.hash : undefined;
      reports.push({ nonce, by, jobId: jobId ?? undefined, hash, state: "final" });
    }
    for (const { nonce, job, mined, newest } of this.#slots.values()) {
      const { purpose, hash } = mined?.attempt ?? newest;
      const by = purpose === "act" ? "job" : purpose;
      reports.push({
        nonce,
        by,
        jobId: job?.id,
        hash,
        state: mined === undefined ? "pending" : "mined",
      });
    }
    for (const nonce of this.#foreign) {
      if (!this.#slots.has(nonce) && !this.#finals.has(nonce))
        reports.push({ nonce, by: "foreign", jobId: undefined, hash: undefined, state: "mined" });
    }
    return reports.sort((a, b) => a.nonce - b.nonce);
  }

  close(): void {
    this.#store.close();
  }

  #take(job: TransactionJob | null, attempt: StoredAttempt): NonceSlot {
    const slot = this.#slots.get(attempt.nonce);
    if (slot !== undefined) {
      slot.attempts.push(attempt);
      return slot;
    }
    if (job === null && attempt.purpose !== "fill") {
      throw new FormatError("a transaction without its job", {
        field: `nonce ${attempt.nonce}`,
        value: attempt.purpose,
        expected: "its job first",
      });
    }
    const created = new NonceSlot(job, attempt);
    this.#slots.set(created.nonce, created);
    return created;
  }

  #end(record: Final, slot: NonceSlot | undefined): void {
    const { nonce, jobId, outcome, atBlock } = record;
    this.#slots.delete(nonce);
    this.#finals.set(nonce, record);
    if (jobId !== null && outcome !== null) this.#remember(jobId, slot?.job ?? undefined, outcome);
    if (slot !== undefined && atBlock !== undefined)
      this.#ended.set(nonce, { slot, outcome, atBlock });
    const [oldest] = this.#finals.keys();
    if (this.#finals.size > MOST_FINALS && oldest !== undefined) this.#finals.delete(oldest);
  }

  #open(nonce: number): void {
    const ended = this.#ended.get(nonce);
    if (ended === undefined)
      throw new FormatError("is followed again, but had not ended", {
        field: `nonce ${nonce}`,
        expected: "its transactions and its end first",
      });
    this.#ended.delete(nonce);
    this.#finals.delete(nonce);
    const { slot } = ended;
    if (slot.job !== null) this.#outcomes.delete(slot.job.id);
    slot.reopen();
    this.#slots.set(nonce, slot);
  }

  #remember(jobId: string, job: TransactionJob | undefined, outcome: JobOutcome): void {
    this.#outcomes.set(jobId, { job, outcome });
    const [oldest] = this.#outcomes.keys();
    if (this.#outcomes.size > MOST_FINALS && oldest !== undefined) this.#outcomes.delete(oldest);
  }
}
