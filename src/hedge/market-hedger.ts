import type { Lots, Ms, Side } from "../core/units.js";
import { decideHedge, type HedgeSettings, smallestHedge } from "./decide-hedge.js";
import {
  CLOCKS_APART_MS,
  HedgeAccount,
  type HedgeAccountChange,
  type HedgeAccountDeps,
} from "./hedge-account.js";
import type { HedgeProfit } from "./hedge-ledger.js";
import type { HedgeOrder } from "./hedge-order.js";
import type { HedgeOrderKey } from "./hedge-order-key.js";
import { HedgeReconciliation } from "./hedge-reconciliation.js";
import type {
  HedgeAccountReport,
  HedgeAction,
  HedgeContract,
  HedgeEvent,
  HedgeFundingRate,
  HedgeOutcome,
  HedgeTouchReport,
  HedgeUnits,
} from "./hedge-venue.js";

/** Pauses after a hedge that brought nothing: the first, doubled each time, and the longest. */
const FIRST_PAUSE_MS: Ms = 100;
const LONGEST_PAUSE_MS: Ms = 5_000;
/** An event of a hedge, for log, metrics and screen. */
export type HedgeNotice =
  | HedgeAccountChange
  | { readonly kind: "away"; readonly isAway: boolean; readonly why: string };

/** Dependencies of a {@link MarketHedger}. */
export interface MarketHedgerDeps
  extends Omit<HedgeAccountDeps, "notify" | "requestRound" | "onOrderEnded"> {
  readonly settings: HedgeSettings;
  readonly reconcileMs: Ms;
  readonly acceptanceWindowMs: Ms;
  readonly createKey: () => HedgeOrderKey;
  readonly nextActionId: () => number;
  readonly submit: (action: HedgeAction) => void;
  readonly notify: (notice: HedgeNotice) => void;
}

/** The demand of the bot at one instant. */
export interface HedgeDemand {
  /** Signed position at the venue that hedges the market; undefined while it is not known. */
  readonly targetLots: Lots | undefined;
  /** False while the bot stops: nothing is left resting. */
  readonly mayRest: boolean;
}

/**
 * The hedge of one market. It follows the market's position with one order at a time, finds its
 * orders again after a restart, and asks the venue about everything that is in doubt
 * (docs/reference/hedge.md). What the venue has reported is in its {@link HedgeAccount}.
 */
export class MarketHedger {
  readonly contract: HedgeContract;
  readonly #deps: MarketHedgerDeps;
  readonly #account: HedgeAccount;
  readonly #rounds: HedgeReconciliation;
  /** Actions without an answer yet, by id. */
  readonly #sent = new Map<number, HedgeAction>();
  #isStreaming = false;
  #downReason = "its streams are not open yet";
  #touch: HedgeTouchReport | undefined;
  #fundingRate: HedgeFundingRate | undefined;
  #targetLots: Lots | undefined;
  #unhedgedSinceMs: Ms | undefined;
  #overBoundSinceMs: Ms | undefined;
  #failures = 0;
  #pauseUntilMs: Ms = Number.NEGATIVE_INFINITY;
  #wasAway = true;
  #state = "starting";

  constructor(deps: MarketHedgerDeps) {
    const { contract, reconcileMs } = deps;
    this.#deps = deps;
    this.contract = contract;
    const rounds = new HedgeReconciliation(reconcileMs);
    this.#rounds = rounds;
    this.#account = new HedgeAccount({
      ...deps,
      requestRound: () => rounds.request(),
      onOrderEnded: (isInVain) => this.#onOrderEnded(isInVain),
    });
  }

  /** Signed position at the venue, with what its orders report as filled. */
  get positionLots(): Lots {
    return this.#account.positionLots;
  }

  /** Lots that orders there may still fill on a side. */
  mayFill(side: Side): Lots {
    return this.#account.mayFill(side);
  }

  /** Orders there that may still fill. */
  get ordersLeft(): readonly HedgeOrder[] {
    return this.#account.unresolved;
  }

  /** Signed lots that are to be traded there; undefined while either position is not known. */
  get neededLots(): Lots | undefined {
    if (this.#targetLots === undefined || !this.hasBegun) return undefined;
    return this.#targetLots - this.positionLots;
  }

  /** Why nothing can be hedged now; undefined if it can. */
  get awayReason(): string | undefined {
    if (!this.#isStreaming) return this.#downReason;
    if (!this.#account.isConfirmed) return "its position and orders are not confirmed yet";
    return this.#touch === undefined ? "it has no touch yet" : undefined;
  }

  /** How long more than the bound has been unhedged; undefined if it is not. */
  get overBoundForMs(): Ms | undefined {
    if (this.#overBoundSinceMs === undefined) return undefined;
    return this.#deps.clock.monotonicMs() - this.#overBoundSinceMs;
  }

  /** The present step, or why nothing can be hedged, as a phrase. */
  get state(): string {
    return this.awayReason ?? this.#state;
  }

  /** Mid of the venue's book in its ticks; undefined before the first touch. */
  get midTicks(): number | undefined {
    return this.#touch === undefined
      ? undefined
      : (this.#touch.bidTicks + this.#touch.askTicks) / 2;
  }

  /** Best bid and ask of the venue with their sizes; undefined before the first. */
  get touch(): HedgeTouchReport | undefined {
    return this.#touch;
  }

  /** The next funding as the venue last announced it; undefined before the first. */
  get fundingRate(): HedgeFundingRate | undefined {
    return this.#fundingRate;
  }

  /** The account as the venue last reported it. */
  get account(): HedgeAccountReport | undefined {
    return this.#account.report;
  }

  /** False until the first position at the venue was read. */
  get hasBegun(): boolean {
    return this.#account.hasBegun;
  }

  /** The profit at the newest mid, which may be of an earlier run; undefined before the first. */
  get profit(): HedgeProfit | undefined {
    return this.#account.profit;
  }

  /** The profit with the position at a mid, in ticks of the venue that may be fractional. */
  profitAt(midTicks: number): HedgeProfit {
    return this.#account.profitAt(midTicks);
  }

  /**
   * The part of the account's equity that the hedge does not explain; undefined before a report.
   */
  get residual(): HedgeUnits | undefined {
    return this.#account.residual;
  }

  /** The most that may be unhedged for long: never less than the smallest order. */
  get boundLots(): Lots {
    return Math.max(this.#deps.settings.maxUnhedgedLots, this.smallestLots);
  }

  /** The smallest order that adds to the position. */
  get smallestLots(): Lots {
    const { contract, settings } = this.#deps;
    const touch = this.#touch;
    return touch === undefined
      ? contract.minLots
      : smallestHedge({ contract, settings, touch }, false);
  }

  /** Applies an event of the venue. */
  onEvent(event: HedgeEvent): void {
    const { symbol } = this.contract;
    switch (event.type) {
      case "stream":
        return this.#onStream(event.state, event.reason);
      case "touch":
        if (event.symbol === symbol) this.#onTouch(event);
        return;
      case "funding-rate":
        if (event.symbol === symbol) this.#fundingRate = event;
        return;
      case "order":
        if (event.order.symbol === symbol) this.#account.onReport(event.order, "reported");
        return;
      case "fill":
        if (event.fill.symbol === symbol) this.#account.onFill(event.fill);
        return;
      case "account-changed":
        return this.#rounds.request();
      case "malformed":
        // A round reads its content.
        return this.#rounds.request();
      case "answer":
        return this.#onAnswer(event.actionId, event.outcome);
    }
  }

  /** Takes the demand of this instant, and sends what it needs. Runs at the end of every turn. */
  settle({ targetLots, mayRest }: HedgeDemand): void {
    this.#targetLots = targetLots;
    const nowMs = this.#deps.clock.monotonicMs();
    this.#noteExposure(nowMs);
    this.#noteAway();
    if (this.#isStreaming) this.#ask(nowMs);
    if (this.awayReason === undefined) this.#trade(nowMs, mayRest);
    else this.#withdraw(nowMs);
    this.#account.persist();
  }

  #onStream(state: "up" | "down", reason: string): void {
    this.#isStreaming = state === "up";
    this.#downReason = `its streams are down: ${reason}`;
    this.#account.distrust();
    this.#touch = undefined;
    this.#rounds.restart();
  }

  #onTouch(touch: HedgeTouchReport): void {
    this.#touch = touch;
    this.#account.noteMid((touch.bidTicks + touch.askTicks) / 2);
  }

  #onOrderEnded(isInVain: boolean): void {
    // The venue ended it at once: the next one may end likewise.
    if (isInVain) this.#pause();
    else this.#failures = 0;
  }

  #onAnswer(actionId: number, outcome: HedgeOutcome): void {
    const sent = this.#sent.get(actionId);
    if (sent === undefined) return;
    this.#sent.delete(actionId);
    if (sent.kind === "place" || sent.kind === "cancel") return this.#onOrderAnswer(sent, outcome);
    // The answer to a question of before the stream was lost says nothing about now.
    if (!this.#rounds.take(actionId)) return;
    if (sent.kind === "order") return this.#onOrderQueried(sent.key, outcome);
    this.#onRoundAnswer(outcome);
  }

  #onOrderAnswer(
    sent: Extract<HedgeAction, { kind: "place" | "cancel" }>,
    outcome: HedgeOutcome,
  ): void {
    const { key, kind } = sent;
    const isPlace = kind === "place";
    if (outcome.result === "order") {
      this.#account.onReport(outcome.order, "answered");
      // A report that contradicts the order proves nothing of it.
      if (isPlace) this.#account.note(key, { kind: "unknown" });
      return;
    }
    const isRefused = outcome.result === "rejected" || outcome.result === "not-sent";
    const message = "message" in outcome ? outcome.message : outcome.result;
    if (isRefused) this.#pause("retryAfterMs" in outcome ? outcome.retryAfterMs : undefined);
    if (!isPlace && !isRefused) {
      // That a cancel finds no order proves nothing: the order is asked for by its key.
      return;
    }
    const event = isPlace
      ? ({ kind: isRefused ? "rejected" : "unknown" } as const)
      : ({ kind: "cancel-rejected" } as const);
    this.#account.advance(key, event, message);
  }

  #onOrderQueried(key: HedgeOrderKey, outcome: HedgeOutcome): void {
    if (outcome.result === "order") {
      this.#account.onReport(outcome.order, "found by its key");
      // Its cancel did not arrive: it is cancelled again if it is still not needed.
      const why = "is still open after its cancel";
      return this.#account.advance(key, { kind: "cancel-rejected" }, why);
    }
    if (outcome.result !== "absent") return this.#onQuestionFailed(outcome);
    this.#account.note(key, {
      kind: "absent",
      askedAtMs: this.#rounds.askedAtMs,
      acceptanceWindowMs: this.#deps.acceptanceWindowMs + CLOCKS_APART_MS,
    });
    this.#rounds.request();
  }

  #onRoundAnswer(outcome: HedgeOutcome): void {
    const account = this.#account;
    switch (outcome.result) {
      case "open-orders":
        for (const order of outcome.orders) account.onReport(order, "is open");
        break;
      case "fills":
        account.onFillsRead(outcome);
        if (!outcome.isWhole) return;
        break;
      case "funding":
        account.onFundingRead(outcome.payments);
        break;
      case "account":
        account.onAccountRead(outcome.account, this.midTicks);
        break;
      default:
        return this.#onQuestionFailed(outcome);
    }
    if (this.#rounds.advance()) account.forget();
  }

  #onQuestionFailed(outcome: HedgeOutcome): void {
    const retryAfterMs = "retryAfterMs" in outcome ? outcome.retryAfterMs : undefined;
    this.#rounds.failed(this.#deps.clock.monotonicMs(), retryAfterMs);
  }

  #ask(nowMs: Ms): void {
    const { nextActionId } = this.#deps;
    const { symbol } = this.contract;
    const rounds = this.#rounds;
    const order = rounds.mayAskOrder(nowMs) ? this.#account.dueOrder(nowMs) : undefined;
    if (order !== undefined)
      return this.#question({ kind: "order", actionId: nextActionId(), symbol, key: order.key });
    const kind = rounds.due(nowMs);
    if (kind === undefined) return;
    const base = { actionId: nextActionId(), symbol };
    if (kind === "fills")
      return this.#question({ kind, ...base, sinceMs: this.#account.beginFills(nowMs) });
    if (kind === "funding")
      return this.#question({ kind, ...base, sinceMs: this.#account.fundingSinceMs });
    this.#question({ kind, ...base });
  }

  #question(
    action: Extract<
      HedgeAction,
      { kind: "order" | "open-orders" | "fills" | "funding" | "account" }
    >,
  ): void {
    this.#rounds.asked(action, this.#deps.clock.monotonicMs());
    this.#send(action);
  }

  #trade(nowMs: Ms, mayRest: boolean): void {
    const { contract, settings, createKey, nextActionId } = this.#deps;
    const { symbol } = contract;
    const targetLots = this.#targetLots;
    const touch = this.#touch;
    if (targetLots === undefined || touch === undefined) {
      this.#state = "waits for the market's position";
      return;
    }
    const step = decideHedge({
      contract,
      settings,
      touch,
      positionLots: this.positionLots,
      targetLots,
      unhedgedForMs: this.#unhedgedSinceMs === undefined ? 0 : nowMs - this.#unhedgedSinceMs,
      working: this.#account.working,
      mayRest,
    });
    this.#state = step.step === "place" ? "hedges" : step.why;
    if (step.step === "nothing" || nowMs < this.#pauseUntilMs) return;
    if (step.step === "cancel") return this.#cancel(step.order, step.why, nowMs);
    const { side, lots, ticks, timeInForce, isReduceOnly } = step;
    const key = createKey();
    const order = { key, side, lots, ticks, timeInForce, isReduceOnly };
    const place = { kind: "place", actionId: nextActionId(), symbol, ...order } as const;
    this.#account.place(place);
    this.#send(place);
  }

  /** While nothing can be hedged, no order rests at a price that nothing corrects. */
  #withdraw(nowMs: Ms): void {
    if (nowMs < this.#pauseUntilMs) return;
    for (const order of this.#account.unresolved)
      if (order.phase === "open" && order.timeInForce !== "IOC")
        this.#cancel(order, this.awayReason ?? "", nowMs);
  }

  #cancel({ key }: HedgeOrder, why: string, nowMs: Ms): void {
    this.#account.advance(key, { kind: "cancel-sent", atMs: nowMs }, why);
    this.#account.persist();
    const { symbol } = this.contract;
    this.#send({ kind: "cancel", actionId: this.#deps.nextActionId(), symbol, key });
  }

  #send(action: HedgeAction): void {
    this.#sent.set(action.actionId, action);
    this.#deps.submit(action);
  }

  #noteExposure(nowMs: Ms): void {
    const { neededLots } = this;
    if (neededLots === undefined) return;
    const isUnhedged = Math.abs(neededLots) >= this.#deps.contract.minLots;
    this.#unhedgedSinceMs = isUnhedged ? (this.#unhedgedSinceMs ?? nowMs) : undefined;
    const isOver = Math.abs(neededLots) > this.boundLots;
    this.#overBoundSinceMs = isOver ? (this.#overBoundSinceMs ?? nowMs) : undefined;
  }

  #noteAway(): void {
    const why = this.awayReason;
    const isAway = why !== undefined;
    if (isAway === this.#wasAway) return;
    this.#wasAway = isAway;
    this.#deps.notify({ kind: "away", isAway, why: why ?? "" });
  }

  #pause(retryAfterMs: Ms = 0): void {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#pauseUntilMs = this.#deps.clock.monotonicMs() + Math.max(pauseMs, retryAfterMs);
  }
}
