import { type Observable, Subject } from "rxjs";
import type { Signer } from "../../core/crypto/signing.js";
import { FormatError } from "../../core/errors.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { Hex, Ms } from "../../core/units.js";
import { ExchangeTime } from "../../exchange/exchange-time.js";
import { determineFate } from "../../exchange/fate.js";
import { LiveVenue } from "../../exchange/live-venue.js";
import { INVALID_TIMESTAMP } from "../../exchange/protocol/errors.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Transport } from "../../exchange/rest/transport.js";
import type { VenueEvent } from "../../exchange/venue.js";
import type {
  HedgeAction,
  HedgeCancel,
  HedgeContract,
  HedgeEvent,
  HedgeFundingRate,
  HedgeOutcome,
  HedgePlace,
  HedgeVenue,
} from "../hedge-venue.js";
import { ClockMeter } from "./clock-meter.js";
import { ExchangeLists } from "./exchange-lists.js";
import { toHedgeContracts } from "./hedge-contracts.js";
import { HedgeFills } from "./hedge-fills.js";
import { HedgeQuestions } from "./hedge-questions.js";
import { type ExchangeOrderName, KnownOrders } from "./known-orders.js";
import { OrderBuilder } from "./order-builder.js";
import { OrderLookup } from "./order-lookup.js";
import { toActionOutcome } from "./to-hedge-outcome.js";
import { TouchStreams } from "./touch-streams.js";
import { type ExchangeRequest, VenueRequests } from "./venue-requests.js";

/** Options of {@link EmbeddedHedgeVenue}. */
export interface EmbeddedHedgeVenueOptions {
  /** The caller owns it: `close` of the venue does not close it. */
  readonly transport: Transport;
  readonly runtime: Runtime;
  readonly signer: Signer;
  /** The trading account; default: the signer's own. */
  readonly account?: Hex;
  /** The exchange's rules, just read. */
  readonly rules: VenueRules;
  /** The markets, by their ids at the exchange. */
  readonly symbols: readonly string[];
  /** Default 5000. */
  readonly requestTimeoutMs?: Ms;
  /** How long after its timestamp the exchange accepts a request; default 5000. */
  readonly acceptanceWindowMs?: Ms;
}

const DEFAULT_TIMEOUT_MS: Ms = 5000;
const DEFAULT_ACCEPTANCE_WINDOW_MS: Ms = 5000;

/** Incomes that come with every trade. */
const TRADE_INCOMES: ReadonlySet<string> = new Set(["BUY", "SELL", "MAKER_FEE", "TAKER_FEE"]);

type MarketStateEvent = Extract<VenueEvent, { readonly type: "market-state" }>;
type Answer = (outcome: HedgeOutcome) => void;

/**
 * Another exchange with this one's interface as a hedge venue, live or in virtual time. An order's
 * key is the number that its signed `info` ends with. The exchange has no reduce-only orders: such
 * an order is placed as a plain one.
 */
export class EmbeddedHedgeVenue implements HedgeVenue {
  readonly contracts: ReadonlyMap<string, HedgeContract>;
  readonly acceptanceWindowMs: Ms;
  readonly events$: Observable<HedgeEvent>;
  readonly #events = new Subject<HedgeEvent>();
  readonly #options: EmbeddedHedgeVenueOptions;
  readonly #time: ExchangeTime;
  readonly #live: LiveVenue;
  readonly #requests: VenueRequests;
  readonly #meter: ClockMeter;
  readonly #builder: OrderBuilder;
  readonly #orders = new KnownOrders();
  readonly #fills: HedgeFills;
  readonly #lookup: OrderLookup;
  readonly #questions: HedgeQuestions;
  readonly #streams: TouchStreams;
  readonly #announced = new Map<string, HedgeFundingRate>();
  #isClosed = false;

  /** @throws ConfigError for a market that cannot be a hedge */
  constructor(options: EmbeddedHedgeVenueOptions) {
    const { runtime, rules, signer, symbols } = options;
    const account = options.account ?? signer.address;
    this.#options = options;
    this.contracts = toHedgeContracts(rules, symbols);
    this.acceptanceWindowMs = options.acceptanceWindowMs ?? DEFAULT_ACCEPTANCE_WINDOW_MS;
    this.events$ = this.#events.asObservable();
    this.#time = new ExchangeTime(runtime.clock, rules.serverTimeMs);
    const exchangeNowMs = (): Ms => this.#time.nowMs();
    this.#live = new LiveVenue({
      transport: options.transport,
      runtime,
      signer,
      account,
      markets: symbols,
      exchangeNowMs,
      requestTimeoutMs: options.requestTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    });
    this.#requests = new VenueRequests(this.#live, exchangeNowMs);
    this.#meter = new ClockMeter(runtime.clock, this.#requests, this.#time);
    this.#builder = new OrderBuilder(rules, account);
    this.#fills = new HedgeFills(this.#orders, this.contracts, rules.creditDecimals);
    this.#lookup = new OrderLookup(this.#requests, this.#orders, this.acceptanceWindowMs);
    this.#questions = new HedgeQuestions({
      rules,
      requests: this.#requests,
      lists: new ExchangeLists(this.#requests),
      orders: this.#orders,
      lookup: this.#lookup,
      fills: this.#fills,
    });
    this.#streams = new TouchStreams({
      symbols,
      clock: runtime.clock,
      requests: this.#requests,
      emit: (event) => this.#events.next(event),
      resubscribe: (symbol) => this.#live.resubscribe(symbol),
    });
    this.#live.events$.subscribe((event) => this.#onEvent(event));
  }

  start(): void {
    this.#live.setRules(this.#options.rules);
    this.#meter.measure();
  }

  submit(action: HedgeAction): void {
    const { actionId, symbol } = action;
    const answer: Answer = (outcome) => this.#emit({ type: "answer", actionId, outcome });
    if (!this.contracts.has(symbol))
      return this.#refuse(`the venue was opened without ${symbol}`, answer);
    if (action.kind === "place") this.#place(action, answer);
    else if (action.kind === "cancel") this.#cancel(action, answer);
    else this.#questions.ask(action, answer);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#meter.close();
    this.#streams.close();
    this.#requests.clear();
    this.#live.close();
    this.#events.complete();
  }

  #place(action: HedgePlace, answer: Answer): void {
    const nowMs = this.#time.nowMs();
    let request: ExchangeRequest;
    try {
      request = this.#builder.build(action, nowMs);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      return this.#refuse(error.message, answer);
    }
    this.#orders.sent(action, nowMs);
    this.#requests.send(request, (outcome) =>
      answer(
        outcome.result === "accepted"
          ? { result: "order", order: this.#orders.reported(outcome.order) }
          : toActionOutcome("place", outcome),
      ),
    );
  }

  #cancel(action: HedgeCancel, answer: Answer): void {
    const { symbol, key } = action;
    const known = this.#orders.nameOf(key);
    if (known !== undefined) return this.#cancelNamed(action, known, answer);
    this.#lookup.find(symbol, key, (found) => {
      const name = this.#orders.nameOf(key);
      if (found.result !== "order" || !found.order.isOpen || name === undefined) {
        // The order was not found because the question failed: no cancel was sent.
        if (found.result !== "unknown") return answer(found);
        return answer({ result: "not-sent", message: found.message, retryAfterMs: undefined });
      }
      this.#cancelNamed(action, name, answer);
    });
  }

  #cancelNamed({ symbol, key }: HedgeCancel, name: ExchangeOrderName, answer: Answer): void {
    this.#requests.send({ kind: "cancel", marketId: symbol, ...name }, (outcome) => {
      if (determineFate("cancel", outcome) !== "accepted")
        return answer(toActionOutcome("cancel", outcome));
      // The order is closed. Its last fills may not have been reported yet.
      this.#lookup.find(symbol, key, (found) =>
        answer(
          found.result === "order" || found.result === "absent"
            ? found
            : { result: "unknown", message: `cancelled; its fills: ${found.message}` },
        ),
      );
    });
  }

  #refuse(message: string, answer: Answer): void {
    this.#options.runtime.clock.setTimer(0, () =>
      answer({ result: "not-sent", message, retryAfterMs: undefined }),
    );
  }

  #onEvent(event: VenueEvent): void {
    switch (event.type) {
      case "stream":
        return this.#streams.changed(event.stream, event.state, event.reason);
      case "book-snapshot":
      case "book-update":
        return this.#streams.book(event);
      case "market-state":
        return this.#announce(event);
      case "order-update":
        return this.#emit({ type: "order", order: this.#orders.reported(event.order) });
      case "trade-update":
        for (const fill of this.#fills.added(event.trade)) this.#emit({ type: "fill", fill });
        return;
      case "income-update":
        for (const { type } of event.incomes)
          if (!TRADE_INCOMES.has(type)) this.#emit({ type: "account-changed", reason: type });
        return;
      case "malformed":
        return this.#emit(event);
      case "answer": {
        const { actionId, outcome } = event;
        if (outcome.result === "rejected" && outcome.code === INVALID_TIMESTAMP)
          this.#meter.measure();
        return this.#requests.answered(actionId, outcome);
      }
    }
  }

  /** Reports the next funding whenever it changes: the exchange repeats it with every mark. */
  #announce({ marketId, fundingRate, nextFundingMs }: MarketStateEvent): void {
    const last = this.#announced.get(marketId);
    if (last?.fundingRate === fundingRate && last.nextFundingMs === nextFundingMs) return;
    const event = { type: "funding-rate", symbol: marketId, fundingRate, nextFundingMs } as const;
    this.#announced.set(marketId, event);
    this.#emit(event);
  }

  #emit(event: HedgeEvent): void {
    if (this.#isClosed) return;
    this.#streams.beforeEvent();
    this.#events.next(event);
  }
}
