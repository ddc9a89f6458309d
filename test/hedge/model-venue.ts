import { Subject } from "rxjs";
import type { Clock } from "#core/runtime.js";
import { type Lots, type Ms, type Side, sideSign, type Ticks } from "#core/units.js";
import type {
  HedgeAction,
  HedgeContract,
  HedgeEvent,
  HedgeFill,
  HedgeFunding,
  HedgeOrderReport,
  HedgeOutcome,
  HedgePlace,
  HedgeUnits,
  HedgeVenue,
} from "#hedge/hedge-venue.js";
import { CONTRACT, lotsValue, SYMBOL } from "./hedge-records.js";

/** The fate of one request. */
export interface RequestFate {
  /** Time to the venue, and back. */
  readonly thereMs?: Ms;
  readonly backMs?: Ms;
  /** A lost request or answer is an unknown outcome after {@link TIMEOUT_MS}. */
  readonly lost?: "request" | "answer";
  /** The venue answers this and does nothing. */
  readonly refusal?: HedgeOutcome;
  /** A proxy sends the request twice: the answer is that to the second copy. */
  readonly isTwice?: boolean;
}

/** The fate of one message of the stream. */
export interface StreamFate {
  readonly delayMs?: Ms;
  readonly isLost?: boolean;
  readonly isTwice?: boolean;
}

export const TIMEOUT_MS: Ms = 2_000;
export const WINDOW_MS: Ms = 2_000;

interface ModelOrder {
  readonly key: string;
  readonly side: Side;
  readonly lots: Lots;
  readonly ticks: Ticks;
  filledLots: Lots;
  isOpen: boolean;
}

/**
 * A small matching venue with one account: it fills what takes at its touch, and keeps what rests.
 * Requests and messages have the fates that a test gives them.
 */
export class ModelVenue implements HedgeVenue {
  readonly contracts: ReadonlyMap<string, HedgeContract>;
  readonly acceptanceWindowMs = WINDOW_MS;
  readonly events$ = new Subject<HedgeEvent>();
  /** Everything that was submitted, and the orders that were accepted. */
  readonly submitted: HedgeAction[] = [];
  readonly orders = new Map<string, ModelOrder>();
  readonly fills: HedgeFill[] = [];
  readonly payments: HedgeFunding[] = [];
  bidTicks: Ticks = 600_000;
  askTicks: Ticks = 600_010;
  /** The most that one taking order fills. */
  depthLots: Lots = Number.POSITIVE_INFINITY;
  positionLots: Lots = 0;
  equity: HedgeUnits = 1_000_000n * 10n ** 8n;
  /** Another client has traded on the account. */
  isShared = false;
  /** The venue no longer knows orders that have ended. */
  forgetsEnded = false;
  /** Fate of a request that no {@link next} is for. */
  requestFate: (action: HedgeAction) => RequestFate = () => ({});
  streamFate: (event: HedgeEvent) => StreamFate = () => ({});
  readonly #clock: Clock;
  readonly #next: { readonly kind: HedgeAction["kind"]; readonly fate: RequestFate }[] = [];
  #isUp = false;
  /** Keys of orders whose request will be accepted when it arrives. */
  readonly #underWay = new Set<string>();
  /** Answers and messages to an earlier process are dropped. */
  #connection = 0;

  constructor(clock: Clock, contract: HedgeContract = CONTRACT) {
    this.#clock = clock;
    this.contracts = new Map([[contract.symbol, contract]]);
  }

  start(): void {
    this.#connection += 1;
    this.streamIsUp();
  }

  close(): void {
    this.#connection += 1;
    this.#isUp = false;
  }

  /** Gives the next request of a kind a fate. */
  next(kind: HedgeAction["kind"], fate: RequestFate): void {
    this.#next.push({ kind, fate });
  }

  /** Keys of orders that are open, or that will be. */
  get mayStillFill(): readonly string[] {
    const open = [...this.orders.values()].filter(({ isOpen }) => isOpen);
    return [...open.map(({ key }) => key), ...this.#underWay];
  }

  /** Requests of a kind so far. */
  sentOf<Kind extends HedgeAction["kind"]>(kind: Kind) {
    return this.submitted.filter((one): one is HedgeAction & { kind: Kind } => one.kind === kind);
  }

  streamIsUp(): void {
    this.#isUp = true;
    this.#after(1, () => {
      this.events$.next({ type: "stream", state: "up", reason: "subscribed" });
      this.#sendTouch();
    });
  }

  streamIsLost(): void {
    this.#isUp = false;
    this.events$.next({ type: "stream", state: "down", reason: "the line was cut" });
  }

  /** The market moves. */
  quotes(bidTicks: Ticks, askTicks: Ticks): void {
    this.bidTicks = bidTicks;
    this.askTicks = askTicks;
    this.#sendTouch();
  }

  /** Somebody takes what the account has resting. */
  resting(lots: Lots): void {
    for (const order of this.orders.values()) {
      const filled = Math.min(lots, order.isOpen ? order.lots - order.filledLots : 0);
      if (filled > 0) this.#fill(order, filled, order.ticks);
    }
  }

  /** The venue itself ends what rests. */
  expiresResting(): void {
    for (const order of this.orders.values()) if (order.isOpen) this.#end(order);
  }

  /** Another client trades on the account; the venue lists the fill unless it is hidden. */
  otherTrades(side: Side, lots: Lots, isListed = true): void {
    this.isShared = true;
    this.positionLots += sideSign(side) * lots;
    if (isListed) this.#report(this.#newFill(undefined, side, lots, this.bidTicks));
  }

  /** The settlement of a fill fails: it is taken back. */
  takesBack(fill: HedgeFill): void {
    const reversal = { ...fill, isReversed: true };
    this.fills[this.fills.findIndex(({ id }) => id === fill.id)] = reversal;
    this.positionLots -= sideSign(fill.side) * fill.lots;
    this.#emit({ type: "fill", fill: reversal });
  }

  submit(action: HedgeAction): void {
    this.submitted.push(action);
    const sentAtMs = this.#clock.monotonicMs();
    const {
      thereMs = 20,
      backMs = 20,
      lost,
      refusal,
      isTwice = false,
    } = this.#takeFate(action.kind) ?? this.requestFate(action);
    const answer = (delayMs: Ms, outcome: HedgeOutcome): void =>
      this.#after(delayMs, () =>
        this.events$.next({ type: "answer", actionId: action.actionId, outcome }),
      );
    const unknown = { result: "unknown", message: "no answer" } as const;
    if (refusal !== undefined) return answer(thereMs + backMs, refusal);
    const isLate = thereMs + backMs > TIMEOUT_MS;
    if (lost !== undefined || isLate) answer(TIMEOUT_MS, unknown);
    if (lost === "request") return;
    if (action.kind === "place" && thereMs <= WINDOW_MS) this.#underWay.add(action.key);
    this.#clock.setTimer(thereMs, () => {
      if (action.kind === "place") this.#underWay.delete(action.key);
      let outcome: HedgeOutcome =
        this.#clock.monotonicMs() - sentAtMs > WINDOW_MS
          ? { result: "rejected", code: "-1021", message: "outside of the window" }
          : this.#process(action);
      if (isTwice) outcome = this.#process(action);
      if (lost === undefined && !isLate) answer(backMs, outcome);
    });
  }

  #takeFate(kind: HedgeAction["kind"]): RequestFate | undefined {
    const index = this.#next.findIndex((one) => one.kind === kind);
    return index < 0 ? undefined : this.#next.splice(index, 1)[0]?.fate;
  }

  #process(action: HedgeAction): HedgeOutcome {
    switch (action.kind) {
      case "place":
        return this.#place(action);
      case "cancel": {
        const order = this.orders.get(action.key);
        if (order?.isOpen !== true) return { result: "absent", message: "unknown order" };
        this.#end(order);
        return { result: "order", order: report(order) };
      }
      case "order": {
        const order = this.orders.get(action.key);
        if (order === undefined || (!order.isOpen && this.forgetsEnded))
          return { result: "absent", message: "unknown order" };
        return { result: "order", order: report(order) };
      }
      case "open-orders":
        return {
          result: "open-orders",
          orders: [...this.orders.values()].filter(({ isOpen }) => isOpen).map(report),
        };
      case "fills":
        return {
          result: "fills",
          fills: this.fills.filter(({ timeMs }) => timeMs >= action.sinceMs),
          isWhole: true,
        };
      case "funding":
        return {
          result: "funding",
          payments: this.payments.filter(({ timeMs }) => timeMs >= action.sinceMs),
        };
      case "account":
        return {
          result: "account",
          account: {
            positionLots: { [SYMBOL]: this.positionLots },
            availableMargin: this.equity,
            initialMarginFraction: {},
            equity: this.equity,
          },
        };
    }
  }

  #place({ key, side, lots, ticks, timeInForce, isReduceOnly }: HedgePlace): HedgeOutcome {
    if (this.orders.has(key)) return { result: "unknown", message: "duplicate client id" };
    const reducible = -sideSign(side) * this.positionLots;
    if (isReduceOnly && reducible < lots)
      return { result: "rejected", code: "-2022", message: "reduce-only order is rejected" };
    const order: ModelOrder = { key, side, lots, ticks, filledLots: 0, isOpen: true };
    this.orders.set(key, order);
    const touch = side === "BUY" ? this.askTicks : this.bidTicks;
    const crosses = sideSign(side) * (ticks - touch) >= 0;
    if (timeInForce === "POST_ONLY") {
      if (crosses) this.#end(order);
      else this.#emit({ type: "order", order: report(order) });
    } else {
      const filled = crosses ? Math.min(lots, this.depthLots) : 0;
      // In two parts, as from two orders of the book.
      const first = Math.ceil(filled / 2);
      if (first > 0) this.#fill(order, first, touch);
      if (filled > first) this.#fill(order, filled - first, touch);
      if (order.isOpen) this.#end(order);
    }
    return { result: "order", order: report(order) };
  }

  #fill(order: ModelOrder, lots: Lots, ticks: Ticks): void {
    order.filledLots += lots;
    order.isOpen = order.filledLots < order.lots;
    this.positionLots += sideSign(order.side) * lots;
    this.#emit({ type: "order", order: report(order) });
    this.#report(this.#newFill(order.key, order.side, lots, ticks));
  }

  #newFill(key: string | undefined, side: Side, lots: Lots, ticks: Ticks): HedgeFill {
    return {
      id: `${this.fills.length + 1}`,
      symbol: SYMBOL,
      key,
      side,
      lots,
      quote: lotsValue(ticks, lots),
      fee: 0n,
      feeAsset: "USDT",
      isMaker: false,
      timeMs: this.#clock.nowMs(),
      isReversed: false,
    };
  }

  #report(fill: HedgeFill): void {
    this.fills.push(fill);
    this.#emit({ type: "fill", fill });
  }

  #end(order: ModelOrder): void {
    order.isOpen = false;
    this.#emit({ type: "order", order: report(order) });
  }

  #sendTouch(): void {
    const { bidTicks, askTicks } = this;
    const lots = { bidLots: 100, askLots: 100 };
    this.#emit({ type: "touch", symbol: SYMBOL, bidTicks, askTicks, ...lots }, {});
  }

  #emit(event: HedgeEvent, fate: StreamFate = this.streamFate(event)): void {
    if (!this.#isUp || fate.isLost === true) return;
    const { delayMs = 5, isTwice = false } = fate;
    const deliver = (): void => {
      if (this.#isUp) this.events$.next(event);
    };
    this.#after(delayMs, deliver);
    if (isTwice) this.#after(delayMs + 40, deliver);
  }

  #after(delayMs: Ms, run: () => void): void {
    const connection = this.#connection;
    this.#clock.setTimer(delayMs, () => {
      if (connection === this.#connection) run();
    });
  }
}

function report({ key, side, lots, filledLots, isOpen }: ModelOrder): HedgeOrderReport {
  const status = isOpen ? "open" : "closed";
  return { key, symbol: SYMBOL, side, lots, filledLots, isOpen, status };
}
