import type { MarketId, Ms } from "../../core/units.js";
import { describeOutcome, determineFate } from "../../exchange/fate.js";
import { INVALID_TIMESTAMP, OLD_RULES } from "../../exchange/protocol/errors.js";
import { THROTTLED_MS } from "../../exchange/rest/transient-failure.js";
import { checkBuiltOrder } from "../../exchange/signing/built-order-check.js";
import type {
  Action,
  BuildAction,
  Outcome,
  PlaceAction,
  QueryAction,
} from "../../exchange/venue.js";
import {
  cancelSubject,
  type InFlightAction,
  type QueuedPlace,
  slotSubject,
} from "../execution/dispatcher.js";
import type { OrderFactory } from "../execution/order-factory.js";
import type { ReopenedOrderMonitor } from "../execution/reopened-order-monitor.js";
import type { TradingGuards } from "../safety/trading-guards.js";
import { writeBuiltHashes } from "../state/server-built-hashes.js";
import type { AccountEventHandler } from "./account-event-handler.js";
import type { BotContext } from "./context.js";
import type { ShutdownSequence } from "./shutdown-sequence.js";
import type { VenueMonitor } from "./venue-monitor.js";

/** The parts of the bot that receive responses. */
export interface ResponseHandlerDeps {
  readonly tradingGuards: TradingGuards;
  readonly orderFactory: OrderFactory;
  readonly venueMonitor: VenueMonitor;
  readonly shutdownSequence: ShutdownSequence;
  readonly reopenedOrderMonitor: ReopenedOrderMonitor;
  readonly accountEvents: AccountEventHandler;
}

/** Routes each response of the venue to the part that sent the request. */
export class ResponseHandler {
  readonly #context: BotContext;
  readonly #deps: ResponseHandlerDeps;

  constructor(context: BotContext, deps: ResponseHandlerDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  /** Handles a response. One without a pending request changes nothing. */
  handle(actionId: number, outcome: Outcome): void {
    const { dispatcher, clock, exchangeTime, notify } = this.#context;
    const flight = dispatcher.markAnswered(actionId);
    if (flight === undefined) return;
    const { action } = flight;
    const nowMonotonicMs = clock.monotonicMs();
    if (outcome.result === "answered" && outcome.ask === "time") {
      this.#deps.venueMonitor.onSuspended(
        exchangeTime.update(
          outcome.data.serverTimeMs,
          flight.dispatchedMonotonicMs,
          nowMonotonicMs,
        ),
      );
    }
    if (outcome.result === "rejected" && outcome.code === INVALID_TIMESTAMP)
      exchangeTime.markSuspect();
    notify({
      kind: "answered",
      action,
      outcome,
      tookMs: nowMonotonicMs - flight.dispatchedMonotonicMs,
    });
    if (outcome.result === "throttled") this.#throttled(outcome.httpStatus, outcome.retryAfterMs);
    // While a stream is open the exchange runs, and its limit also bounds refused connections.
    if (outcome.result === "not-sent" && !this.#context.streams.isAnyUp)
      this.#context.budget.refund(action.kind, flight.dispatchedMonotonicMs);
    else if (outcome.result !== "not-sent" && outcome.result !== "unknown")
      this.#context.backoff.onReachable();
    if (action.kind === "build") return this.#built(action, outcome, flight);
    if (action.kind === "question") return this.#answered(action, outcome);
    if (action.kind === "place") this.#placed(action, outcome, flight);
    if (action.kind === "cancel-all")
      this.#deps.reopenedOrderMonitor.onCancelAllOutcome(action.marketId, outcome);
    if (
      action.kind === "cancel" &&
      (outcome.result === "rejected" || outcome.result === "unknown") &&
      determineFate("cancel", outcome) !== "accepted"
    ) {
      this.#context.backoff.onRefusal(
        cancelSubject(action.hash),
        nowMonotonicMs,
        describeOutcome(outcome),
      );
    }
    if (outcome.result === "not-sent" && (action.kind === "cancel" || action.kind === "place")) {
      const subject =
        action.kind === "cancel" ? cancelSubject(action.hash) : this.#slotOf(action, flight);
      const { backoff, streams } = this.#context;
      backoff.onUnsent(subject, nowMonotonicMs, describeOutcome(outcome), streams.isAnyUp);
    }
    this.#noteOutcome(action, outcome);
  }

  /** Handles a query that could not be sent. Its sender gets that as the response, and retries. */
  unrequested(action: QueryAction, why: string): void {
    this.#answered(action, { result: "not-sent", message: why });
  }

  /**
   * Responses to the bot's own queries go to the part that sent them, all others to the account.
   */
  #answered(action: QueryAction, outcome: Outcome): void {
    if (
      this.#deps.venueMonitor.handleResponse(action, outcome) ||
      this.#deps.shutdownSequence.handleResponse(action, outcome)
    )
      return;
    this.#noteOutcome(action, outcome);
  }

  #noteOutcome(action: Action, outcome: Outcome): void {
    const { account, exchangeTime } = this.#context;
    this.#deps.accountEvents.handleStep(account.onOutcome(action, outcome, exchangeTime.nowMs()));
  }

  #throttled(httpStatus: 429 | 418, retryAfterMs: Ms | undefined): void {
    const forMs = Math.max(retryAfterMs ?? THROTTLED_MS[httpStatus], 100);
    this.#context.budget.blockFor(forMs);
    if (httpStatus === 418) this.#deps.tradingGuards.banned(forMs);
  }

  #placed(action: PlaceAction, outcome: Outcome, flight: InFlightAction): void {
    const { backoff, clock } = this.#context;
    const subject = this.#slotOf(action, flight);
    if (outcome.result === "accepted") backoff.onSuccess(subject);
    if (outcome.result !== "rejected") return;
    this.#refused(action.marketId, outcome.code);
    backoff.onRefusal(
      subject,
      clock.monotonicMs(),
      `the exchange refused it: ${describeOutcome(outcome)}`,
    );
  }

  /** The slot of an order; for a server-built one, from the order table. */
  #slotOf({ marketId, side, hash }: PlaceAction, { item }: InFlightAction): string {
    const level =
      item.kind === "place"
        ? item.place.level
        : (this.#context.account.orders.get(hash)?.level ?? -1);
    return slotSubject(marketId, side, level);
  }

  #refused(marketId: MarketId, code: number): void {
    this.#deps.tradingGuards.placeRefused(marketId);
    if (OLD_RULES.includes(code)) this.#deps.venueMonitor.markRulesSuspect();
  }

  #built(action: BuildAction, outcome: Outcome, { item }: InFlightAction): void {
    const { traders, backoff, clock, notify } = this.#context;
    const trader = traders.get(action.marketId);
    if (trader === undefined || item.kind !== "place") return;
    trader.markDirty();
    const subject = slotSubject(action.marketId, action.side, item.place.level);
    if (outcome.result !== "built") {
      // Nothing was placed: an unsigned structure binds no party.
      if (outcome.result === "rejected") this.#refused(action.marketId, outcome.code);
      backoff.onRefusal(
        subject,
        clock.monotonicMs(),
        `the exchange did not build it: ${describeOutcome(outcome)}`,
      );
      return;
    }
    const wrong = checkBuiltOrder(this.#deps.orderFactory.hasher, outcome, {
      rules: this.#deps.orderFactory.feesFor(trader),
      instrument: trader.instrument,
      side: action.side,
      ticks: action.ticks,
      lots: action.lots,
      signer: this.#context.accountAddress,
      timeInForce: action.timeInForce,
      expirationMs: action.expirationMs,
      nowMs: this.#context.exchangeTime.nowMs(),
      maxFeeOffset: this.#deps.orderFactory.maxFeeOffset(trader, action),
    });
    if (wrong.length > 0) {
      notify({
        kind: "log",
        level: "error",
        message: "the exchange built an order that differs from the request: it is not signed",
        fields: { marketId: action.marketId, wrong },
      });
      this.#deps.tradingGuards.placeRefused(action.marketId);
      this.#deps.venueMonitor.markRulesSuspect();
      backoff.onRefusal(
        subject,
        clock.monotonicMs(),
        "the exchange built an order that differs from the request",
      );
      return;
    }
    this.#keep(action, outcome, item);
  }

  #keep(
    action: BuildAction,
    built: Extract<Outcome, { result: "built" }>,
    waiting: QueuedPlace,
  ): void {
    const { account, store, dispatcher, nextActionId } = this.#context;
    const place: PlaceAction = {
      ...action,
      kind: "place",
      actionId: nextActionId(),
      order: built.order,
      hash: built.hash,
      ...(built.gasFeeQuotation === "" ? {} : { gasFeeQuotation: built.gasFeeQuotation }),
    };
    if (account.orders.get(place.hash) !== undefined) return;
    account.intend({ action: place, level: waiting.place.level, built: true });
    writeBuiltHashes(store, account.orders.builtHashes());
    this.#deps.orderFactory.keepBuilt(place, waiting);
    dispatcher.enqueue({ kind: "built", marketId: place.marketId, hash: place.hash });
  }
}
