import type { Clock } from "../core/runtime/runtime.js";
import type { Lots, Ms, Side } from "../core/units.js";
import { decideHedge, type HedgeSettings, smallestHedge } from "./decide-hedge.js";
import { HedgeLedger, type HedgeProfit } from "./hedge-ledger.js";
import { type HedgeOrder, matchedHedgeLots } from "./hedge-order.js";
import type { HedgeOrderKey } from "./hedge-order-key.js";
import { HedgeOrders } from "./hedge-orders.js";
import { HedgeReconciliation } from "./hedge-reconciliation.js";
import type {
  HedgeAccountReport,
  HedgeAction,
  HedgeContract,
  HedgeEvent,
  HedgeFill,
  HedgeOutcome,
  HedgeTouchReport,
  HedgeUnits,
} from "./hedge-venue.js";
import { type StoredHedge, serialiseHedge } from "./stored-hedge.js";

/** Pauses after a hedge that brought nothing: the first, doubled each time, and the longest. */
const FIRST_PAUSE_MS: Ms = 100;
const LONGEST_PAUSE_MS: Ms = 5_000;
/** Rounds that find the same position without an explanation, after which it counts. */
const ROUNDS_UNTIL_ADOPTED = 3;
/** More than a venue's clock and ours are apart. */
const CLOCKS_APART_MS: Ms = 1_000;

/** An event of a hedge, for log, metrics and screen. */
export type HedgeNotice =
  | { readonly kind: "order"; readonly order: HedgeOrder; readonly why: string }
  | { readonly kind: "fill"; readonly fill: HedgeFill }
  | { readonly kind: "away"; readonly isAway: boolean; readonly why: string }
  | { readonly kind: "position-adopted"; readonly fromLots: Lots; readonly toLots: Lots }
  | { readonly kind: "warning"; readonly message: string };

/** Dependencies of a {@link MarketHedger}. */
export interface MarketHedgerDeps {
  /** Name of the venue in the config. */
  readonly venue: string;
  readonly contract: HedgeContract;
  readonly settings: HedgeSettings;
  readonly reconcileMs: Ms;
  readonly acceptanceWindowMs: Ms;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
  /** 16 bits in the keys of the bot's orders. */
  readonly tag: number;
  readonly createKey: () => HedgeOrderKey;
  readonly nextActionId: () => number;
  readonly submit: (action: HedgeAction) => void;
  readonly stored: StoredHedge | undefined;
  /** Writes the state so that it survives the end of the process. */
  readonly persist: (text: string) => void;
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
 * (docs/reference/hedge.md).
 */
export class MarketHedger {
  readonly contract: HedgeContract;
  readonly #deps: MarketHedgerDeps;
  readonly #ledger: HedgeLedger;
  readonly #orders: HedgeOrders;
  readonly #rounds: HedgeReconciliation;
  /** Actions without an answer yet, by id. */
  readonly #sent = new Map<number, HedgeAction>();
  #hasOpening: boolean;
  #isStreaming = false;
  #downReason = "its streams are not open yet";
  #isConfirmed = false;
  #touch: HedgeTouchReport | undefined;
  /** The mid of the newest touch, which may be of an earlier run. */
  #lastMidTicks: number | undefined;
  #account: HedgeAccountReport | undefined;
  #residual: HedgeUnits | undefined;
  #targetLots: Lots | undefined;
  #unhedgedSinceMs: Ms | undefined;
  #overBoundSinceMs: Ms | undefined;
  #failures = 0;
  #pauseUntilMs: Ms = Number.NEGATIVE_INFINITY;
  /** Counts what changes the position; a round during which it stays compares the same instant. */
  #changes = 0;
  #changesAtFills = -1;
  #fillsAskedAtMs: Ms = Number.NEGATIVE_INFINITY;
  #fillsSinceMs: Ms | undefined;
  #unexplained: { readonly lots: Lots; readonly rounds: number } | undefined;
  #isDirty = true;
  #wasAway = true;
  #state = "starting";

  constructor(deps: MarketHedgerDeps) {
    const { contract, stored, clock, tag, reconcileMs } = deps;
    this.#deps = deps;
    this.contract = contract;
    this.#ledger = new HedgeLedger(contract, stored, clock.nowMs() - CLOCKS_APART_MS);
    this.#orders = new HedgeOrders(tag, stored?.orders ?? [], clock.monotonicMs());
    this.#rounds = new HedgeReconciliation(reconcileMs);
    this.#hasOpening = stored !== undefined;
    this.#lastMidTicks = stored?.midTicks;
  }

  /** Signed position at the venue, with what its orders report as filled. */
  get positionLots(): Lots {
    return this.#ledger.positionLots + this.#orders.unreadLots;
  }

  /** Lots that orders there may still fill on a side. */
  mayFill(side: Side): Lots {
    return this.#orders.mayFill(side);
  }

  /** Orders there that may still fill. */
  get ordersLeft(): readonly HedgeOrder[] {
    return this.#orders.unresolved;
  }

  /** Signed lots that are to be traded there; undefined while either position is not known. */
  get neededLots(): Lots | undefined {
    if (this.#targetLots === undefined || !this.#hasOpening) return undefined;
    return this.#targetLots - this.positionLots;
  }

  /** Why nothing can be hedged now; undefined if it can. */
  get awayReason(): string | undefined {
    if (!this.#isStreaming) return this.#downReason;
    if (!this.#isConfirmed) return "its position and orders are not confirmed yet";
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

  /** The account as the venue last reported it. */
  get account(): HedgeAccountReport | undefined {
    return this.#account;
  }

  /** False until the first position at the venue was read. */
  get hasBegun(): boolean {
    return this.#hasOpening;
  }

  /** The profit at the newest mid, which may be of an earlier run; undefined before the first. */
  get profit(): HedgeProfit | undefined {
    const midTicks = this.#lastMidTicks;
    return midTicks === undefined || !this.#hasOpening ? undefined : this.profitAt(midTicks);
  }

  /** The profit with the position at a mid, in ticks of the venue that may be fractional. */
  profitAt(midTicks: number): HedgeProfit {
    return this.#ledger.profit(midTicks);
  }

  /**
   * The part of the account's equity that the hedge does not explain; undefined before a report.
   */
  get residual(): HedgeUnits | undefined {
    return this.#residual;
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
      case "order":
        if (event.order.symbol === symbol) this.#onReport(event.order, "reported");
        return;
      case "fill":
        if (event.fill.symbol === symbol) this.#onFill(event.fill);
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
    this.#persist();
  }

  #onStream(state: "up" | "down", reason: string): void {
    this.#isStreaming = state === "up";
    this.#downReason = `its streams are down: ${reason}`;
    this.#isConfirmed = false;
    this.#touch = undefined;
    this.#rounds.restart();
  }

  #onTouch(touch: HedgeTouchReport): void {
    this.#touch = touch;
    this.#lastMidTicks = (touch.bidTicks + touch.askTicks) / 2;
  }

  #onReport(report: Parameters<HedgeOrders["report"]>[0], why: string): void {
    const before = this.#orders.get(report.key);
    const changed = this.#orders.report(report, this.#deps.clock.monotonicMs());
    if (typeof changed === "string")
      return this.#deps.notify({ kind: "warning", message: `order ${report.key}: ${changed}` });
    if (changed === undefined) return;
    this.#onOrderChange(before, changed, why);
  }

  #onOrderChange(before: HedgeOrder | undefined, order: HedgeOrder, why: string): void {
    this.#noteChange();
    if (order.phase === "ended" && before?.phase !== "ended") {
      // The venue ended it at once: the next one may end likewise.
      const isInVain = order.cancelSentAtMs === undefined && matchedHedgeLots(order) === 0;
      if (isInVain) this.#pause();
      else this.#failures = 0;
    }
    if (matchedHedgeLots(order) > order.countedLots) this.#rounds.request();
    if (before?.phase !== order.phase) this.#deps.notify({ kind: "order", order, why });
  }

  #onFill(fill: HedgeFill): void {
    const effect = this.#ledger.count(fill);
    if (effect === "repeated") return;
    this.#noteChange();
    if (fill.key !== undefined && effect !== "reversed") {
      const before = this.#orders.get(fill.key);
      const order = this.#orders.countFill(fill, this.#deps.clock.monotonicMs());
      if (order !== undefined) this.#onOrderChange(before, order, "filled");
    }
    this.#deps.notify({ kind: "fill", fill });
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
    const before = this.#orders.get(key);
    const nowMs = this.#deps.clock.monotonicMs();
    if (outcome.result === "order") {
      this.#onReport(outcome.order, "answered");
      // A report that contradicts the order proves nothing of it.
      if (isPlace) this.#orders.apply(key, { kind: "unknown" }, nowMs);
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
    const order = this.#orders.apply(key, event, nowMs);
    if (order === undefined) return;
    this.#onOrderChange(before, order, message);
  }

  #onOrderQueried(key: HedgeOrderKey, outcome: HedgeOutcome): void {
    const { clock, acceptanceWindowMs } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (outcome.result === "order") {
      this.#onReport(outcome.order, "found by its key");
      const before = this.#orders.get(key);
      // Its cancel did not arrive: it is cancelled again if it is still not needed.
      const order = this.#orders.apply(key, { kind: "cancel-rejected" }, nowMs);
      if (order !== undefined) this.#onOrderChange(before, order, "is still open after its cancel");
      return;
    }
    if (outcome.result !== "absent") return this.#onQuestionFailed(outcome);
    this.#orders.apply(
      key,
      {
        kind: "absent",
        askedAtMs: this.#rounds.askedAtMs,
        acceptanceWindowMs: acceptanceWindowMs + CLOCKS_APART_MS,
      },
      nowMs,
    );
    this.#rounds.request();
  }

  #onRoundAnswer(outcome: HedgeOutcome): void {
    const nowMs = this.#deps.clock.monotonicMs();
    switch (outcome.result) {
      case "open-orders":
        for (const order of outcome.orders) this.#onReport(order, "is open");
        break;
      case "fills":
        this.#onFillsRead(outcome);
        if (!outcome.isWhole) return;
        break;
      case "funding":
        for (const payment of outcome.payments)
          if (this.#ledger.countFunding(payment)) this.#isDirty = true;
        break;
      case "account":
        this.#account = outcome.account;
        this.#onAccountRead(outcome.account);
        this.#noteResidual(outcome.account);
        break;
      default:
        return this.#onQuestionFailed(outcome);
    }
    if (this.#rounds.advance()) this.#orders.forget(nowMs);
  }

  #onQuestionFailed(outcome: HedgeOutcome): void {
    const retryAfterMs = "retryAfterMs" in outcome ? outcome.retryAfterMs : undefined;
    this.#rounds.failed(this.#deps.clock.monotonicMs(), retryAfterMs);
  }

  #onFillsRead({ fills, isWhole }: Extract<HedgeOutcome, { result: "fills" }>): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const fill of fills) {
      if (this.#hasOpening) this.#onFill(fill);
      else if (this.#ledger.noteEarlier(fill)) this.#orders.countFill(fill, nowMs);
    }
    this.#fillsSinceMs = isWhole ? undefined : fills.at(-1)?.timeMs;
    if (isWhole) this.#ledger.noteAllRead();
  }

  /** A round ends: the venue's position against that of the fills. */
  #onAccountRead(account: HedgeAccountReport): void {
    const { symbol } = this.contract;
    const { midTicks } = this;
    // Something happened since the fills were asked for: this position may have it or not.
    if (this.#changes !== this.#changesAtFills || midTicks === undefined) {
      this.#rounds.request();
      return;
    }
    const reportedLots = account.positionLots[symbol] ?? 0;
    // A fill that these fills did not have yet may be in it: the next round compares.
    if (!this.#hasOpening) return this.#adopt(reportedLots, midTicks);
    const differenceLots = reportedLots - this.positionLots;
    if (differenceLots === 0) {
      this.#unexplained = undefined;
      this.#isConfirmed = true;
      this.#isDirty ||= this.#ledger.noteEquity(account.equity, midTicks);
      this.#resolveAbsent();
      return;
    }
    const isSame = this.#unexplained?.lots === differenceLots;
    const rounds = isSame ? (this.#unexplained?.rounds ?? 0) + 1 : 1;
    this.#unexplained = { lots: differenceLots, rounds };
    // A fill may be on its way: only one that the next round does not bring either is missing.
    if (rounds > 1) this.#isConfirmed = false;
    this.#rounds.request();
    const areOthersOver = this.#orders.unresolved.every(
      ({ absentAtMs }) => absentAtMs !== undefined,
    );
    if (rounds < ROUNDS_UNTIL_ADOPTED || !areOthersOver) return;
    this.#adopt(reportedLots, midTicks);
    this.#unexplained = undefined;
  }

  /** The equity there and the profit here are of one instant only when the account is read. */
  #noteResidual({ equity }: HedgeAccountReport): void {
    const { midTicks } = this;
    if (midTicks !== undefined) this.#residual = this.#ledger.residual(equity, midTicks);
  }

  #adopt(toLots: Lots, midTicks: number): void {
    const fromLots = this.positionLots;
    this.#ledger.adjust(toLots - fromLots, midTicks);
    if (this.#hasOpening || toLots !== 0)
      this.#deps.notify({ kind: "position-adopted", fromLots, toLots });
    this.#hasOpening = true;
    this.#noteChange();
    this.#rounds.request();
  }

  /** Orders that neither their key, nor the fills, nor the position has shown are lost. */
  #resolveAbsent(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const before of this.#orders.absentSince(this.#fillsAskedAtMs)) {
      const order = this.#orders.apply(before.key, { kind: "lost" }, nowMs);
      if (order !== undefined) this.#onOrderChange(before, order, "the venue does not have it");
    }
  }

  #ask(nowMs: Ms): void {
    const { nextActionId } = this.#deps;
    const { symbol } = this.contract;
    const rounds = this.#rounds;
    const order = rounds.mayAskOrder(nowMs) ? this.#orders.due(nowMs) : undefined;
    if (order !== undefined)
      return this.#question({ kind: "order", actionId: nextActionId(), symbol, key: order.key });
    const kind = rounds.due(nowMs);
    if (kind === undefined) return;
    const base = { actionId: nextActionId(), symbol };
    if (kind === "fills") {
      this.#changesAtFills = this.#changes;
      this.#fillsAskedAtMs = nowMs;
      const sinceMs = this.#fillsSinceMs ?? this.#ledger.fillsSinceMs;
      return this.#question({ kind, ...base, sinceMs });
    }
    if (kind === "funding")
      return this.#question({ kind, ...base, sinceMs: this.#ledger.fundingSinceMs });
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
      working: this.#orders.working,
      mayRest,
    });
    this.#state = step.step === "place" ? "hedges" : step.why;
    if (step.step === "nothing" || nowMs < this.#pauseUntilMs) return;
    if (step.step === "cancel") return this.#cancel(step.order, step.why, nowMs);
    const { side, lots, ticks, timeInForce, isReduceOnly } = step;
    const key = createKey();
    const order = { key, side, lots, ticks, timeInForce, isReduceOnly };
    const place = { kind: "place", actionId: nextActionId(), symbol, ...order } as const;
    this.#orders.place(place, nowMs);
    this.#noteChange();
    // An order that was sent must be found again, whenever the process ends.
    this.#persist();
    this.#send(place);
  }

  /** While nothing can be hedged, no order rests at a price that nothing corrects. */
  #withdraw(nowMs: Ms): void {
    if (nowMs < this.#pauseUntilMs) return;
    for (const order of this.#orders.unresolved)
      if (order.phase === "open" && order.timeInForce !== "IOC")
        this.#cancel(order, this.awayReason ?? "", nowMs);
  }

  #cancel(before: HedgeOrder, why: string, nowMs: Ms): void {
    const { key } = before;
    const order = this.#orders.apply(key, { kind: "cancel-sent", atMs: nowMs }, nowMs);
    if (order !== undefined) this.#onOrderChange(before, order, why);
    this.#persist();
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

  /** Something has changed that the position, or the next run, depends on. */
  #noteChange(): void {
    this.#changes += 1;
    this.#isDirty = true;
  }

  #pause(retryAfterMs: Ms = 0): void {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#pauseUntilMs = this.#deps.clock.monotonicMs() + Math.max(pauseMs, retryAfterMs);
  }

  #persist(): void {
    if (!this.#hasOpening || !this.#isDirty) return;
    this.#isDirty = false;
    const { venue, persist } = this.#deps;
    const { symbol } = this.contract;
    const midTicks = this.#lastMidTicks;
    const held = {
      ...this.#ledger.store(),
      ...(midTicks === undefined ? {} : { midTicks }),
      orders: this.#orders.store(),
    };
    persist(serialiseHedge({ version: 1, venue, symbol, ...held }));
  }
}
