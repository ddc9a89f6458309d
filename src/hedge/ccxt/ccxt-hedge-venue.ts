import { type Observable, Subject } from "rxjs";
import { describeThrown } from "../../core/describe-thrown.js";
import { MarketwrightError } from "../../core/errors.js";
import type { Runtime, Timer } from "../../core/runtime/runtime.js";
import { MINUTE_MS, type Ms } from "../../core/units.js";
import type {
  HedgeAction,
  HedgeCancel,
  HedgeEvent,
  HedgeOutcome,
  HedgePlace,
  HedgeVenue,
} from "../hedge-venue.js";
import { FundingMonitor } from "./funding-monitor.js";
import { HedgeQueries, RefusedRequest, readBody, readShape } from "./hedge-queries.js";
import type { HedgeReply, HedgeRestClient } from "./hedge-rest-client.js";
import type { HedgeStreams, HedgeStreamTimings } from "./hedge-streams.js";
import { TouchMonitor } from "./touch-monitor.js";
import type { ListedContract, UsdmDecoder } from "./usdm-decoder.js";
import {
  usdmAccountMessageShape,
  usdmBookTickerShape,
  usdmListenKeyShape,
  usdmMessageShape,
  usdmOrderMessageShape,
  usdmOrderShape,
  usdmPremiumIndexShape,
  usdmTimeShape,
  usdmTouchMessageShape,
} from "./usdm-records.js";
import type { HedgeRefusal } from "./usdm-refusals.js";
import type { ClockReading, VenueTime } from "./venue-time.js";

/** How often the exchange's clock is read. */
const CLOCK_MS: Ms = MINUTE_MS;

const TIMES_IN_FORCE = { IOC: "IOC", POST_ONLY: "GTX" } as const;

/** Messages of the user stream that change nothing here: others report the same. */
const REPEATED: ReadonlySet<string> = new Set(["TRADE_LITE", "ALGO_UPDATE", "STRATEGY_UPDATE"]);
/** Messages of the user stream about the account itself. */
const OF_ACCOUNT: ReadonlySet<string> = new Set(["MARGIN_CALL", "ACCOUNT_CONFIG_UPDATE"]);

/** Dependencies of a {@link CcxtHedgeVenue}. */
export interface CcxtHedgeVenueDeps {
  readonly runtime: Runtime;
  readonly contracts: ReadonlyMap<string, ListedContract>;
  readonly acceptanceWindowMs: Ms;
  readonly client: HedgeRestClient;
  readonly decoder: UsdmDecoder;
  readonly time: VenueTime;
  readonly timings: HedgeStreamTimings;
  /** Creates the streams with the venue's own handlers. */
  readonly openStreams: (handlers: HedgeStreamHandlers) => HedgeStreams;
}

/** Handlers of the streams of a venue. */
export interface HedgeStreamHandlers {
  readonly listenKey: () => Promise<string>;
  readonly onUp: () => void;
  readonly onDown: (reason: string) => void;
  readonly onUser: (message: unknown) => void;
  readonly onMarket: (message: unknown) => void;
}

/** Binance USD-M, or an exchange that speaks its interface, as a hedge venue. */
export class CcxtHedgeVenue implements HedgeVenue {
  readonly contracts: ReadonlyMap<string, ListedContract>;
  readonly acceptanceWindowMs: Ms;
  readonly events$: Observable<HedgeEvent>;
  /** The questions that {@link submit} does not ask. */
  readonly queries: HedgeQueries;
  readonly #deps: CcxtHedgeVenueDeps;
  readonly #events = new Subject<HedgeEvent>();
  readonly #streams: HedgeStreams;
  readonly #touches: TouchMonitor;
  readonly #funding: FundingMonitor;
  #clockTimer: Timer | undefined;
  #isReadingClock = false;
  #isClosed = false;

  constructor(deps: CcxtHedgeVenueDeps) {
    this.#deps = deps;
    this.contracts = deps.contracts;
    this.acceptanceWindowMs = deps.acceptanceWindowMs;
    this.events$ = this.#events.asObservable();
    this.queries = new HedgeQueries(deps.client, deps.decoder, () => deps.time.nowMs());
    this.#touches = new TouchMonitor({
      clock: deps.runtime.clock,
      ids: [...deps.contracts.values()].map(({ id }) => id),
      everyMs: deps.timings.touchEveryMs,
      graceMs: deps.timings.touchGraceMs,
      ask: (id) => this.#askTouch(id),
      onTouch: (touch) => this.#emit(touch),
      onSilent: (reason) => this.#streams.fail(reason),
    });
    this.#funding = new FundingMonitor({
      clock: deps.runtime.clock,
      ids: [...deps.contracts.values()].map(({ id }) => id),
      ask: (id) => this.#askFunding(id),
    });
    this.#streams = deps.openStreams({
      listenKey: async () => (await this.queries.read("listenKey", usdmListenKeyShape)).listenKey,
      onUp: () => {
        this.#emit({ type: "stream", state: "up", reason: "the account's stream and the touches" });
        this.#touches.start();
        this.#funding.start();
      },
      onDown: (reason) => {
        this.#touches.stop();
        this.#funding.stop();
        this.#emit({ type: "stream", state: "down", reason });
      },
      onUser: (message) => this.#reading("user stream", () => this.#onUser(message)),
      onMarket: (message) => this.#reading("stream of touches", () => this.#onMarket(message)),
    });
    this.#scheduleClock();
  }

  start(): void {
    this.#streams.start();
  }

  submit(action: HedgeAction): void {
    this.#decide(action).then((outcome) =>
      this.#emit({ type: "answer", actionId: action.actionId, outcome }),
    );
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#clockTimer?.cancel();
    this.#touches.stop();
    this.#funding.stop();
    this.#streams.close();
    this.#deps.client.close();
    this.#events.complete();
  }

  /** Reads the exchange's clock, by which requests are signed. @throws MarketwrightError */
  async readClock(): Promise<ClockReading> {
    return this.#deps.time.read(async () => {
      const { serverTime } = await this.queries.read("time", usdmTimeShape);
      return serverTime;
    });
  }

  /** Reads the exchange's clock now, unless that goes on: it has refused a request for its time. */
  refreshClock(): void {
    if (this.#isReadingClock || this.#isClosed) return;
    this.#isReadingClock = true;
    this.readClock().then(
      () => {
        this.#isReadingClock = false;
      },
      // The next refusal, or the timer, tries again.
      () => {
        this.#isReadingClock = false;
      },
    );
  }

  async #decide(action: HedgeAction): Promise<HedgeOutcome> {
    const contract = this.contracts.get(action.symbol);
    if (contract === undefined)
      return notSent(`${action.symbol} is not a contract of this venue's config`);
    try {
      if (action.kind !== "place" && action.kind !== "cancel")
        return await this.queries.ask(action, contract);
      const { key, symbol } = action;
      const reply = await this.#send(action, contract);
      const order = this.#deps.decoder.order(readBody(reply, usdmOrderShape, action.kind));
      return order.key === key && order.symbol === symbol
        ? { result: "order", order }
        : { result: "unknown", message: `the answer is about the order ${order.key}` };
    } catch (error) {
      if (error instanceof RefusedRequest) return error.refusal;
      return { result: "unknown", message: describeThrown(error) };
    }
  }

  #send(action: HedgePlace | HedgeCancel, contract: ListedContract): Promise<HedgeReply> {
    const { client } = this.#deps;
    if (action.kind === "cancel")
      return client.call("cancel", { symbol: contract.id, origClientOrderId: action.key });
    let params: ReturnType<typeof toPlaceParams>;
    try {
      params = toPlaceParams(action, contract);
    } catch (error) {
      throw new RefusedRequest(notSent(describeThrown(error)));
    }
    return client.call("place", params);
  }

  #onUser(message: unknown): void {
    const { e: type } = readShape(usdmMessageShape, message, "message");
    if (type === "ORDER_TRADE_UPDATE") {
      const { o } = readShape(usdmOrderMessageShape, message, type);
      for (const event of this.#deps.decoder.orderMessage(o)) this.#emit(event);
    } else if (type === "ACCOUNT_UPDATE") {
      const { m: reason } = readShape(usdmAccountMessageShape, message, type).a;
      // A fill is reported by ORDER_TRADE_UPDATE.
      if (reason !== "ORDER") this.#emit({ type: "account-changed", reason });
    } else if (type === "listenKeyExpired") this.#streams.fail("the listen key ended");
    else if (OF_ACCOUNT.has(type)) this.#emit({ type: "account-changed", reason: type });
    else if (!REPEATED.has(type))
      this.#emit({ type: "malformed", where: "user stream", reason: `a message ${type}` });
  }

  #onMarket(message: unknown): void {
    const { s, b, B, a, A } = readShape(usdmTouchMessageShape, message, "bookTicker").data;
    const touch = this.#deps.decoder.touch(s, { bid: b, bidSize: B, ask: a, askSize: A });
    this.#touches.note(s, touch);
    if (touch !== undefined) this.#emit(touch);
  }

  async #askTouch(id: string) {
    const record = await this.queries.read("bookTicker", usdmBookTickerShape, { symbol: id });
    return this.#deps.decoder.touch(id, {
      bid: record.bidPrice,
      bidSize: record.bidQty,
      ask: record.askPrice,
      askSize: record.askQty,
    });
  }

  async #askFunding(id: string): Promise<void> {
    const record = await this.queries.read("premiumIndex", usdmPremiumIndexShape, { symbol: id });
    const event = this.#deps.decoder.fundingRate(record);
    if (event !== undefined) this.#emit(event);
  }

  #reading(where: string, read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof MarketwrightError)) throw error;
      this.#emit({ type: "malformed", where, reason: describeThrown(error) });
    }
  }

  #scheduleClock(): void {
    this.#clockTimer = this.#deps.runtime.clock.setTimer(CLOCK_MS, () => {
      this.refreshClock();
      this.#scheduleClock();
    });
  }

  #emit(event: HedgeEvent): void {
    if (!this.#isClosed) this.#events.next(event);
  }
}

/** @throws FormatError for lots or ticks that are not whole */
function toPlaceParams(action: HedgePlace, { id, instrument }: ListedContract) {
  return {
    symbol: id,
    side: action.side,
    type: "LIMIT",
    timeInForce: TIMES_IN_FORCE[action.timeInForce],
    quantity: instrument.formatAmount(action.lots),
    price: instrument.formatPrice(action.ticks),
    newClientOrderId: action.key,
    newOrderRespType: "RESULT",
    ...(action.isReduceOnly ? { reduceOnly: "true" } : {}),
  };
}

function notSent(message: string): HedgeRefusal {
  return { result: "not-sent", message, retryAfterMs: undefined };
}
