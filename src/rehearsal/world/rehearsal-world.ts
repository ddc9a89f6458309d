import type { BotConfig } from "../../bot/config/config.js";
import type { BotEvent } from "../../bot/engine/bot-event.js";
import { seededRandom } from "../../core/runtime/seeded-random.js";
import { VirtualClock } from "../../core/runtime/virtual-clock.js";
import type { CreditUnits, MarketId, Ms } from "../../core/units.js";
import { FaultSource } from "../../simulation/faults.js";
import { keyedScheme } from "../../simulation/keyed-scheme.js";
import { EmbeddedExchange } from "../../simulator/exchange.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import { exchangeForRun, type RehearsalMarket } from "../market/rehearsal-market.js";
import { ShockedMarkets } from "../market/shocked-markets.js";
import { DeathMeter } from "../measures/death-meter.js";
import { EdgeMeter } from "../measures/edge-meter.js";
import { ExchangeTruth } from "../measures/exchange-truth.js";
import { ExposureMeter } from "../measures/exposure-meter.js";
import { HaltMeter } from "../measures/halt-meter.js";
import type { RunSample } from "../measures/run-sample.js";
import { RungMeter } from "../measures/rung-meter.js";
import { Timeline } from "../measures/timeline.js";
import { drawStretches, type FaultStretch, isNetworkFault } from "../rehearsal-plan.js";
import type { RehearsedRun } from "../rehearsal-result.js";
import type { RehearsedFault } from "../rehearsed-fault.js";
import { BotMachine } from "./bot-machine.js";
import { HedgeExchanges, withHedgeSymbols } from "./hedge-exchanges.js";
import { PriceSources } from "./price-sources.js";
import { StrikeSchedule } from "./strike-schedule.js";

/** One run of a rehearsal. */
export interface RunOptions {
  readonly bot: BotConfig;
  readonly strategies: ReadonlyMap<MarketId, BoundStrategy>;
  readonly market: RehearsalMarket;
  readonly seed: number;
  readonly fault: RehearsedFault;
  readonly marketMs: Ms;
  readonly runsGuard: boolean;
  readonly withTimeline: boolean;
}

const START_MS: Ms = 1_760_000_000_000;
/** The market trades for so long before the bot starts. */
const WARM_UP_MS: Ms = 2_000;
const SAMPLE_MS: Ms = 100;
/** Time in which a bot stops. */
const STOP_WITHIN_MS: Ms = 40_000;
const STOP_STEP_MS: Ms = 500;

/**
 * The bot of a user's file on its exchanges in virtual time, with one kind of fault, and the
 * measures of all that. The same options give the same run.
 */
export class RehearsalWorld {
  readonly #options: RunOptions;
  readonly #bot: BotConfig;
  readonly #clock = new VirtualClock(START_MS);
  readonly #scheme = keyedScheme();
  readonly #stretches: readonly FaultStretch[];
  readonly #markets: ShockedMarkets;
  readonly #exchange: EmbeddedExchange;
  readonly #faults: FaultSource;
  readonly #hedgeFaults: FaultSource;
  readonly #hedges: HedgeExchanges;
  readonly #sources: PriceSources;
  readonly #machine: BotMachine;
  readonly #truth: ExchangeTruth;
  readonly #schedule: StrikeSchedule;
  readonly #quoted: readonly MarketId[];
  readonly #halts = new HaltMeter();
  readonly #deaths = new DeathMeter();
  readonly #rungs: RungMeter;
  readonly #exposure: ExposureMeter;
  readonly #edges = new EdgeMeter();
  readonly #timeline: Timeline;
  #isSampling = true;
  #hasStopped = false;
  #error: string | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    const { seed, fault, marketMs, market, strategies } = options;
    this.#bot = withHedgeSymbols(options.bot);
    const clock = this.#clock;
    const scheme = this.#scheme;
    const bot = this.#bot;
    this.#quoted = Object.entries(bot.markets).flatMap(([id, { strategy }]) =>
      strategy === undefined ? [] : [id],
    );
    this.#stretches = drawStretches(fault, seed, marketMs);
    const config = exchangeForRun(market.config, seed, fault, this.#stretches);
    this.#markets = new ShockedMarkets({ ...market, config }, seed, clock);
    const quoteOf = (marketId: MarketId): number => this.#markets.quoteOf(marketId);
    this.#exchange = new EmbeddedExchange(
      config,
      { clock, random: seededRandom(`rehearsal exchange ${seed}`) },
      { scheme, createFlow: (marketId) => this.#markets.createFlow(marketId) },
    );
    this.#faults = this.#faultSource("network", isNetworkFault(fault) ? fault : undefined);
    this.#hedgeFaults = this.#faultSource(
      "hedge network",
      fault === "hedge-answers-lost" ? "answer-lost" : undefined,
    );
    const [{ probability = 0 } = {}] = this.#stretches;
    this.#hedges = new HedgeExchanges({
      ...{ bot, seed, clock, scheme, quoteOf },
      primary: config,
      failureRate: fault === "hedge-settlement-failed" ? probability : 0,
      faults: this.#hedgeFaults,
    });
    this.#sources = new PriceSources({
      ...{ bot, seed, clock, quoteOf },
      deliver: (update) => this.#machine.rig?.bot.accept({ kind: "reference", update }),
    });
    this.#timeline = new Timeline(options.withTimeline, () => this.#nowMs());
    this.#machine = new BotMachine({
      ...{ bot, strategies, seed, clock, scheme },
      exchange: this.#exchange,
      faults: this.#faults,
      hedges: this.#hedges,
      onNotice: (notice) => this.#observe(notice),
      onStart: () => {
        this.#timeline.add("bot", "the bot starts");
        this.#deaths.isBack(this.#sampled());
      },
      onGuardCancel: () => {
        this.#deaths.guardCancelled(this.#nowMs());
        this.#timeline.add("guard", "a cancel of the guard reaches the exchange");
      },
      onGuard: (text) => this.#timeline.add("guard", `guard: ${text}`),
    });
    this.#truth = new ExchangeTruth(this.#exchange, this.#machine.account);
    this.#rungs = new RungMeter(bot, config.creditDecimals, this.#exchange);
    this.#exposure = new ExposureMeter(this.#exchange, this.#quoted);
    this.#schedule = new StrikeSchedule({
      clock,
      random: seededRandom(`rehearsal schedule ${seed}`),
      machine: this.#machine,
      exchange: this.#exchange,
      hedges: this.#hedges,
      sources: this.#sources,
      markets: this.#markets,
      runsGuard: options.runsGuard,
      positionLots: (marketId) => this.#truth.positionLots(marketId),
      trendState: () => ({
        loss: this.#rungs.loss,
        highestLoss: this.#rungs.highest,
        gapToLoss: this.#rungs.nextAfterReduction(this.#nowMs()),
        held: new Map(this.#quoted.map((id) => [id, this.#truth.positionValue(id)])),
      }),
      died: () => {
        this.#deaths.died(this.#sampled());
        this.#halts.ended(this.#nowMs());
        this.#timeline.add("bot", "the bot's process is killed");
      },
      note: (text) => this.#timeline.add("fault", text),
    });
  }

  /** Equity of the account alone at the start of a run, before anything has happened. */
  async startEquity(): Promise<CreditUnits> {
    await this.#open();
    const { equity } = this.#truth;
    this.#close();
    return equity;
  }

  /** Plays the whole run. An error of the bot ends it, and is in the result. */
  async run(): Promise<RehearsedRun> {
    const { marketMs, runsGuard, fault } = this.#options;
    await this.#open();
    const startEquity = this.equity;
    let endEquity = startEquity;
    try {
      this.#machine.startBot();
      if (runsGuard) this.#machine.startGuard();
      this.#sources.start();
      this.#schedule.schedule(fault, this.#stretches);
      this.#sampleAgain();
      await this.#clock.runUntil(START_MS + WARM_UP_MS + marketMs);
      this.#isSampling = false;
      endEquity = this.equity;
      await this.#stop();
    } catch (error) {
      this.#error = error instanceof Error ? error.message : String(error);
      endEquity = this.equity;
    }
    const result = this.#result(endEquity - startEquity);
    this.#machine.killBot();
    this.#machine.killGuard();
    this.#close();
    return result;
  }

  /** Of the account and of its hedge accounts. */
  get equity(): CreditUnits {
    return this.#truth.equity + this.#hedges.equity;
  }

  async #open(): Promise<void> {
    await this.#markets.prepare(this.#exchange);
    this.#exchange.start();
    this.#exchange.register(this.#machine.account);
    this.#hedges.start();
    await this.#clock.runFor(WARM_UP_MS);
  }

  #close(): void {
    this.#exchange.stop();
    this.#hedges.stop();
  }

  /** Stops the bot as Ctrl-C does, without a new fault. */
  async #stop(): Promise<void> {
    if (this.#machine.rig === undefined) return;
    this.#machine.stopBot();
    for (let waitedMs = 0; waitedMs < STOP_WITHIN_MS && !this.#hasStopped; waitedMs += STOP_STEP_MS)
      await this.#clock.runFor(STOP_STEP_MS);
  }

  #result(profitScaled: CreditUnits): RehearsedRun {
    const { seed, fault, marketMs, withTimeline } = this.#options;
    const { requests } = this.#machine;
    const startMs = START_MS + WARM_UP_MS;
    const fills = this.#truth
      .fills()
      .map((fill) => ({ ...fill, atMs: fill.atMs - startMs }))
      .filter(({ atMs }) => atMs <= marketMs);
    const kept = fills.filter(({ hasFailed }) => !hasFailed);
    const hedgeFills = [...this.#hedges.truths.values()].flatMap((truth) => truth.fills());
    const endMs = Math.min(marketMs, this.#nowMs());
    this.#timeline.addFills(fills, (marketId) => this.#exchange.market(marketId).instrument);
    return {
      seed,
      fault,
      strikes: this.#strikes(fills.length - kept.length, hedgeFills),
      profitScaled,
      worstDrawdownScaled: this.#exposure.worstDrawdown,
      unquotedMs: this.#exposure.unquotedMs,
      marketMs,
      markets: this.#quoted.length,
      orders: requests.orders,
      cancels: requests.cancels,
      tokens: { ...requests.tokens },
      refusals429: requests.refusals429 + (this.#faults.struck.get("storm-429") ?? 0),
      deaths: this.#deaths.deaths(fills, endMs),
      halts: this.#halts.halts(endMs),
      rungs: this.#rungs.rungs(endMs),
      fills: kept.length,
      turnoverScaled: kept.reduce((sum, { quote }) => sum + quote, 0n),
      feesScaled: kept.reduce((sum, { commission }) => sum + commission, 0n),
      edgeScaled: this.#edges.edge(kept),
      largestPositionLots: this.#exposure.largestPositionLots,
      largestOrderLots: this.#exposure.largestOrderLots,
      quotesOnStaleReferenceMs: this.#exposure.quotesOnStaleReferenceMs,
      unhedgedMs: this.#exposure.unhedgedMs,
      ordersLeftOpen: this.#truth.openOrders().length,
      error: this.#error,
      timeline: withTimeline ? this.#timeline.moments : undefined,
    };
  }

  #strikes(failed: number, hedgeFills: readonly { readonly hasFailed: boolean }[]): number {
    const { fault } = this.#options;
    if (fault === "settlement-failed") return failed;
    if (fault === "hedge-answers-lost") return this.#hedgeFaults.struck.get("answer-lost") ?? 0;
    if (isNetworkFault(fault)) return this.#faults.struck.get(fault) ?? 0;
    if (fault === "hedge-settlement-failed")
      return hedgeFills.filter(({ hasFailed }) => hasFailed).length;
    if (fault === "funding-extreme") return this.#truth.fundings;
    return this.#schedule.strikes;
  }

  #faultSource(
    name: string,
    kind: ConstructorParameters<typeof FaultSource>[0][number]["kind"] | undefined,
  ) {
    const { seed } = this.#options;
    const startMs = START_MS + WARM_UP_MS;
    const windows =
      kind === undefined
        ? []
        : this.#stretches.map(({ fromMs, untilMs, probability }) => ({
            kind,
            fromMs: startMs + fromMs,
            untilMs: startMs + untilMs,
            probability,
          }));
    return new FaultSource(windows, seededRandom(`rehearsal ${name} ${seed}`));
  }

  #observe(notice: BotEvent): void {
    this.#halts.observe(notice, this.#nowMs());
    this.#timeline.observe(notice);
    if (notice.kind === "stopped") this.#hasStopped = true;
  }

  /** Time since the start of the bot. */
  #nowMs(): Ms {
    return this.#clock.nowMs() - START_MS - WARM_UP_MS;
  }

  #sampled(): RunSample {
    return {
      atMs: this.#nowMs(),
      equity: this.equity,
      openOrders: this.#truth.openOrders(),
      positions: new Map(this.#quoted.map((id) => [id, this.#truth.positionLots(id)])),
      isExchangeRunning: this.#exchange.isRunning,
      ladderTracks: this.#machine.rig?.bot.tradingGuards.ladder.tracks ?? [],
    };
  }

  #sampleAgain(): void {
    this.#clock.setTimer(SAMPLE_MS, () => {
      if (!this.#isSampling) return;
      const sample = this.#sampled();
      this.#rungs.sample(sample);
      this.#deaths.sample(sample);
      for (const marketId of this.#quoted) {
        const { tickQuote } = this.#exchange.market(marketId).instrument;
        this.#edges.sample(marketId, sample.atMs, this.#markets.quoteOf(marketId) / tickQuote);
      }
      this.#exposure.sample(sample, SAMPLE_MS, (marketId) => ({
        referenceSilentMs: this.#sources.silentMs(marketId),
        isBeyondBand: this.#hedges.isBeyondBand(
          marketId,
          (sample.positions.get(marketId) ?? 0) *
            this.#exchange.market(marketId).instrument.lotBase,
        ),
        maxUnhedgedMs: this.#bot.markets[marketId]?.hedge?.maxUnhedgedMs ?? 0,
      }));
      for (const name of this.#rungs.begun()) this.#timeline.add("rung", `${name} acts`);
      this.#sampleAgain();
    });
  }
}
