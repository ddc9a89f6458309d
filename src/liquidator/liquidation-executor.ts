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
import type { Hex, Ms, PaperUnits } from "../core/units.js";
import type { Opportunity } from "./ledger/opportunity.js";
import type { TakeoverPlan } from "./plan/takeover-plan.js";
import { PositionCooldowns } from "./position-cooldowns.js";
import { takeoverIdFor } from "./receipt-takeover.js";
import { simulateTakeover } from "./simulate-takeover.js";
import type { TakeoverDeps } from "./takeover-deps.js";
import { TakeoverHandover } from "./takeover-handover.js";
import { TakeoverOutcomes } from "./takeover-outcomes.js";

/** A takeover that was sent, or is about to be, and has not come to its end. */
export interface TakeoverInFlight {
  readonly jobId: string;
  readonly victim: Hex;
  readonly perp: Hex;
  readonly requestPaper: PaperUnits;
  /** What its sale may lose in the worst case, credit units; not known of one that an earlier run sent. */
  readonly reservedQuote: bigint;
  /** From this block on the chain's own figures have it. */
  readonly minedBlock: number | undefined;
}

/** Carries takeovers out and keeps the ledger of them: from a plan to the position that the bot sells, whatever happens in between. */
export class LiquidationExecutor {
  readonly #options: TakeoverDeps;
  readonly #outcomes: TakeoverOutcomes;
  readonly #handover: TakeoverHandover;
  readonly #inFlight = new Map<string, TakeoverInFlight>();
  readonly #cooldowns: PositionCooldowns;
  readonly #resolving = new Set<string>();
  /** Jobs that have ended and whose end is not written yet: their opportunities are theirs until then. */
  readonly #ending = new Set<Pick<TakeoverInFlight, "jobId" | "victim">>();
  readonly #work = new Set<Promise<void>>();
  readonly #unlisten: (() => void) | undefined;
  /** What was reported last; undefined before anything was. */
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

  /** Takes up what an earlier run left: what it had sent is followed, what was mined meanwhile is handed over to be sold. */
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
      this.#options.log("warn", "an earlier run's takeover is still under way", { victim, perp });
    }
    // What the bot remembers of an earlier run and no transaction was sent for is gone.
    if (this.#options.transactions !== undefined) this.#reserve();
  }

  /** Of what an earlier run sent, or the chain took back, only what was asked for is known. */
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

  /** Tells what is planned or sent, and neither held nor gone: all of it, so that what is reported twice or after a crash comes to the same. */
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

  /** Everything that has not come to its end. */
  get inFlight(): readonly TakeoverInFlight[] {
    return [...this.#inFlight.values()];
  }

  /** Whether something of an account is under way, or has ended and its end is not written yet. */
  isBusy(victim: Hex): boolean {
    for (const held of this.#inFlight.values()) if (held.victim === victim) return true;
    for (const ended of this.#ending) if (ended.victim === victim) return true;
    return false;
  }

  /** Whether a position is left alone for now. */
  isCoolingDown(victim: Hex, perp: Hex): boolean {
    return this.#cooldowns.isCoolingDown(victim, perp);
  }

  /** Sends a plan, or says what would be sent. @param tipWei to begin with. */
  execute(plan: TakeoverPlan, opportunity: Opportunity, tipWei: bigint): void {
    const { settings, transactions: lanes, ledger, clock, random } = this.#options;
    if (lanes === undefined && opportunity.isRehearsed === true) return;
    const { victim, perp, requestPaper, expectCredit, maxCostWei } = plan;
    const jobId = random.uint64().toString(16).padStart(16, "0");
    const intended = {
      jobId,
      requestPaper,
      expectCredit,
      expectedProfitQuote: plan.expected.profitQuote,
      worstProfitQuote: plan.worstProfitQuote,
      maxCostWei,
    };
    ledger.update(
      opportunity.id,
      { intended, tipWei, shortOfQuote: undefined, reason: undefined, isWaiting: undefined },
      "planned",
    );
    const call = liquidateCall({
      perp,
      liquidator: settings.account,
      victim,
      requestPaper,
      expectCredit,
    });
    if (lanes === undefined) {
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
      lanes.submit({
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
        "a takeover was not taken by the lanes",
        { victim, why: error.message },
      );
    }
  }

  /**
   * An open opportunity's account is safe, or holds nothing there any more: who did that, if anybody.
   * @param atBlock the block of which that is known.
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

  /** Cancels what can still be cancelled, waits for the ends, and lets go. @returns what is left to the next run. */
  async close(waitMs: Ms): Promise<readonly TakeoverInFlight[]> {
    const { transactions: lanes, clock } = this.#options;
    for (const jobId of this.#inFlight.keys()) lanes?.cancel(jobId);
    const untilMs = clock.monotonicMs() + waitMs;
    while (this.#inFlight.size > 0 && clock.monotonicMs() < untilMs)
      await new Promise<void>((resolve) => {
        clock.setTimer(CLOSE_LOOK_MS, resolve);
      });
    await lanes?.close();
    this.#unlisten?.();
    await Promise.all(this.#work);
    return this.inFlight;
  }

  #onLaneEvent(event: TransactionEvent): void {
    const { ledger, log } = this.#options;
    switch (event.kind) {
      case "foreign-nonces":
        return log("error", "the key is in use elsewhere: transactions that are none of ours", {
          from: event.from,
          to: event.to,
        });
      case "gap-filled":
        return log("warn", "a nonce that nobody used was filled", { nonce: event.attempt.nonce });
      case "trouble":
        return log("warn", "the chain could not be asked", { why: event.text });
      case "fault":
        return log("error", "takeovers cannot be stored: nothing is sent any more", {
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

  /** Whether a job has an end to come, or to be written. */
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

  /** It has come to its end: the room that it took is free, or its position is held. */
  #letGo(jobId: string): void {
    this.#inFlight.delete(jobId);
    this.#reserve();
  }

  /** The chain has replaced more blocks than were waited for: what was told as the end is none, and what was inherited is not ours. */
  #undone(jobId: string, lane: LaneId, outcome: JobOutcome): void {
    const { ledger, unwind, log } = this.#options;
    const { victim, perp } = parseLiquidationLane(lane);
    log(
      "error",
      "a reorganisation deeper than chain.confirmations took back what was final: it is followed again",
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
    // The ledger keeps the newest at hand only; what was handed over has a name all the same.
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
      // Of a run that was killed: what it had handed over was in a block that is no part of the chain any more.
      if (opportunity.inheritedId !== undefined) this.#handover.onUnmined(jobId);
      this.#cooldowns.start(opportunity.victim, opportunity.perp);
    }
    // A plan that is made into the opportunity before its end is written would share it, and with it what was taken over.
    const ending = { jobId, victim: opportunity.victim };
    this.#ending.add(ending);
    try {
      const gas = "receipt" in outcome ? await this.#outcomes.gasCostFor(outcome.receipt) : {};
      // Undone while the price of ether was asked for: another end comes.
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
