import type { PlannedTakeover } from "../account/positions/takeover.js";
import { decodeRequestPaper, liquidateCall } from "../chain/calls/liquidate.js";
import { JobRejectedError } from "../chain/transactions/job-rejected-error.js";
import type { JobOutcome, TransactionEvent } from "../chain/transactions/transaction-event.js";
import {
  type LaneId,
  liquidationLane,
  parseLiquidationLane,
  type TransactionJob,
} from "../chain/transactions/transaction-job.js";
import { larger } from "../core/bigints.js";
import type { CreditUnits, Hex, Ms, PaperUnits } from "../core/units.js";
import { toAssessed } from "./ledger/assessment-log.js";
import type { Opportunity } from "./ledger/opportunity.js";
import type { TakeoverPlan } from "./plan/takeover-plan.js";
import { PositionCooldowns } from "./position-cooldowns.js";
import { takeoverIdFor } from "./receipt-takeover.js";
import { simulateTakeover } from "./simulate-takeover.js";
import type { TakeoverDeps } from "./takeover-deps.js";
import { TakeoverHandover } from "./takeover-handover.js";
import { TakeoverOutcomes } from "./takeover-outcomes.js";

/** A takeover that was sent, or is about to be, and has no final outcome yet. */
export interface TakeoverInFlight {
  readonly jobId: string;
  readonly victim: Hex;
  readonly perp: Hex;
  readonly requestPaper: PaperUnits;
  /** Worst-case loss of its sale, credit units; unknown for a takeover of an earlier run. */
  readonly reservedQuote: bigint;
  /** The chain's own figures include the takeover from this block on. */
  readonly minedBlock: number | undefined;
}

/**
 * Executes takeovers and keeps their ledger: from a plan to the position that the bot sells,
 * including crashes and reorgs.
 */
export class LiquidationExecutor {
  readonly #options: TakeoverDeps;
  readonly #outcomes: TakeoverOutcomes;
  readonly #handover: TakeoverHandover;
  readonly #inFlight = new Map<string, TakeoverInFlight>();
  readonly #cooldowns: PositionCooldowns;
  readonly #resolving = new Set<string>();
  /**
   * Finished jobs whose outcome is not recorded yet. Until then no new plan may use their
   * opportunities.
   */
  readonly #ending = new Set<Pick<TakeoverInFlight, "jobId" | "victim">>();
  readonly #work = new Set<Promise<void>>();
  readonly #unlisten: (() => void) | undefined;
  /** The last reservation that was reported; undefined before the first. */
  #reserved: readonly PlannedTakeover[] | undefined;

  constructor(options: TakeoverDeps) {
    this.#options = options;
    this.#outcomes = new TakeoverOutcomes(options);
    this.#handover = new TakeoverHandover(options, (jobId, minedBlock) =>
      this.#inBlock(jobId, minedBlock),
    );
    this.#cooldowns = new PositionCooldowns(options.clock, options.settings.cooldownMs);
    this.#unlisten = options.transactions?.listen((event) => this.#onLaneEvent(event));
  }

  /**
   * Recovers the state of an earlier run: follows what it sent, and hands over what was mined
   * meanwhile to be sold.
   */
  recover(): void {
    for (const { jobId, state, outcome, job } of this.#options.transactions?.jobs() ?? []) {
      const opportunity = this.#options.ledger.findByJob(jobId);
      if (state === "final") {
        if (
          outcome !== undefined &&
          (opportunity === undefined ? outcome.kind === "mined" : opportunity.outcome === "open")
        )
          this.#run(this.#final(jobId, outcome));
        continue;
      }
      if (job === undefined) continue;
      const { victim, perp } = parseLiquidationLane(job.lane);
      this.#follow(jobId, victim, perp, job);
      if (opportunity !== undefined) this.#options.ledger.reopen(opportunity.id);
      this.#options.log("warn", "a takeover of an earlier run is still in flight", {
        victim,
        perp,
      });
    }
    // Removes reservations that the bot kept from an earlier run and for which no transaction was
    // sent.
    if (this.#options.transactions !== undefined) this.#reserve();
  }

  /**
   * For a transaction of an earlier run, or one that was reorganised away, only the request is
   * known.
   */
  #follow(jobId: string, victim: Hex, perp: Hex, job: TransactionJob | undefined): void {
    const known = this.#options.ledger.findByJob(jobId)?.intended?.requestPaper ?? 0n;
    const requestPaper =
      known !== 0n || job === undefined ? known : (decodeRequestPaper(job.data) ?? 0n);
    this.#inFlight.set(jobId, {
      jobId,
      victim,
      perp,
      requestPaper,
      reservedQuote: 0n,
      minedBlock: undefined,
    });
    this.#reserve();
  }

  /**
   * Reports every takeover that is planned or sent, and neither acquired nor ended. It is always
   * the full list, so a repeat after a crash has the same effect.
   */
  #reserve(): void {
    const { venue, unwind } = this.#options;
    const underWay = [...this.#inFlight.values()].flatMap(
      ({ jobId, perp, requestPaper, minedBlock }): PlannedTakeover[] => {
        const marketId = venue.marketIdFor(perp);
        return marketId === undefined || minedBlock !== undefined
          ? []
          : [{ jobId, marketId, paper: requestPaper }];
      },
    );
    const isSame =
      underWay.length === this.#reserved?.length &&
      underWay.every((one, at) => isSamePlan(one, this.#reserved?.[at]));
    if (isSame) return;
    this.#reserved = underWay;
    unwind.reserve(underWay);
  }

  /** All takeovers without a final outcome. */
  get inFlight(): readonly TakeoverInFlight[] {
    return [...this.#inFlight.values()];
  }

  /** Returns true if a takeover of the account is in flight, or its outcome is not recorded yet. */
  isBusy(victim: Hex): boolean {
    for (const held of this.#inFlight.values()) if (held.victim === victim) return true;
    for (const ended of this.#ending) if (ended.victim === victim) return true;
    return false;
  }

  /** Returns true if the position is left alone for now. */
  isCoolingDown(victim: Hex, perp: Hex): boolean {
    return this.#cooldowns.isCoolingDown(victim, perp);
  }

  /**
   * Sends a plan, or logs what a dry run would send.
   * @param tipWei the starting tip. @param creditPerEth credit units of one ether.
   */
  execute(
    plan: TakeoverPlan,
    opportunity: Opportunity,
    tipWei: bigint,
    creditPerEth: CreditUnits,
  ): void {
    const { settings, transactions, ledger, clock, random } = this.#options;
    if (transactions === undefined && opportunity.isRehearsed === true) return;
    const { victim, perp, requestPaper, expectCredit, maxCostWei } = plan;
    const jobId = random.uint64().toString(16).padStart(16, "0");
    const intended = {
      jobId,
      requestPaper,
      expectCredit,
      expectedProfitQuote: plan.expected.profitQuote,
      worstProfitQuote: plan.worstProfitQuote,
      maxCostWei,
      unwindWay: plan.unwindWay,
    };
    ledger.update(
      opportunity.id,
      {
        intended,
        assessed: toAssessed(plan),
        creditPerEth,
        tipWei,
        shortOfQuote: undefined,
        reason: undefined,
        isWaiting: undefined,
        skippedFor: undefined,
      },
      "planned",
    );
    const call = liquidateCall({
      perp,
      liquidator: settings.account,
      victim,
      requestPaper,
      expectCredit,
    });
    if (transactions === undefined) {
      this.#cooldowns.start(victim, perp);
      this.#run(simulateTakeover(this.#options, opportunity.id, call));
      return;
    }
    const deadlineMs = clock.nowMs() + settings.deadlineMs;
    this.#inFlight.set(jobId, {
      jobId,
      victim,
      perp,
      requestPaper,
      reservedQuote: plan.reservedQuote,
      minedBlock: undefined,
    });
    this.#reserve();
    try {
      transactions.submit({
        id: jobId,
        lane: liquidationLane(victim, perp),
        ...call,
        gasLimit: "estimate",
        maxCostWei: larger(maxCostWei - settings.l1FeeWei, 1n),
        deadlineMs,
        tipWei,
      });
    } catch (error) {
      this.#letGo(jobId);
      if (!(error instanceof JobRejectedError)) throw error;
      this.#cooldowns.start(victim, perp);
      ledger.revise(opportunity.id, { reason: `not sent: ${error.message}` });
      this.#options.log(
        error.reason === "fault" ? "error" : "warn",
        "the transaction manager refused a takeover",
        { victim, why: error.message },
      );
    }
  }

  /**
   * Finds out why an account with an open opportunity is safe now, or no longer holds the position,
   * and which account acted.
   * @param atBlock the block of that observation.
   */
  resolve({ id }: Opportunity, atBlock: number): void {
    const { ledger } = this.#options;
    const opportunity = ledger.get(id);
    if (opportunity === undefined || opportunity.outcome !== "open" || this.#resolving.has(id))
      return;
    if (opportunity.intended !== undefined && this.#isUnderWay(opportunity.intended.jobId)) return;
    this.#resolving.add(id);
    this.#run(
      this.#outcomes.closeOpportunity(opportunity, atBlock, {}).finally(() => {
        this.#resolving.delete(id);
      }),
    );
  }

  /**
   * Cancels what can still be cancelled, waits for outcomes, and stops. @returns the takeovers left
   * to the next run.
   */
  async close(waitMs: Ms): Promise<readonly TakeoverInFlight[]> {
    const { transactions, clock } = this.#options;
    for (const jobId of this.#inFlight.keys()) transactions?.cancel(jobId);
    const untilMs = clock.monotonicMs() + waitMs;
    while (this.#inFlight.size > 0 && clock.monotonicMs() < untilMs)
      await new Promise<void>((resolve) => {
        clock.setTimer(CLOSE_LOOK_MS, resolve);
      });
    await transactions?.close();
    this.#unlisten?.();
    await Promise.all(this.#work);
    return this.inFlight;
  }

  #onLaneEvent(event: TransactionEvent): void {
    const { ledger, log } = this.#options;
    switch (event.kind) {
      case "foreign-nonces":
        return log(
          "error",
          "another program uses the key: the chain has transactions that the bot did not send",
          {
            from: event.from,
            to: event.to,
          },
        );
      case "gap-filled":
        return log("warn", "filled an unused nonce", { nonce: event.attempt.nonce });
      case "trouble":
        return log("warn", "the chain could not be read", { why: event.text });
      case "fault":
        return log("error", "takeovers cannot be stored: the liquidator sends nothing more", {
          why: event.text,
        });
      default:
    }
    const opportunity = ledger.findByJob(event.jobId);
    switch (event.kind) {
      case "simulated":
        if (opportunity !== undefined) ledger.update(opportunity.id, {}, "simulated");
        return;
      case "sent":
      case "replaced":
        if (opportunity !== undefined)
          ledger.update(
            opportunity.id,
            { tipWei: event.attempt.tipWei, attempts: (opportunity.attempts ?? 0) + 1 },
            "sent",
          );
        return;
      case "not-taken":
        return log(
          event.why === "insufficient-funds" ? "error" : "warn",
          "no RPC took a transaction",
          {
            why: event.why,
            text: event.text,
          },
        );
      case "mined":
        return this.#handover.onMined(event.jobId, event.receipt);
      case "unmined":
        return this.#handover.onUnmined(event.jobId);
      case "undone":
        return this.#undone(event.jobId, event.lane, event.outcome);
      case "final":
        return this.#run(this.#final(event.jobId, event.outcome));
      default:
    }
  }

  /** Returns true if a job has no outcome yet, or one that is not recorded. */
  #isUnderWay(jobId: string): boolean {
    if (this.#inFlight.has(jobId)) return true;
    for (const ended of this.#ending) if (ended.jobId === jobId) return true;
    return false;
  }

  #inBlock(jobId: string, minedBlock: number | undefined): void {
    const held = this.#inFlight.get(jobId);
    if (held === undefined) return;
    this.#inFlight.set(jobId, { ...held, minedBlock });
    this.#reserve();
  }

  /** Ends a takeover: its reserved room is free, or its position is held. */
  #letGo(jobId: string): void {
    this.#inFlight.delete(jobId);
    this.#reserve();
  }

  /**
   * Handles a reorg deeper than the confirmations. The reported outcome is void, and the acquired
   * position is not ours.
   */
  #undone(jobId: string, lane: LaneId, outcome: JobOutcome): void {
    const { ledger, unwind, log } = this.#options;
    const { victim, perp } = parseLiquidationLane(lane);
    log(
      "error",
      "a reorg deeper than chain.confirmations reverted a final takeover: the bot follows it again",
      {
        victim,
        perp,
        was: outcome.kind,
        ...("receipt" in outcome
          ? { hash: outcome.receipt.hash, blockNumber: outcome.receipt.blockNumber }
          : {}),
      },
    );
    const opportunity = ledger.findByJob(jobId);
    this.#follow(
      jobId,
      victim,
      perp,
      this.#options.transactions?.jobs().find((report) => report.jobId === jobId)?.job,
    );
    if (opportunity !== undefined) ledger.reopen(opportunity.id);
    if (opportunity?.inheritedId !== undefined) this.#handover.onUnmined(jobId);
    // The ledger keeps only the newest in memory, but the handed-over takeover still has an id.
    else if (opportunity === undefined && outcome.kind === "mined")
      unwind.revert(takeoverIdFor(outcome.receipt));
  }

  async #final(jobId: string, outcome: JobOutcome): Promise<void> {
    const { ledger } = this.#options;
    if (outcome.kind === "mined") this.#handover.onMined(jobId, outcome.receipt);
    const opportunity = ledger.findByJob(jobId);
    this.#letGo(jobId);
    if (opportunity === undefined) return;
    if (outcome.kind !== "mined") {
      // A killed run handed it over, but its block is no longer part of the chain.
      if (opportunity.inheritedId !== undefined) this.#handover.onUnmined(jobId);
      this.#cooldowns.start(opportunity.victim, opportunity.perp);
    }
    // No new plan may be written into this opportunity until its outcome is recorded: the outcome,
    // and with it the acquired position, would count for both.
    const ending = { jobId, victim: opportunity.victim };
    this.#ending.add(ending);
    try {
      const gas = "receipt" in outcome ? await this.#outcomes.gasCostFor(outcome.receipt) : {};
      // A reorg came while the ether price was requested: another outcome follows.
      if (!this.#inFlight.has(jobId)) await this.#outcomes.recordOutcome(opportunity, outcome, gas);
    } finally {
      this.#ending.delete(ending);
    }
  }

  #run(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => {
        this.#options.clock.setTimer(0, () => {
          throw error;
        });
      })
      .finally(() => this.#work.delete(done));
    this.#work.add(done);
  }
}

const CLOSE_LOOK_MS = 50;

function isSamePlan(one: PlannedTakeover, other: PlannedTakeover | undefined): boolean {
  return one.jobId === other?.jobId && one.paper === other.paper && one.marketId === other.marketId;
}
