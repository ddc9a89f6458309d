import { type BlockHeader, parseBlockHeader } from "../chain/blocks/block-header.js";
import { BlockWatcher } from "../chain/blocks/block-watcher.js";
import type { LensReader } from "../chain/contracts/lens-reader.js";
import { ChainError } from "../chain/rpc/rpc-errors.js";
import { smaller } from "../core/bigints.js";
import type { Hex, MarketId, Ms } from "../core/units.js";
import { buildPlanInput, type PlanMoment } from "./build-plan-input.js";
import { AssessmentLog } from "./ledger/assessment-log.js";
import type { Opportunity } from "./ledger/opportunity.js";
import { LiquidationExecutor, type TakeoverInFlight } from "./liquidation-executor.js";
import { allocateTakeovers } from "./plan/allocate-takeovers.js";
import { toWei } from "./plan/gas-cost.js";
import type { GasPrices, PlanInput, Victim } from "./plan/plan-input.js";
import { planTakeover } from "./plan/plan-takeover.js";
import { suggestTip } from "./plan/suggest-tip.js";
import type { TakeoverPlan } from "./plan/takeover-plan.js";
import type { TakeoverDeps } from "./takeover-deps.js";
import { AccountPollSchedule } from "./watch/account-poll-schedule.js";
import type { Candidate, Confirmation, ConfirmedAccount } from "./watch/candidate.js";
import { Confirmer } from "./watch/confirmer.js";
import { HolderScan } from "./watch/holder-scan.js";
import { rankCandidates } from "./watch/rank-candidates.js";
import { RiskyAccountPoller } from "./watch/risky-account-poller.js";
import { findVictims } from "./watch/victims.js";

/** Parts that a liquidator needs. */
export interface LiquidatorDeps extends TakeoverDeps {
  readonly lens: LensReader;
}

/** State of a liquidator, for a screen and a status. */
export interface LiquidatorView {
  /** Reason why takeovers are paused; undefined while they may proceed. */
  readonly paused: string | undefined;
  readonly blockNumber: number | undefined;
  /** Number of accounts that are tracked. */
  readonly watched: number;
  /**
   * Block of the last check that could act on its findings and on the exchange's list; undefined
   * before the first.
   */
  readonly decidedBlock: number | undefined;
  /** Nearest to liquidation first, each as of its last check. */
  readonly nearest: readonly Candidate[];
  readonly inFlight: readonly TakeoverInFlight[];
}

/** Most accounts that one check reads. */
const MAX_ACCOUNTS_PER_POLL = 1000;
const SHOWN = 8;
/** Number of nearest accounts to keep, as of their last check. */
const REMEMBERED = 64;

/**
 * Finds accounts in danger, confirms them on the chain, executes profitable takeovers, and hands
 * the positions to the bot to sell. It runs outside the bot's decisions: only acquired positions
 * and its requests to the exchange reach them.
 */
export class Liquidator {
  readonly #options: LiquidatorDeps;
  readonly #executor: LiquidationExecutor;
  readonly #assessments: AssessmentLog;
  readonly #confirmer: Confirmer;
  readonly #schedule: AccountPollSchedule;
  readonly #scan: HolderScan | undefined;
  readonly #risky: RiskyAccountPoller;
  #watcher: BlockWatcher | undefined;
  /** Monotonic time since when the chain cannot be read; undefined while it can. */
  #blindSinceMs: number | undefined;
  #round: Promise<void> | undefined;
  #isWanted = false;
  #isStopping = false;
  #blockNumber: number | undefined;
  #decidedBlock: number | undefined;
  #marks: ReadonlyMap<Hex, bigint> = new Map();
  #nearest: readonly Candidate[] = [];

  constructor(options: LiquidatorDeps) {
    const { rpc, lens, settings } = options;
    this.#options = options;
    this.#executor = new LiquidationExecutor(options);
    this.#assessments = new AssessmentLog(options.ledger, options.venue, (opportunity, atBlock) =>
      this.#executor.resolve(opportunity, atBlock),
    );
    this.#confirmer = new Confirmer({ rpc, lens });
    this.#schedule = new AccountPollSchedule({ maxAccounts: settings.maxCandidates });
    this.#risky = new RiskyAccountPoller({
      deps: options,
      schedule: this.#schedule,
      blockNumber: () => this.#blockNumber,
      onList: () => this.wake(),
    });
    this.#scan =
      settings.watchFromBlock === undefined
        ? undefined
        : new HolderScan({ rpc, dealer: settings.dealer, fromBlock: settings.watchFromBlock });
  }

  /** Recovers the state of an earlier run, and starts checking. */
  start(): void {
    const { rpc, clock, settings, ledger, log } = this.#options;
    this.#executor.recover();
    for (const { victim } of ledger.open) this.#schedule.markChanged(victim);
    this.#watcher = new BlockWatcher({
      rpc,
      clock,
      pollMs: settings.chainPollMs,
      onStep: ({ head }) => {
        this.#seesAgain(head.number);
        this.wake();
      },
      onPollError: (error) => {
        this.#blindSinceMs ??= clock.monotonicMs();
        log("warn", "the chain could not be read", { why: textOf(error) });
      },
    });
    this.#risky.start();
  }

  /** Checks again soon: now, or after the check in progress. */
  wake(): void {
    this.#isWanted = true;
    if (this.#isStopping || this.#round !== undefined) return;
    this.#round = this.#rounds().finally(() => {
      this.#round = undefined;
      if (this.#isWanted && !this.#isStopping) this.wake();
    });
  }

  /**
   * Starts no more takeovers, cancels what can be cancelled, and waits for the rest. @returns the
   * takeovers left to the next run.
   */
  async stop(waitMs: Ms): Promise<readonly TakeoverInFlight[]> {
    this.#isStopping = true;
    this.#risky.stop();
    await this.#watcher?.close();
    await this.#risky.untilIdle();
    await this.#round;
    return this.#executor.close(waitMs);
  }

  /** Returns the current state. */
  view(): LiquidatorView {
    return {
      paused: this.#isStopping ? "stopping" : this.#options.venue.pause()?.why,
      blockNumber: this.#blockNumber,
      watched: this.#schedule.size,
      decidedBlock: this.#decidedBlock,
      nearest: this.#nearest.slice(0, SHOWN),
      inFlight: this.#executor.inFlight,
    };
  }

  /**
   * The mark price at the newest block that was read, credit units per 1e18 paper; undefined before
   * the first, or if stale.
   */
  markFor(perp: Hex): bigint | undefined {
    return this.#marks.get(perp);
  }

  /**
   * Reads the own account as the chain has it now, and the input of a plan, even if no account is
   * in danger.
   * @throws ChainUnavailable or RpcFailure when the chain cannot be read; the venue's error when
   * ether has no price.
   */
  async survey(): Promise<{
    readonly own: ConfirmedAccount;
    readonly input: PlanInput | undefined;
  }> {
    const { venue, settings } = this.#options;
    const confirmation = await this.#confirmer.confirm([], settings.account);
    const creditPerEth = await venue.creditPerEth();
    const latest = await this.#latest();
    const { inFlight } = this.#executor;
    const moment = {
      confirmation,
      victims: [],
      inFlight,
      creditPerEth,
      latest,
      tipWei: this.#tip(creditPerEth),
    };
    return { own: confirmation.own, input: buildPlanInput(this.#options, moment) };
  }

  async #rounds(): Promise<void> {
    this.#isWanted = false;
    const mayDecide = this.#risky.hasList && this.#options.venue.pause() === undefined;
    try {
      await this.#poll();
      if (mayDecide) this.#decidedBlock = this.#blockNumber;
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      this.#options.log("warn", "candidates could not be confirmed", { why: error.message });
    }
  }

  async #poll(): Promise<void> {
    const { rpc, lens, settings } = this.#options;
    const head = await rpc.head();
    const { list: markets } = await lens.markets(head);
    if (this.#scan !== undefined) {
      const perps = markets.map(({ perp }) => perp);
      for (const account of await this.#scan.step(head.number, perps))
        if (account !== settings.account) this.#schedule.markChanged(account);
    }
    this.#marks = new Map(
      markets.flatMap(({ perp, markPrice }) =>
        markPrice.ok ? [[perp, markPrice.creditPerCoin] as const] : [],
      ),
    );
    this.#schedule.onPrices(new Map(markets.map((market) => [market.perp, market])));
    const due = this.#schedule.due(head.number, MAX_ACCOUNTS_PER_POLL);
    this.#blockNumber = head.number;
    if (due.length === 0 || this.#isStopping) return;
    const confirmation = await this.#confirmer.confirm(due, settings.account, head);
    this.#schedule.onPolled(confirmation);
    const looked = new Set(confirmation.accounts.map(({ account }) => account));
    const others = this.#nearest.filter(({ account }) => !looked.has(account));
    this.#nearest = [...rankCandidates(confirmation), ...others]
      .sort((a, b) => a.nearness.distanceBps - b.nearness.distanceBps || 0)
      .slice(0, REMEMBERED);
    await this.#judge(confirmation);
  }

  async #judge(confirmation: Confirmation): Promise<void> {
    this.#assessments.recordConfirmation(confirmation);
    const { victims, refused } = findVictims(confirmation);
    for (const refusal of refused) this.#assessments.recordNoTakeover(refusal);
    if (victims.length === 0 || this.#isStopping) return;
    const readState = () => ({
      paused: this.#options.venue.pause(),
      free: victims.filter(({ account }) => !this.#executor.isBusy(account)),
      most: this.#options.settings.maxInFlight - this.#executor.inFlight.length,
    });
    const before = readState();
    const mayAct = before.paused === undefined && before.most > 0;
    const prices =
      before.free.length > 0 && (mayAct || this.#assessments.hasUnassessed(before.free))
        ? await this.#gasPrices()
        : undefined;
    if (this.#isStopping) return;
    // No await from here on: a plan reserves its room before another order can take it.
    const { paused, free, most } = readState();
    if (free.length === 0) return;
    if (paused !== undefined) this.#assessments.recordPause(free, paused);
    else if (most <= 0) this.#assessments.recordWaiting(free);
    if (prices === undefined) return;
    const { inFlight } = this.#executor;
    const moment = {
      confirmation,
      victims: free,
      inFlight,
      ...prices,
      tipWei: this.#tip(prices.creditPerEth),
    };
    const input = buildPlanInput(this.#options, moment);
    if (input === undefined) return;
    if (paused !== undefined || most <= 0) {
      for (const victim of free) this.#assessments.recordValue(planTakeover(victim, input));
      return;
    }
    const wanted = this.#withoutCooling(free);
    const { plans, others } = allocateTakeovers(wanted, input, most);
    for (const other of others) this.#assessments.recordNoTakeover(other);
    const decided = new Set([...plans, ...others].map(({ victim }) => victim));
    this.#assessments.recordWaiting(wanted.filter(({ account }) => !decided.has(account)));
    const tipWei = this.#tip(input.gas.creditPerEth);
    for (const plan of plans) this.#act(plan, input.gas, tipWei);
  }

  /** Excludes positions in cooldown after a rejection. Other positions of the account remain. */
  #withoutCooling(victims: readonly Victim[]): Victim[] {
    return victims.filter(({ account, margin }) =>
      [...margin.papers.keys()].some((perp) => !this.#executor.isCoolingDown(account, perp)),
    );
  }

  /**
   * Reads the ether price and the newest block; undefined while the price is not known. @throws
   * ChainUnavailable or RpcFailure
   */
  async #gasPrices(): Promise<Pick<PlanMoment, "creditPerEth" | "latest"> | undefined> {
    const { venue, log } = this.#options;
    let creditPerEth: bigint;
    try {
      creditPerEth = await venue.creditPerEth();
    } catch (error) {
      log("warn", "no takeover is planned: the price of ether is not known", {
        why: textOf(error),
      });
      return undefined;
    }
    return { creditPerEth, latest: await this.#latest() };
  }

  async #latest(): Promise<BlockHeader> {
    return this.#options.rpc.request("eth_getBlockByNumber", ["latest", false], parseBlockHeader);
  }

  /**
   * Starting tip of takeovers: the configured one, or the one that would have won more of the lost
   * races.
   */
  #tip(creditPerEth: bigint): bigint {
    const { settings, ledger } = this.#options;
    const { tipWei = 0n } = suggestTip(ledger.lostRaces(), creditPerEth);
    return tipWei > settings.tipWei ? tipWei : settings.tipWei;
  }

  #act(plan: TakeoverPlan, gas: GasPrices, tipWei: bigint): void {
    const { settings, ledger } = this.#options;
    if (this.#executor.isCoolingDown(plan.victim, plan.perp)) return;
    const opportunity = this.#opened(plan.victim, plan.perp, plan.marketId, plan.blockNumber);
    const { maxGasCredit } = settings;
    const maxCostWei =
      maxGasCredit === undefined
        ? plan.maxCostWei
        : smaller(plan.maxCostWei, toWei(maxGasCredit, gas));
    this.#executor.execute(
      { ...plan, maxCostWei },
      ledger.get(opportunity.id) ?? opportunity,
      tipWei,
      gas.creditPerEth,
    );
  }

  #seesAgain(blockNumber: number): void {
    const { clock, log } = this.#options;
    if (this.#blindSinceMs === undefined) return;
    log("info", "the chain can be read again", {
      afterSeconds: Math.round((clock.monotonicMs() - this.#blindSinceMs) / 1000),
      blockNumber,
    });
    this.#blindSinceMs = undefined;
  }

  #opened(victim: Hex, perp: Hex, marketId: MarketId, confirmedBlock: number): Opportunity {
    const { ledger } = this.#options;
    const opportunity = ledger.recordSeen(victim, perp, marketId);
    if (opportunity.confirmedBlock !== undefined) return opportunity;
    return ledger.update(opportunity.id, { confirmedBlock }, "confirmed") ?? opportunity;
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
