import type { Clock } from "../core/runtime/runtime.js";
import type { Lots, Ms, Side } from "../core/units.js";
import { HedgeLedger, type HedgeProfit } from "./hedge-ledger.js";
import { type HedgeOrder, type HedgeOrderEvent, matchedHedgeLots } from "./hedge-order.js";
import type { HedgeOrderKey } from "./hedge-order-key.js";
import { HedgeOrders } from "./hedge-orders.js";
import { type HedgeRecord, HedgeRecorder } from "./hedge-record.js";
import type {
  HedgeAccountReport,
  HedgeContract,
  HedgeFill,
  HedgeFunding,
  HedgeOrderReport,
  HedgeOutcome,
  HedgePlace,
  HedgeUnits,
} from "./hedge-venue.js";
import { type StoredHedge, serialiseHedge } from "./stored-hedge.js";

/** Rounds that find the same position without an explanation, after which it counts. */
const ROUNDS_UNTIL_ADOPTED = 3;
/** More than a venue's clock and ours are apart. */
export const CLOCKS_APART_MS: Ms = 1_000;

/** A change of what is known of the account, for log, metrics and screen. */
export type HedgeAccountChange =
  | { readonly kind: "order"; readonly order: HedgeOrder; readonly why: string }
  | { readonly kind: "fill"; readonly fill: HedgeFill }
  | { readonly kind: "position-adopted"; readonly fromLots: Lots; readonly toLots: Lots }
  | { readonly kind: "warning"; readonly message: string };

/** Dependencies of a {@link HedgeAccount}. */
export interface HedgeAccountDeps {
  /** Name of the venue in the config. */
  readonly venue: string;
  readonly contract: HedgeContract;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
  /** 16 bits in the keys of the bot's orders. */
  readonly tag: number;
  readonly stored: StoredHedge | undefined;
  /** Writes the state so that it survives the end of the process. */
  readonly persist: (text: string) => void;
  /**
   * Appends a change to the record so that it survives the end of the process. Called before the
   * state that has it is written: a crash in between repeats it.
   */
  readonly record: (record: HedgeRecord) => void;
  readonly notify: (change: HedgeAccountChange) => void;
  /** Something is in doubt: the venue has to be asked soon. */
  readonly requestRound: () => void;
  /** An order has ended. `isInVain`: the venue ended it at once, without a fill. */
  readonly onOrderEnded: (isInVain: boolean) => void;
}

/**
 * The bot's account at a hedge venue in one contract, as far as the venue has reported it: orders,
 * fills, position and profit. It compares the position that the venue reports with that of the
 * fills, and takes over a difference that nothing explains.
 */
export class HedgeAccount {
  readonly #deps: HedgeAccountDeps;
  readonly #ledger: HedgeLedger;
  readonly #orders: HedgeOrders;
  readonly #recorder: HedgeRecorder;
  #hasOpening: boolean;
  #isConfirmed = false;
  /** The mid of the newest touch, which may be of an earlier run. */
  #lastMidTicks: number | undefined;
  #report: HedgeAccountReport | undefined;
  #residual: HedgeUnits | undefined;
  /** Counts what changes the position; a round during which it stays compares the same instant. */
  #changes = 0;
  #changesAtFills = -1;
  #fillsAskedAtMs: Ms = Number.NEGATIVE_INFINITY;
  #fillsSinceMs: Ms | undefined;
  #unexplained: { readonly lots: Lots; readonly rounds: number } | undefined;
  #isDirty = true;

  constructor(deps: HedgeAccountDeps) {
    const { contract, stored, clock, tag, venue, record } = deps;
    this.#deps = deps;
    this.#ledger = new HedgeLedger(contract, stored, clock.nowMs() - CLOCKS_APART_MS);
    this.#orders = new HedgeOrders(tag, stored?.orders ?? [], clock.monotonicMs());
    this.#recorder = new HedgeRecorder(venue, contract, record);
    this.#hasOpening = stored !== undefined;
    this.#lastMidTicks = stored?.midTicks;
  }

  /** False until the first position at the venue was read. */
  get hasBegun(): boolean {
    return this.#hasOpening;
  }

  /** True while the position that the venue reported is that of the fills. */
  get isConfirmed(): boolean {
    return this.#isConfirmed;
  }

  /** Signed position at the venue, with what its orders report as filled. */
  get positionLots(): Lots {
    return this.#ledger.positionLots + this.#orders.unreadLots;
  }

  /** The order that may still fill; undefined without one. */
  get working(): HedgeOrder | undefined {
    return this.#orders.working;
  }

  /** Orders that may still fill: one, unless an earlier run left others. */
  get unresolved(): readonly HedgeOrder[] {
    return this.#orders.unresolved;
  }

  /** Lots that orders may still fill on a side. */
  mayFill(side: Side): Lots {
    return this.#orders.mayFill(side);
  }

  /** The account as the venue last reported it. */
  get report(): HedgeAccountReport | undefined {
    return this.#report;
  }

  /**
   * The part of the account's equity that the hedge does not explain; undefined before a report.
   */
  get residual(): HedgeUnits | undefined {
    return this.#residual;
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

  /** Notes the mid of the newest touch. */
  noteMid(midTicks: number): void {
    this.#lastMidTicks = midTicks;
  }

  /** The stream was lost: what it would have brought is missing. */
  distrust(): void {
    this.#isConfirmed = false;
  }

  /** The order that has to be asked for by its key; undefined if none has to. */
  dueOrder(nowMs: Ms): HedgeOrder | undefined {
    return this.#orders.due(nowMs);
  }

  /** From when on fills have to be asked for now. The next account report is compared with them. */
  beginFills(nowMs: Ms): Ms {
    this.#changesAtFills = this.#changes;
    this.#fillsAskedAtMs = nowMs;
    return this.#fillsSinceMs ?? this.#ledger.fillsSinceMs;
  }

  /** From when on funding payments have to be asked for. */
  get fundingSinceMs(): Ms {
    return this.#ledger.fundingSinceMs;
  }

  /** An order is about to be sent: it is stored, so that it is found again whenever we end. */
  place(place: HedgePlace): void {
    this.#orders.place(place, this.#nowMs);
    this.#noteChange();
    this.persist();
  }

  /** Applies an event to an order of ours. */
  advance(key: HedgeOrderKey, event: HedgeOrderEvent, why: string): void {
    const before = this.#orders.get(key);
    const order = this.#orders.apply(key, event, this.#nowMs);
    if (order !== undefined) this.#onOrderChange(before, order, why);
  }

  /** Applies an event that neither moves the position nor is worth a notice. */
  note(key: HedgeOrderKey, event: HedgeOrderEvent): void {
    this.#orders.apply(key, event, this.#nowMs);
  }

  /** Applies the venue's report of an order. */
  onReport(report: HedgeOrderReport, why: string): void {
    const before = this.#orders.get(report.key);
    const changed = this.#orders.report(report, this.#nowMs);
    if (typeof changed === "string")
      return this.#deps.notify({ kind: "warning", message: `order ${report.key}: ${changed}` });
    if (changed === undefined) return;
    this.#onOrderChange(before, changed, why);
  }

  /** Counts a fill once. */
  onFill(fill: HedgeFill): void {
    const effect = this.#ledger.count(fill);
    if (effect === "repeated") return;
    if (effect !== "void") this.#recorder.fill(fill);
    this.#noteChange();
    if (fill.key !== undefined && effect !== "reversed") {
      const before = this.#orders.get(fill.key);
      const order = this.#orders.countFill(fill, this.#nowMs);
      if (order !== undefined) this.#onOrderChange(before, order, "filled");
    }
    this.#deps.notify({ kind: "fill", fill });
  }

  /** Counts the fills of an answer. */
  onFillsRead({ fills, isWhole }: Extract<HedgeOutcome, { result: "fills" }>): void {
    for (const fill of fills) {
      if (this.#hasOpening) this.onFill(fill);
      else if (this.#ledger.noteEarlier(fill)) this.#orders.countFill(fill, this.#nowMs);
    }
    this.#fillsSinceMs = isWhole ? undefined : fills.at(-1)?.timeMs;
    if (isWhole) this.#ledger.noteAllRead();
  }

  /** Counts the payments of an answer. */
  onFundingRead(payments: readonly HedgeFunding[]): void {
    for (const payment of payments) {
      if (!this.#ledger.countFunding(payment)) continue;
      this.#recorder.funding(payment);
      this.#isDirty = true;
    }
  }

  /**
   * Compares the account's position with that of the fills.
   * @param midTicks of the present touch; undefined without one
   */
  onAccountRead(report: HedgeAccountReport, midTicks: number | undefined): void {
    this.#report = report;
    this.#compare(report, midTicks);
    // The equity there and the profit here are of one instant only when the account is read.
    if (midTicks !== undefined) this.#residual = this.#ledger.residual(report.equity, midTicks);
  }

  /** Forgets orders that ended long ago and whose fills were all read. */
  forget(): void {
    this.#orders.forget(this.#nowMs);
  }

  /** Stores what has changed since the last time. */
  persist(): void {
    if (!this.#hasOpening || !this.#isDirty) return;
    this.#isDirty = false;
    const { venue, contract, persist } = this.#deps;
    const midTicks = this.#lastMidTicks;
    const held = {
      ...this.#ledger.store(),
      ...(midTicks === undefined ? {} : { midTicks }),
      orders: this.#orders.store(),
    };
    persist(serialiseHedge({ version: 1, venue, symbol: contract.symbol, ...held }));
  }

  get #nowMs(): Ms {
    return this.#deps.clock.monotonicMs();
  }

  #onOrderChange(before: HedgeOrder | undefined, order: HedgeOrder, why: string): void {
    this.#noteChange();
    if (order.phase === "ended" && before?.phase !== "ended")
      this.#deps.onOrderEnded(order.cancelSentAtMs === undefined && matchedHedgeLots(order) === 0);
    if (matchedHedgeLots(order) > order.countedLots) this.#deps.requestRound();
    if (before?.phase !== order.phase) this.#deps.notify({ kind: "order", order, why });
  }

  #compare(report: HedgeAccountReport, midTicks: number | undefined): void {
    const { contract, requestRound } = this.#deps;
    // Something happened since the fills were asked for: this position may have it or not.
    if (this.#changes !== this.#changesAtFills || midTicks === undefined) return requestRound();
    const reportedLots = report.positionLots[contract.symbol] ?? 0;
    // A fill that these fills did not have yet may be in it: the next round compares.
    if (!this.#hasOpening) return this.#adopt(reportedLots, midTicks);
    const differenceLots = reportedLots - this.positionLots;
    if (differenceLots === 0) {
      this.#unexplained = undefined;
      this.#isConfirmed = true;
      this.#isDirty ||= this.#ledger.noteEquity(report.equity, midTicks);
      this.#resolveAbsent();
      return;
    }
    const isSame = this.#unexplained?.lots === differenceLots;
    const rounds = isSame ? (this.#unexplained?.rounds ?? 0) + 1 : 1;
    this.#unexplained = { lots: differenceLots, rounds };
    // A fill may be on its way: only one that the next round does not bring either is missing.
    if (rounds > 1) this.#isConfirmed = false;
    requestRound();
    const areOthersOver = this.unresolved.every(({ absentAtMs }) => absentAtMs !== undefined);
    if (rounds < ROUNDS_UNTIL_ADOPTED || !areOthersOver) return;
    this.#adopt(reportedLots, midTicks);
    this.#unexplained = undefined;
  }

  #adopt(toLots: Lots, midTicks: number): void {
    const fromLots = this.positionLots;
    const nowMs = this.#deps.clock.nowMs();
    if (!this.#hasOpening) this.#recorder.began(nowMs);
    const cash = this.#ledger.adjust(toLots - fromLots, midTicks);
    if (toLots !== fromLots) this.#recorder.adopted(nowMs, toLots - fromLots, cash);
    if (this.#hasOpening || toLots !== 0)
      this.#deps.notify({ kind: "position-adopted", fromLots, toLots });
    this.#hasOpening = true;
    this.#noteChange();
    this.#deps.requestRound();
  }

  /** Orders that neither their key, nor the fills, nor the position has shown are lost. */
  #resolveAbsent(): void {
    for (const { key } of this.#orders.absentSince(this.#fillsAskedAtMs))
      this.advance(key, { kind: "lost" }, "the venue does not have it");
  }

  /** Something has changed that the position, or the next run, depends on. */
  #noteChange(): void {
    this.#changes += 1;
    this.#isDirty = true;
  }
}
