import type { Instrument } from "../core/instrument.js";
import type { Hex, MarketId, Ms } from "../core/units.js";
import type { VenueBalances, VenueIncome, VenuePosition } from "../exchange/records.js";
import type { Action, Outcome, PlaceAction, VenueEvent } from "../exchange/venue.js";
import type { AccountChange, AccountStep, ReconcileCause } from "./account-change.js";
import { type AccountCounts, Tally } from "./account-counter.js";
import type { AccountOptions } from "./account-options.js";
import { AccountReadings } from "./account-readings.js";
import { Intake } from "./account-updater.js";
import { CancelAlls } from "./orders/cancel-all-tracker.js";
import { cancelEvent, placeEvent } from "./orders/outcome-events.js";
import type { OrderToSend, OwnOrders } from "./orders/own-orders.js";
import { isLiquidation } from "./positions/reported-liquidations.js";
import type { Takeover } from "./positions/takeover.js";
import {
  isPlausible,
  type PositionApart,
  positionsApart,
} from "./reconciliation/is-plausible-position.js";
import { liquidatedOnStream } from "./reconciliation/reconcile-liquidations.js";
import { Reconciler } from "./reconciliation/reconciler.js";

const SIGNATURE_WINDOW_MS = 5000;
const RECONCILE_INTERVAL_MS = 30_000;
const STREAM_LAG_MS = 5000;
const REMEMBER_MS = 600_000;
const PRUNE_EVERY_MS = 10_000;

/**
 * The account as the bot knows it: own orders, position, balances, profit, and whether all that is confirmed.
 * Deterministic: no timers, no clock; every input carries `nowMs`, exchange time as the bot estimates it.
 * Every input returns what changed and which questions the bot has to submit.
 */
export class TradingAccount extends AccountReadings {
  readonly orders: OwnOrders;
  readonly #intake: Intake;
  readonly #reconciler: Reconciler;
  readonly #tally = new Tally();
  readonly #cancelAlls: CancelAlls;
  readonly #instruments: ReadonlyMap<MarketId, Instrument>;
  #confirmed = false;
  #streamUp = false;
  #current = false;
  #prunedAtMs: Ms = Number.NEGATIVE_INFINITY;
  #tickedAtMs: Ms = Number.NEGATIVE_INFINITY;

  /** @throws FormatError when the nonce tag is no 16-bit number. */
  constructor(options: AccountOptions) {
    const streamLagMs = options.streamLagMs ?? STREAM_LAG_MS;
    const windowMs = options.signatureWindowMs ?? SIGNATURE_WINDOW_MS;
    const intake = new Intake({
      instruments: options.instruments,
      nonceTag: options.nonceTag,
      rememberMs: options.rememberMs ?? REMEMBER_MS,
      streamLagMs,
      ...(options.builtHashes === undefined ? {} : { builtHashes: options.builtHashes }),
      ...(options.transfersBefore === undefined
        ? {}
        : { transfersBefore: options.transfersBefore }),
    });
    super(intake);
    this.#intake = intake;
    this.orders = intake.orders;
    this.#cancelAlls = new CancelAlls(this.orders, windowMs);
    this.#instruments = options.instruments;
    this.#reconciler = new Reconciler({
      intake,
      markets: [...options.instruments.keys()],
      nextActionId: options.nextActionId,
      signatureWindowMs: windowMs,
      intervalMs: options.reconcileIntervalMs ?? RECONCILE_INTERVAL_MS,
      streamLagMs,
      takesOver: options.takeoversBefore !== undefined,
    });
    intake.takeovers.restore(options.takeoversBefore ?? []);
  }

  /** The start reconciliation is done: base position, open orders and trades are known. Never false again. */
  get confirmed(): boolean {
    return this.#confirmed;
  }

  /** Confirmed, the account stream is up, and a reconciliation was done since it came up. Quotes need this (design, rule 12). */
  get current(): boolean {
    return this.#current;
  }

  /** Takes an order into the table before it may be sent. @throws RunError when its hash or info is already there. */
  intend(order: OrderToSend): void {
    this.orders.intend(order);
  }

  /** An intended order leaves the queue unsent. */
  withdraw(hash: Hex, nowMs: Ms, why: string): AccountStep {
    return this.#step(this.orders.apply(hash, { kind: "withdrawn", atMs: nowMs, text: why }));
  }

  /**
   * Call when an action is handed to the transport, with the timestamp that it is signed with.
   * Only a place, a cancel or a cancel-all changes anything.
   */
  onDispatched(action: Action, nowMs: Ms): AccountStep {
    switch (action.kind) {
      case "place":
        return this.#step(
          this.orders.apply(action.hash, {
            kind: "sent",
            atMs: nowMs,
            requestTimestampMs: action.timestampMs,
          }),
        );
      case "cancel":
        return this.#step(
          this.orders.apply(action.hash, {
            kind: "cancel-sent",
            atMs: nowMs,
            actionId: action.actionId,
          }),
        );
      case "cancel-all":
        return this.#step(this.#cancelAlls.sent(action, nowMs));
      default:
        return this.#step([]);
    }
  }

  /** Any answer event: of the bot's own actions and of the account's questions. */
  onOutcome(action: Action, outcome: Outcome, nowMs: Ms): AccountStep {
    switch (action.kind) {
      case "question": {
        if (!this.#reconciler.awaits(action.actionId)) return this.#step([]);
        const step = this.#reconciler.outcome(action.actionId, outcome, nowMs);
        return this.#step(step.changes, step.ask);
      }
      case "place":
        return this.#step(this.#placed(action, outcome, nowMs));
      case "cancel":
        return this.#step(
          this.orders.apply(action.hash, cancelEvent(action.actionId, outcome, nowMs)),
        );
      case "cancel-all":
        return this.#step(this.#cancelAlls.answered(action.actionId, outcome, nowMs));
      case "build":
        return this.#step([]);
    }
  }

  /** Any venue event; those that do not concern the account, and answers (see `onOutcome`), change nothing. */
  onEvent(event: VenueEvent, nowMs: Ms): AccountStep {
    switch (event.type) {
      case "order-update":
        return this.#step(this.#intake.order(event.order, "stream", nowMs));
      case "trade-update":
        return this.#step(this.#intake.trade(event.trade, "stream", nowMs));
      case "income-update":
        return this.#incomes(event.incomes, nowMs);
      case "account-update":
        return this.#balances(event.balances, event.positions, nowMs);
      case "market-state":
        this.#intake.netValue.mark(event.marketId, event.mark, nowMs);
        return this.#step([]);
      case "stream": {
        if (event.stream !== "account") return this.#step([]);
        this.#streamUp = event.state === "up";
        this.#current = false;
        return this.#streamUp
          ? this.reconcile(nowMs, this.#confirmed ? "reconnect" : "start")
          : this.#step([]);
      }
      default:
        return this.#step([]);
    }
  }

  /**
   * A liquidation has brought a position: it counts at once, whether or not the exchange has told it yet. Said again, it changes nothing, unless it was taken
   * back meanwhile: then it counts again.
   * Before the account is confirmed it waits for that, and counts as far as the exchange's position lacks it.
   */
  takeOver(takeover: Takeover, nowMs: Ms): AccountStep {
    return this.#step(this.#intake.takeOver(takeover, nowMs));
  }

  /**
   * The chain has taken a takeover back. One that was never said, or was taken back before, changes nothing. The exchange is asked at once: until
   * its position agrees, it may hold what was taken back.
   */
  undoTakeover(id: string, nowMs: Ms): AccountStep {
    const opposite = this.#intake.takeovers.opposite(id, nowMs);
    if (opposite === undefined) return this.#step([]);
    const step = this.#step(this.#intake.takeOver(opposite, nowMs));
    return this.#confirmed && this.#intake.takeovers.isTakingBack(opposite.marketId)
      ? this.#asking(step, nowMs)
      : step;
  }

  /** Call a few times a second: retries, interval reconciliations, dead-time checks, late differences, pruning. */
  onTick(nowMs: Ms): AccountStep {
    if (nowMs < this.#tickedAtMs) {
      // A clock that stepped back must not put off what is due by as much.
      const byMs = this.#tickedAtMs - nowMs;
      this.#reconciler.stepBack(byMs);
      this.#intake.suspects.stepBack(byMs);
      this.#prunedAtMs -= byMs;
    }
    this.#tickedAtMs = nowMs;
    if (nowMs >= this.#prunedAtMs + PRUNE_EVERY_MS) {
      this.#prunedAtMs = nowMs;
      this.orders.prune(nowMs);
    }
    if (this.#intake.startValue.isInDoubt) this.#reconciler.lookAgain(nowMs);
    const late = this.#intake.suspects.due(nowMs);
    const liquidated = this.#liquidatedOnStream(nowMs);
    const step = this.#reconciler.tick(nowMs, this.#confirmed);
    if (late.length === 0 && liquidated.length === 0)
      return step.changes.length === 0 ? step : this.#step(step.changes, step.ask);
    const differences = late.map((difference) => ({ kind: "difference", difference }) as const);
    return this.#step([...differences, ...liquidated, ...step.changes], step.ask);
  }

  #liquidatedOnStream(nowMs: Ms): readonly AccountChange[] {
    if (!this.#confirmed || !this.#streamUp || !this.#intake.takeovers.liquidations.isAnyWaiting)
      return [];
    return [...this.#instruments.keys()].flatMap((marketId) =>
      liquidatedOnStream(this.#intake, marketId, nowMs),
    );
  }

  /** Begins a reconciliation now (the stream coming up, the interval and unresolved orders begin one by themselves). */
  reconcile(nowMs: Ms, cause: ReconcileCause): AccountStep {
    if (cause === "start" && !this.#confirmed) this.#intake.begin(nowMs);
    const step = this.#reconciler.begin(nowMs, this.#confirmed ? cause : "start");
    return this.#step(step.changes, step.ask);
  }

  /** Something of the account is doubtful: the next tick begins a reconciliation, unless one is under way. */
  lookAgain(nowMs: Ms): void {
    this.#reconciler.lookAgain(nowMs);
  }

  /** The book's mid in half ticks (best bid plus best ask), for the profit's spread and inventory parts. @throws FormatError when it is no positive integer. */
  onMid(marketId: MarketId, midHalfTicks: number): void {
    this.#intake.profit.mid(marketId, midHalfTicks);
  }

  /** Whether the position is {@link positionLots}, as far as the exchange has reported: see {@link positionDoubt}. */
  isPositionKnown(marketId: MarketId): boolean {
    return this.positionDoubt(marketId) === undefined;
  }

  /**
   * Why the position may be another than {@link positionLots}: the exchange has reported a liquidation in this market and not yet the position that it left, or
   * a position that nothing explains, whichever way it came; or a takeover was taken back, and the exchange may hold it still. Undefined where none is so.
   */
  positionDoubt(marketId: MarketId): "liquidation" | "taken-back" | "unexplained" | undefined {
    if (this.#intake.takeovers.liquidations.isWaiting(marketId)) return "liquidation";
    if (this.#intake.takeovers.isTakingBack(marketId)) return "taken-back";
    return this.#reconciler.isDoubtful(marketId) ? "unexplained" : undefined;
  }

  /** Those of the bot's markets in which positions that the exchange has just reported contradict ours, in base. Trades that have not settled explain a difference. */
  positionsApart(positions: readonly VenuePosition[], nowMs: Ms): readonly PositionApart[] {
    return positionsApart(this.#intake, this.#instruments, positions, nowMs);
  }

  get counts(): AccountCounts {
    return this.#tally.counts;
  }

  /** Incomes; a liquidation that nobody has said makes the position be asked for at once. */
  #incomes(incomes: readonly VenueIncome[], nowMs: Ms): AccountStep {
    const { takeovers } = this.#intake;
    const isWaiting = () =>
      incomes.some(
        (income) => isLiquidation(income) && takeovers.liquidations.isWaiting(income.marketId),
      );
    const wasWaiting = isWaiting();
    const step = this.#step(
      incomes.flatMap((income) => this.#intake.income(income, "stream", nowMs)),
    );
    if (wasWaiting || !this.#confirmed || !isWaiting()) return step;
    return this.#asking(step, nowMs);
  }

  /** Whether the newest position on the account's stream, which is up, is ours, with nothing in between that it may have or lack. */
  isPositionStreamed(marketId: MarketId, nowMs: Ms): boolean {
    const { streamed } = this.#intake;
    return (
      this.#streamUp &&
      this.isPositionKnown(marketId) &&
      streamed.movedLots(marketId, Number.NEGATIVE_INFINITY, nowMs) === 0
    );
  }

  /** Balances and positions; one that nothing explains makes the position be asked for at once. */
  #balances(balances: VenueBalances, positions: readonly VenuePosition[], nowMs: Ms): AccountStep {
    const step = this.#step(this.#intake.account(balances, positions, "stream", nowMs));
    if (!this.#confirmed) return step;
    const { takeovers, trades, rests } = this.#intake;
    let isNew = false;
    for (const position of positions) {
      const { marketId } = position;
      // A liquidation that was reported is asked for already.
      if (!this.#instruments.has(marketId) || takeovers.liquidations.isWaiting(marketId)) continue;
      if (this.#intake.streamed.movedLots(marketId, nowMs, nowMs) === 0)
        this.#reconciler.trust(marketId);
      if (isPlausible(this.#intake, position, true, nowMs)) continue;
      const off = rests.onOurGrid(marketId, position).lots - trades.positionLots(marketId);
      isNew = this.#reconciler.doubt(marketId, off) || isNew;
    }
    return isNew ? this.#asking(step, nowMs) : step;
  }

  #asking(step: AccountStep, nowMs: Ms): AccountStep {
    const asked = this.#reconciler.refresh(nowMs, "unknown");
    return { changes: [...step.changes, ...asked.changes], ask: [...step.ask, ...asked.ask] };
  }

  #placed(action: PlaceAction, outcome: Outcome, nowMs: Ms): readonly AccountChange[] {
    if (
      outcome.result === "accepted" &&
      this.orders.recognise(outcome.order)?.hash === action.hash
    ) {
      return this.#intake.order(outcome.order, "answer", nowMs);
    }
    return this.orders.apply(action.hash, placeEvent(outcome, nowMs));
  }

  #step(changes: readonly AccountChange[], ask: AccountStep["ask"] = []): AccountStep {
    for (const change of changes) {
      this.#tally.add(change);
      if (change.kind !== "reconciled") continue;
      if (!this.#confirmed) {
        this.#confirmed = true;
        this.#intake.startSuspecting();
      }
      this.#current = this.#streamUp;
    }
    return { changes, ask };
  }
}
