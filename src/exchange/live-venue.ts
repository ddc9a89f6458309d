import { type Observable, Subject } from "rxjs";
import type { Signer } from "../core/crypto/signing.js";
import { FormatError, RunError } from "../core/errors.js";
import type { Instrument } from "../core/instrument.js";
import type { Runtime } from "../core/runtime/runtime.js";
import type { Hex, MarketId, Ms } from "../core/units.js";
import { createInstruments } from "./protocol/decode-rules.js";
import type { VenueRules } from "./records.js";
import {
  buildActionRequest,
  operationNameFor,
  type RequestContext,
} from "./rest/action-requests.js";
import { type OutcomeContext, readOutcome } from "./rest/outcomes.js";
import type { RateGate } from "./rest/rate-gate.js";
import type { HttpRequest, HttpResult, Transport } from "./rest/transport.js";
import { type FormerRuntimeOption, withRuntime } from "./runtime-option.js";
import { OrderHasher } from "./signing/order-signing.js";
import { signParams } from "./signing/request-signing.js";
import { FrameDecoder } from "./streams/frame-decoder.js";
import { MarketStreams } from "./streams/market-streams.js";
import { StreamSession, type StreamTimings } from "./streams/stream-session.js";
import { TradeDeduplicator } from "./streams/trade-deduplicator.js";
import type { Action, ActionId, Outcome, Venue, VenueEvent } from "./venue.js";

/** Options of a live venue. */
export interface LiveVenueOptions {
  /** The caller owns it: `close` of the venue does not close it. */
  readonly transport: Transport;
  readonly runtime: Runtime;
  readonly signer: Signer;
  /** The trading account; default: the signer's own. */
  readonly account?: Hex;
  /** The markets to stream. */
  readonly markets: readonly MarketId[];
  /**
   * Exchange time as the bot estimates it. The account stream is signed at every connect, outside
   * any action.
   */
  readonly exchangeNowMs: () => Ms;
  /** Default 5000. */
  readonly requestTimeoutMs?: Ms;
  /** Default 8 MiB. */
  readonly maxFrameBytes?: number;
  readonly timings?: Partial<StreamTimings>;
  /** Requests compressed streams. */
  readonly zip?: boolean;
  /**
   * False keeps all streams closed, for a process that only sends; `market` opens no account stream
   * (default true).
   */
  readonly streams?: boolean | "market";
  /**
   * The rate budget, if the process shares one: an action that it does not allow is not sent.
   * Absent if the caller counts its own requests, as the bot does.
   */
  readonly gate?: RateGate;
  /** Called when the signed bytes of an action are handed to the transport. */
  readonly onWritten?: (actionId: ActionId) => void;
}

const DEFAULT_REQUEST_TIMEOUT_MS = 5000;

/**
 * The exchange itself (docs/ideas/design.md#venue), over HTTP and websockets or over whatever else
 * the transport is made of. Nothing is retried here: each action goes out once, and its fate comes
 * back once, as an `answer`. The streams open when the rules become known, by an answer or by
 * {@link setRules}: before that no level of a book could be put on its grid.
 * @example
 * ```ts
 * import {
 *   createLiveRuntime,
 *   ecdsaScheme,
 *   LiveVenue,
 *   NetworkTransport,
 * } from "marketwright/exchange";
 * import { filter, firstValueFrom } from "rxjs";
 *
 * const restUrl = process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1";
 * const runtime = createLiveRuntime();
 * const transport = new NetworkTransport({
 *   restUrl,
 *   streamUrl: restUrl.replace("http", "ws"),
 *   clock: runtime.clock,
 * });
 * const venue = new LiveVenue({
 *   transport,
 *   runtime,
 *   signer: ecdsaScheme.signer(process.env.MARKETWRIGHT_KEY ?? `0x${"11".repeat(32)}`),
 *   markets: ["btcusdc"],
 *   exchangeNowMs: () => runtime.clock.nowMs(),
 *   streams: false,
 * });
 * const answer = firstValueFrom(venue.events$.pipe(filter(({ type }) => type === "answer")));
 * const timestampMs = runtime.clock.nowMs();
 * venue.submit({ actionId: 1, timestampMs, kind: "question", ask: "rules" });
 * await answer;
 * venue.close();
 * transport.close();
 * venue.rules?.creditDecimals; // => 6
 * ```
 */
export class LiveVenue implements Venue {
  readonly events$: Observable<VenueEvent>;
  readonly #events = new Subject<VenueEvent>();
  readonly #options: LiveVenueOptions;
  readonly #account: Hex;
  readonly #marketStreams: MarketStreams;
  readonly #accountStream: StreamSession;
  #rules: VenueRules | undefined;
  #request: RequestContext;
  #outcome: OutcomeContext;
  #frames: FrameDecoder | undefined;
  readonly #tradeDeduplicator = new TradeDeduplicator();
  #isStreaming = false;
  #isClosed = false;

  constructor(given: LiveVenueOptions | FormerRuntimeOption<LiveVenueOptions>) {
    const options = withRuntime(given);
    this.#options = options;
    this.events$ = this.#events.asObservable();
    this.#account = options.account ?? options.signer.address;
    const timeoutMs = options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
    const instruments: ReadonlyMap<MarketId, Instrument> = new Map();
    this.#request = { signer: options.signer, account: this.#account, instruments, timeoutMs };
    this.#outcome = { creditDecimals: 0, instruments, hasher: undefined };
    const { transport, runtime } = options;
    const timings = options.timings ?? {};
    this.#marketStreams = new MarketStreams({
      transport,
      runtime,
      timings,
      zip: options.zip === true,
      markets: options.markets,
      onText: (text) => this.#emitAll(this.#frames?.multiple(text)),
      onState: (state, reason) => this.#emit({ type: "stream", stream: "market", state, reason }),
    });
    this.#accountStream = new StreamSession({
      transport,
      runtime,
      timings,
      path: () =>
        `/v1/single/account@${this.#account}?${accountQuery(options, this.#account)}${options.zip === true ? "&zip=1" : ""}`,
      onText: (text) => this.#emitAll(this.#frames?.account(text)),
      onUp: () =>
        this.#emit({ type: "stream", stream: "account", state: "up", reason: "subscribed" }),
      onDown: (reason) => this.#emit({ type: "stream", stream: "account", state: "down", reason }),
    });
  }

  /** The current rules; undefined before the first response. */
  get rules(): VenueRules | undefined {
    return this.#rules;
  }

  /**
   * Applies rules that were read earlier, as a response to a `rules` question does, and opens the
   * streams. A market keeps its first grid, because open orders were placed in those ticks and
   * lots, and consumers count in them.
   */
  setRules(rules: VenueRules): void {
    const instruments = new Map([...createInstruments(rules), ...this.#request.instruments]);
    const context = { creditDecimals: rules.creditDecimals, instruments };
    this.#rules = rules;
    this.#options.gate?.setLimits(rules.rateLimits);
    this.#request = { ...this.#request, instruments };
    this.#outcome = {
      ...this.#outcome,
      ...context,
      hasher: new OrderHasher(rules.eip712.domainSeparator),
    };
    const { maxFrameBytes } = this.#options;
    if (this.#frames === undefined) this.#frames = new FrameDecoder({ ...context, maxFrameBytes });
    else this.#frames.setContext(context);
    if (this.#isStreaming || this.#isClosed || this.#options.streams === false) return;
    this.#isStreaming = true;
    this.#marketStreams.start();
    if (this.#options.streams !== "market") this.#accountStream.start();
  }

  submit(action: Action): void {
    const request = this.#isClosed ? "the venue is closed" : this.#requestOf(action);
    if (typeof request === "string") {
      this.#options.runtime.clock.setTimer(0, () =>
        this.#answer(action, { result: "not-sent", message: request }),
      );
      return;
    }
    const waitMs = this.#options.gate?.tryAdmit(operationNameFor(action)) ?? 0;
    if (waitMs > 0) {
      const message = `the rate budget is spent: ${Number.isFinite(waitMs) ? `again in ${Math.ceil(waitMs)} ms` : "the exchange has banned this address"}`;
      this.#options.runtime.clock.setTimer(0, () =>
        this.#answer(action, { result: "not-sent", message }),
      );
      return;
    }
    this.#options.transport.request(request, (result) => this.#done(action, request, result));
    this.#options.onWritten?.(action.actionId);
  }

  resubscribe(marketId: MarketId): void {
    this.#marketStreams.resubscribe(marketId);
  }

  /**
   * Subscribes to one more market stream by its name (`streamName`): of candles, or of another
   * market.
   */
  subscribe(stream: string): void {
    this.#marketStreams.subscribe(stream);
  }

  /** Unsubscribes from a stream. */
  unsubscribe(stream: string): void {
    this.#marketStreams.unsubscribe(stream);
  }

  /**
   * Closes the streams and completes `events$`; pending responses are dropped. The transport stays
   * open.
   */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#marketStreams.close("the venue is closed");
    this.#accountStream.close("the venue is closed");
    this.#events.complete();
  }

  #requestOf(action: Action): HttpRequest | string {
    try {
      return buildActionRequest(action, this.#request);
    } catch (error) {
      if (error instanceof FormatError || error instanceof RunError) return error.message;
      throw error;
    }
  }

  #done(action: Action, request: HttpRequest, result: HttpResult): void {
    if (this.#isClosed) return;
    const outcome = readOutcome(action, result, this.#outcome);
    if (outcome.result === "throttled")
      this.#options.gate?.throttled(outcome.httpStatus, outcome.retryAfterMs);
    if (outcome.result === "unknown" && outcome.cause === "malformed-answer") {
      this.#emit({
        type: "malformed",
        where: `answer ${request.method} ${request.path}`,
        reason: outcome.message,
      });
    }
    // Before the event is emitted, because its consumers may act on the rules at once.
    if (outcome.result === "answered" && outcome.ask === "rules") this.setRules(outcome.data);
    this.#answer(action, outcome);
  }

  #answer(action: Action, outcome: Outcome): void {
    this.#emit({ type: "answer", actionId: action.actionId, outcome });
  }

  #emitAll(events: readonly VenueEvent[] | undefined): void {
    for (const event of events ?? []) {
      if (event.type !== "public-trade" || this.#tradeDeduplicator.isNew(event.marketId, event.id))
        this.#emit(event);
    }
  }

  #emit(event: VenueEvent): void {
    if (!this.#isClosed) this.#events.next(event);
  }
}

/**
 * Returns `timestamp` and `signature` of the account stream. The signed string includes the
 * account, which the path already contains.
 */
function accountQuery({ signer, exchangeNowMs }: LiveVenueOptions, account: Hex): string {
  const signed = signParams({}, account, exchangeNowMs(), signer);
  return signed.slice(signed.indexOf("&") + 1);
}
