import type { Clock, Random } from "../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { EmbeddedExchange } from "../../simulator/exchange.js";
import { PriceTrend, type TrendState } from "../market/price-trend.js";
import type { ShockedMarkets } from "../market/shocked-markets.js";
import type { FaultStretch } from "../rehearsal-plan.js";
import type { RehearsedFault } from "../rehearsed-fault.js";
import type { BotMachine } from "./bot-machine.js";
import type { HedgeExchanges } from "./hedge-exchanges.js";
import type { PriceSources } from "./price-sources.js";

const DROPS_PER_STRETCH = 3;
const TREND_STEP_MS: Ms = 250;
const LEAST_JUMP_BPS = 40;
const MOST_JUMP_BPS = 200;
const LEAST_MARK_BPS = 50;
const MOST_MARK_BPS = 300;
const LEAST_WRONG_BPS = 30;
const MOST_WRONG_BPS = 300;
/** Move of the price while its sources are silent: that is when sources fail. */
const LEAST_UNSEEN_BPS = 20;
const MOST_UNSEEN_BPS = 60;
const LEAST_SKEW_MS: Ms = 500;
const MOST_SKEW_MS: Ms = 8_000;

/** Everything that a fault can strike. */
export interface FaultTargets {
  readonly clock: Clock;
  readonly random: Random;
  readonly machine: BotMachine;
  readonly exchange: EmbeddedExchange;
  readonly hedges: HedgeExchanges;
  readonly sources: PriceSources;
  readonly markets: ShockedMarkets;
  readonly runsGuard: boolean;
  /** Signed position of the account, as the exchange has it. */
  readonly positionLots: (marketId: MarketId) => number;
  readonly trendState: () => TrendState;
  readonly died: () => void;
  readonly note: (text: string) => void;
}

/** Begins and ends the faults of a run that do not strike single requests, and counts them. */
export class StrikeSchedule {
  strikes = 0;
  readonly #targets: FaultTargets;

  constructor(targets: FaultTargets) {
    this.#targets = targets;
  }

  /** Sets the timers of a fault; times of the stretches count from now. */
  schedule(fault: RehearsedFault, stretches: readonly FaultStretch[]): void {
    for (const stretch of stretches) {
      this.#at(stretch.fromMs, () => {
        this.#targets.note(`${fault} begins`);
        this.#begin(fault, stretch);
      });
      this.#at(stretch.untilMs, () => {
        this.#end(fault);
        this.#targets.note(`${fault} ends`);
      });
    }
  }

  #at(inMs: Ms, run: () => void): void {
    this.#targets.clock.setTimer(inMs, run);
  }

  #begin(fault: RehearsedFault, stretch: FaultStretch): void {
    const { machine, markets, sources, hedges, random } = this.#targets;
    const { severity, sign } = stretch;
    switch (fault) {
      case "clock-step":
        this.strikes += 1;
        machine.clock.skewMs += sign * between(LEAST_SKEW_MS, MOST_SKEW_MS, severity);
        return;
      case "bot-killed":
        return this.#kill(false);
      case "bot-and-guard-killed":
        return this.#kill(true);
      case "exchange-stopped":
        this.strikes += 1;
        machine.setReachable(false);
        // A recording that is stopped begins anew: it goes on, and the bot cannot reach it.
        if (!markets.hasRecording) this.#targets.exchange.stop();
        return;
      case "snapshot-late": {
        const everyMs = (stretch.untilMs - stretch.fromMs) / DROPS_PER_STRETCH;
        for (let drop = 0; drop < DROPS_PER_STRETCH; drop += 1)
          this.#at(drop * everyMs, () => machine.dropStreams());
        return;
      }
      case "price-jump":
        return this.#jump(severity, sign);
      case "price-trend":
        this.strikes += 1;
        return this.#trend(stretch, sign);
      case "book-one-sided":
        this.strikes += 1;
        return markets.empty(sign > 0 ? "BUY" : "SELL");
      case "mark-wrong":
        this.strikes += 1;
        return markets.misprice(sign * between(LEAST_MARK_BPS, MOST_MARK_BPS, severity));
      case "reference-silent":
      case "reference-frozen":
        if (sources.sources.length > 0) this.strikes += 1;
        for (const source of sources.sources) {
          if (fault === "reference-silent") source.faults.isSilent = true;
          else source.faults.isFrozen = true;
        }
        return this.#drift(stretch, sign * between(LEAST_UNSEEN_BPS, MOST_UNSEEN_BPS, severity));
      case "reference-wrong": {
        const at = Math.floor(random.uniform() * sources.sources.length);
        const source = sources.sources[at];
        if (source === undefined) return;
        this.strikes += 1;
        source.faults.jumpBps = sign * between(LEAST_WRONG_BPS, MOST_WRONG_BPS, severity);
        return;
      }
      case "hedge-stopped":
        this.strikes += 1;
        return hedges.setRunning(false);
      case "hedge-orders-refused":
        this.strikes += 1;
        return hedges.setTrading(false);
      default:
    }
  }

  #end(fault: RehearsedFault): void {
    const { machine, markets, sources, hedges, exchange, runsGuard } = this.#targets;
    switch (fault) {
      case "clock-step":
        machine.clock.skewMs = 0;
        return;
      case "bot-killed":
        return machine.startBot();
      case "bot-and-guard-killed":
        machine.startBot();
        if (runsGuard) machine.startGuard();
        return;
      case "exchange-stopped":
        exchange.start();
        return machine.setReachable(true);
      case "book-one-sided":
        return markets.empty(undefined);
      case "mark-wrong":
        return markets.misprice(0);
      case "reference-silent":
      case "reference-frozen":
      case "reference-wrong":
        for (const { faults } of sources.sources) {
          faults.isSilent = false;
          faults.isFrozen = false;
          faults.jumpBps = 0;
        }
        return;
      case "hedge-stopped":
        return hedges.setRunning(true);
      case "hedge-orders-refused":
        return hedges.setTrading(true);
      default:
    }
  }

  #kill(withGuard: boolean): void {
    const { machine, died } = this.#targets;
    if (machine.rig === undefined) return;
    this.strikes += 1;
    died();
    machine.killBot();
    if (withGuard) machine.killGuard();
  }

  /** Each market jumps against the position that the account has in it. */
  #jump(severity: number, sign: 1 | -1): void {
    const { markets, positionLots } = this.#targets;
    for (const marketId of markets.synthetic) {
      const against = -Math.sign(positionLots(marketId));
      this.strikes += 1;
      this.#move(
        marketId,
        (against === 0 ? sign : against) * between(LEAST_JUMP_BPS, MOST_JUMP_BPS, severity),
      );
    }
  }

  /** All synthetic markets move against the position until every rung has been reached. */
  #trend({ fromMs, untilMs }: FaultStretch, sign: 1 | -1): void {
    const trend = new PriceTrend(sign, stepsIn(fromMs, untilMs), 1_000 / TREND_STEP_MS);
    this.#stepwise(() => trend.next(this.#targets.trendState()));
  }

  /** All synthetic markets move by as much, evenly until the end of the stretch. */
  #drift({ fromMs, untilMs }: FaultStretch, bps: number): void {
    const steps = stepsIn(fromMs, untilMs);
    let step = 0;
    this.#stepwise(() => {
      step += 1;
      return step > steps ? undefined : bps / steps;
    });
  }

  #stepwise(next: () => number | undefined): void {
    const { clock, markets } = this.#targets;
    const bps = next();
    if (bps === undefined) return;
    for (const marketId of markets.synthetic) this.#move(marketId, bps);
    clock.setTimer(TREND_STEP_MS, () => this.#stepwise(next));
  }

  #move(marketId: MarketId, bps: number): void {
    const { markets, exchange } = this.#targets;
    markets.move(marketId, bps, exchange.market(marketId).instrument.tickQuote);
  }
}

function stepsIn(fromMs: Ms, untilMs: Ms): number {
  return Math.max(1, Math.floor((untilMs - fromMs) / TREND_STEP_MS));
}

/** A size between two, by its severity. */
function between(least: number, most: number, severity: number): number {
  return least + severity * (most - least);
}
