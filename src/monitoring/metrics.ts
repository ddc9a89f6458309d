import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { MarketId, Side } from "../core/units.js";
import type { ReferenceReading, ReferenceState } from "../reference/reference-snapshot.js";
import {
  METRIC_LIST,
  METRIC_PREFIX,
  type MetricKey,
  type MetricLabels,
  type MetricSpec,
} from "./metric-list.js";
import type { PnlPart } from "./pnl-parts.js";

/** Values of a market's hedge; base and quote units. */
export interface HedgeGauges {
  readonly isReachable: boolean;
  readonly positionBase: number;
  readonly unhedgedBase: number;
  readonly profitQuote: number;
}

/** All states of a reference price. */
const REFERENCE_STATES = [
  "good",
  "starting",
  "stale",
  "disagreeing",
] as const satisfies readonly ReferenceState[];

/** Kind of a request to the exchange. */
type OrderActionName = "place" | "cancel" | "cancel-all";
/** Its outcome. */
export type OrderOutcomeName =
  | "accepted"
  | "cancelled"
  | "rejected"
  | "throttled"
  | "unknown"
  | "not-sent";
/**
 * A bot's metrics: one registry per bot, so that several bots, and tests, can run in one process.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #counters = new Map<MetricKey, Counter>();
  readonly #gauges = new Map<MetricKey, Gauge>();
  readonly #histograms = new Map<MetricKey, Histogram>();
  /**
   * Intents since the last page. They come with every decision, and a counter with labels costs
   * more than a strategy.
   */
  readonly #intents = new Map<MarketId, { quotes: number; target: number }>();

  constructor() {
    for (const key of Object.keys(METRIC_LIST) as MetricKey[]) this.#declare(key, METRIC_LIST[key]);
  }

  /** Adds Node's own process metrics (`nodejs_...`, `process_...`) to the page. */
  withProcessMetrics(): this {
    collectDefaultMetrics({ register: this.registry });
    return this;
  }

  /** Counts an order action by its outcome; a cancel-all has no side. */
  orderAction(
    market: MarketId,
    side: Side | undefined,
    action: OrderActionName,
    outcome: OrderOutcomeName,
  ): void {
    this.#count("orders", { market, side: side ?? "ALL", action, outcome });
  }

  /** Counts a rejection by the exchange's error code. */
  rejection(market: MarketId, code: number): void {
    this.#count("rejections", { market, code: String(code) });
  }

  setOpenOrders(market: MarketId, side: Side, count: number): void {
    this.#set("openOrders", { market, side }, count);
  }

  setUnknownOrders(market: MarketId, count: number): void {
    this.#set("unknownOrders", { market }, count);
  }

  setManualOrders(market: MarketId, count: number): void {
    this.#set("manualOrders", { market }, count);
  }

  /** Sets the gauge to 1 if every side that a strategy quotes in a market has an open order. */
  setQuoting(market: MarketId, on: boolean): void {
    this.#set("quoting", { market }, on ? 1 : 0);
  }

  /** Sets the share of the time since the start with an own order on a side, or on both. */
  setQuotedFraction(market: MarketId, side: Side | "BOTH", fraction: number): void {
    this.#set("quotedFraction", { market, side }, fraction);
  }

  /** Sets the mean distance of the best own order of a side behind the touch. */
  setQuoteDistance(market: MarketId, side: Side, bps: number): void {
    this.#set("quoteDistance", { market, side }, bps);
  }

  /** Sets the markout of a group of fills at one horizon. */
  setMarkout(
    group: MetricLabels<"markoutBps">,
    { fills, quote, bps }: { readonly fills: number; readonly quote: number; readonly bps: number },
  ): void {
    this.#set("markoutFills", group, fills);
    this.#set("markoutQuote", group, quote);
    this.#set("markoutBps", group, bps);
  }

  /** Sets the time for which the position of a market has been unknown; 0 while it is known. */
  setPositionUnknown(market: MarketId, seconds: number): void {
    this.#set("positionUnknown", { market }, seconds);
  }

  /** Counts one own trade when it matches. */
  fill(market: MarketId, side: Side, liquidity: "maker" | "taker", base: number): void {
    this.#count("fills", { market, side, liquidity });
    this.#count("filledBase", { market, side }, base);
  }

  settlementFailure(market: MarketId): void {
    this.#count("settlementFailures", { market });
  }

  /** Signed base units. */
  setPosition(market: MarketId, base: number): void {
    this.#set("position", { market }, base);
  }

  /** Sets the net value of the account, and its peak. */
  setEquity(quote: number, peakQuote: number): void {
    this.#set("equity", {}, quote);
    this.#set("peakEquity", {}, peakQuote);
  }

  /** Sets the amount that only balances or only records contain so far. */
  setInTransit(quote: number): void {
    this.#set("underWay", {}, quote);
  }

  setPnl(market: MarketId, part: PnlPart, quote: number): void {
    this.#set("pnl", { market, part }, quote);
  }

  /** Sets the tokens left in a rate limit's window. */
  setRateTokens(bucket: string, left: number): void {
    this.#set("rateTokens", { bucket }, left);
  }

  /** Sets the flag for requests that wait for tokens of a rate limit. */
  setTokensShort(bucket: string, short: boolean): void {
    this.#set("tokensShort", { bucket }, short ? 1 : 0);
  }

  /** Sets the mean delay of the event loop over two seconds, and the flag for load shedding. */
  setLoopLag(seconds: number, isShedding: boolean): void {
    this.#set("loopLag", {}, seconds);
    this.#set("loadShed", {}, isShedding ? 1 : 0);
  }

  throttled(status: 429 | 418): void {
    this.#count("throttled", { status: String(status) });
  }

  /** Observes the time from a stream message to writing the signed order to the socket. */
  tickToOrder(seconds: number): void {
    this.#histograms.get("tickToOrder")?.observe(seconds);
  }

  /** Observes the time from writing an order action to the socket to its response. */
  orderAck(seconds: number): void {
    this.#histograms.get("orderAck")?.observe(seconds);
  }

  /** Counts an intent that passed the risk checks' validation. */
  intent(market: MarketId, kind: "quotes" | "target"): void {
    let counts = this.#intents.get(market);
    if (counts === undefined) {
      counts = { quotes: 0, target: 0 };
      this.#intents.set(market, counts);
    }
    counts[kind] += 1;
  }

  /** Counts an intent or action that a limit or guard blocked or reduced. */
  riskRefusal(market: MarketId, rule: string): void {
    this.#count("clamps", { market, rule });
  }

  streamState(stream: "market" | "account", up: boolean): void {
    this.#set("streamUp", { stream }, up ? 1 : 0);
    if (up) this.#count("streamConnects", { stream });
  }

  streamGap(market: MarketId): void {
    this.#count("streamGaps", { market });
  }

  malformedFrame(kind: string): void {
    this.#count("malformed", { kind });
  }

  setBookAge(market: MarketId, seconds: number): void {
    this.#set("bookAge", { market }, seconds);
  }

  /** Sets a market's reference price. @param tickQuote quote units of one tick */
  setReference(market: MarketId, reading: ReferenceReading, tickQuote: number): void {
    for (const state of REFERENCE_STATES)
      this.#set("referenceState", { market, state }, reading.state === state ? 1 : 0);
    this.#set("referencePrice", { market }, reading.priceTicks * tickQuote);
    this.#set("referenceFairPrice", { market }, reading.fairTicks * tickQuote);
    this.#set("referenceAge", { market }, reading.ageMs / 1000);
    this.#set("referenceBasis", { market }, reading.basisBps);
    for (const { source, counts, ageMs } of reading.readings) {
      this.#set("referenceSourceCounts", { market, source }, counts ? 1 : 0);
      this.#set("referenceSourceAge", { market, source }, ageMs / 1000);
    }
  }

  /** Sets the state of a market's hedge; NaN for an amount that is not known. */
  setHedge(market: MarketId, venue: string, gauges: HedgeGauges): void {
    const labels = { market, venue };
    this.#set("hedgeReachable", labels, gauges.isReachable ? 1 : 0);
    this.#set("hedgePosition", labels, gauges.positionBase);
    this.#set("hedgeUnhedged", labels, gauges.unhedgedBase);
    this.#set("hedgeProfit", labels, gauges.profitQuote);
  }

  hedgeFill(market: MarketId, venue: string, side: Side, base: number): void {
    this.#count("hedgeFills", { market, venue, side }, base);
  }

  setAccountAge(seconds: number): void {
    this.#set("accountAge", {}, seconds);
  }

  /** Sets the exchange's clock less this machine's. */
  setClockOffset(seconds: number): void {
    this.#set("clockOffset", {}, seconds);
  }

  reconciled(): void {
    this.#count("reconciles", {});
  }

  reconcileDifference(kind: string, count = 1): void {
    this.#count("reconcileDifferences", { kind }, count);
  }

  /** Sets or clears a halt reason of the bot or any of its markets. */
  halted(reason: string, on: boolean): void {
    this.#set("halted", { reason }, on ? 1 : 0);
  }

  marketHalted(market: MarketId, reason: string, on: boolean): void {
    this.#set("marketHalted", { market, reason }, on ? 1 : 0);
  }

  /** @param market empty for a measure of the account. @param severity 0 none to 5 flatten. */
  setRiskRung(measure: string, market: MarketId, severity: number): void {
    this.#set("riskRung", { measure, market }, severity);
  }

  setDailyLoss(quote: number): void {
    this.#set("dailyLoss", {}, quote);
  }

  /** Sets the time of the last heartbeat to the guard, by this machine's clock. */
  heartbeat(atMs: number): void {
    this.#set("heartbeat", {}, atMs / 1000);
  }

  setGuarded(isGuarded: boolean): void {
    this.#set("guarded", {}, isGuarded ? 1 : 0);
  }

  /** Sets whether a file of the state folder cannot be written. */
  setStateUnwritten(file: string, isUnwritten: boolean): void {
    this.#set("stateUnwritten", { file }, isUnwritten ? 1 : 0);
  }

  /** Counts the outcome of an account's position in danger. */
  liquidation(market: MarketId, outcome: string): void {
    this.#count("liquidations", { market, outcome });
  }

  /**
   * Counts a stage of an account's position in danger. @param seconds since the previous stage;
   * undefined for the first.
   */
  liquidationStage(market: MarketId, stage: string, seconds: number | undefined): void {
    this.#count("liquidationStages", { market, stage });
    if (seconds !== undefined)
      this.#histograms.get("liquidationSeconds")?.observe({ stage }, seconds);
  }

  liquidationGas(eth: number): void {
    this.#count("liquidationGas", {}, eth);
  }

  setLiquidator(figures: {
    readonly profitQuote: number;
    readonly candidates: number;
    readonly inFlight: number;
  }): void {
    this.#set("liquidationProfit", {}, figures.profitQuote);
    this.#set("liquidationCandidates", {}, figures.candidates);
    this.#set("liquidationsInFlight", {}, figures.inFlight);
  }

  /** @param headAgeSeconds undefined while it has reported no block. */
  setRpc(rpc: string, isBelieved: boolean, headAgeSeconds: number | undefined): void {
    this.#set("rpcUp", { rpc }, isBelieved ? 1 : 0);
    if (headAgeSeconds !== undefined) this.#set("rpcHeadAge", { rpc }, headAgeSeconds);
  }

  setBuild(version: string, node: string): void {
    this.#set("buildInfo", { version, node }, 1);
  }

  /** Returns the page that Prometheus scrapes. */
  page(): Promise<string> {
    return this.registry.metrics();
  }

  #declare(key: MetricKey, { name, type, help, labels, buckets }: MetricSpec): void {
    const options = {
      name: `${METRIC_PREFIX}${name}`,
      help,
      labelNames: Object.keys(labels),
      registers: [this.registry],
    };
    if (type === "counter")
      this.#counters.set(
        key,
        new Counter(
          key === "intents" ? { ...options, collect: () => this.#countIntents() } : options,
        ),
      );
    else if (type === "gauge") this.#gauges.set(key, unknownGauge(options));
    else
      this.#histograms.set(
        key,
        new Histogram({ ...options, ...(buckets === undefined ? {} : { buckets: [...buckets] }) }),
      );
  }

  #countIntents(): void {
    for (const [market, counts] of this.#intents) {
      for (const kind of ["quotes", "target"] as const) {
        if (counts[kind] > 0) this.#count("intents", { market, kind }, counts[kind]);
        counts[kind] = 0;
      }
    }
  }

  #count<Key extends MetricKey>(key: Key, labels: MetricLabels<Key>, by = 1): void {
    this.#counters.get(key)?.inc(labels, by);
  }

  #set<Key extends MetricKey>(key: Key, labels: MetricLabels<Key>, value: number): void {
    this.#gauges.get(key)?.set(labels, value);
  }
}

/**
 * A gauge without labels would start at zero: an unread equity would raise an alarm, and an unread
 * age would not.
 */
function unknownGauge(options: ConstructorParameters<typeof Gauge>[0]): Gauge {
  const gauge = new Gauge(options);
  gauge.remove({});
  return gauge;
}
