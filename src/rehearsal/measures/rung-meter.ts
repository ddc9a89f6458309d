import type { BotConfig } from "../../bot/config/config.js";
import { ladderRungsFor } from "../../bot/safety/ladder-rungs.js";
import type { CreditUnits, Lots, MarketId, Ms } from "../../core/units.js";
import { DAILY_LOSS } from "../../risk/halt.js";
import type { LadderTrack } from "../../risk/ladder-track.js";
import { type Rung, severityFor } from "../../risk/risk-ladder.js";
import type { Order } from "../../simulator/accounts/account.js";
import type { EmbeddedExchange } from "../../simulator/exchange.js";
import type { RehearsedRung } from "../rehearsal-result.js";
import type { RunSample } from "./run-sample.js";

/** A loss counts as reached once it has lasted so long: the bot reads its equity with each mark. */
const LASTS_MS: Ms = 1_000;
/** A rung that has not acted so long after its loss has failed. */
const ACTS_WITHIN_MS: Ms = 10_000;
/** Time that cancels take at most after a rung acted. */
const CANCELS_WITHIN_MS: Ms = 5_000;
/** Time that a flattening takes at most. */
const FLAT_WITHIN_MS: Ms = 60_000;
/** Samples of quotes' distances that make a mean. */
const FEWEST_DISTANCES = 20;
/** Share of the widening that must be seen in the quotes' distances. */
const SEEN_WIDENING = 0.25;

/** Judges each rung of the losses by the exchange's records. */
export class RungMeter {
  readonly #rungs: readonly WatchedRung[];
  #peak: CreditUnits | undefined;
  #first: CreditUnits = 0n;
  #loss: CreditUnits = 0n;

  constructor(config: Pick<BotConfig, "risk">, creditDecimals: number, exchange: EmbeddedExchange) {
    const { drawdown, dailyLoss } = ladderRungsFor(config, creditDecimals);
    this.#rungs = [
      ...drawdown.map((rung, index) => new WatchedRung("drawdown", rung, index, exchange)),
      ...dailyLoss.map((rung, index) => new WatchedRung(DAILY_LOSS, rung, index, exchange)),
    ];
  }

  /** The largest loss that a rung names, in credit units. */
  get highest(): CreditUnits {
    return this.#rungs.reduce((most, { rung }) => (rung.from > most ? rung.from : most), 0n);
  }

  /** The loss since the start at the last sample: never above the one from the peak. */
  get loss(): CreditUnits {
    return this.#loss;
  }

  /**
   * The next drawdown that a rung names, once one that reduces the position has acted long enough
   * to be judged; undefined otherwise.
   */
  nextAfterReduction(nowMs: Ms): CreditUnits | undefined {
    const ladder = this.#rungs.filter(({ measure }) => measure === "drawdown");
    const isReducing = ladder.some((rung) => rung.hasReduced(nowMs));
    return isReducing ? ladder.find(({ wasReached }) => !wasReached)?.rung.from : undefined;
  }

  sample(sample: RunSample): void {
    const { equity } = sample;
    if (this.#peak === undefined) this.#first = equity;
    if (this.#peak === undefined || equity > this.#peak) this.#peak = equity;
    this.#loss = this.#first - equity;
    const losses = { drawdown: this.#peak - equity, [DAILY_LOSS]: this.#first - equity };
    for (const rung of this.#rungs) rung.sample(sample, losses[rung.measure]);
  }

  /** Rungs that have begun to act since the last call, by name. */
  begun(): readonly string[] {
    return this.#rungs.filter((rung) => rung.hasJustFired()).map(({ name }) => name);
  }

  rungs(endMs: Ms): readonly RehearsedRung[] {
    return this.#rungs.map((rung) => rung.result(endMs));
  }
}

class WatchedRung {
  readonly name: string;
  #overSinceMs: Ms | undefined;
  #reachedMs: Ms | undefined;
  #firedMs: Ms | undefined;
  /** True if the bot passed this rung itself; a severer latch below puts it in force too. */
  #wasPassed = false;
  #isReported = false;
  /** A broken promise, or one that was seen to be kept. */
  #isBroken = false;
  #isKept = false;
  readonly #smallest = new Map<MarketId, Lots>();
  readonly #before: number[] = [];
  readonly #after: number[] = [];

  constructor(
    readonly measure: RehearsedRung["measure"],
    readonly rung: Rung<CreditUnits>,
    readonly index: number,
    readonly exchange: EmbeddedExchange,
  ) {
    this.name = `${measure} ${rung.threshold}`;
  }

  get wasReached(): boolean {
    return this.#reachedMs !== undefined;
  }

  /** True once a rung of `reduce` has acted long enough to be judged. */
  hasReduced(nowMs: Ms): boolean {
    return (
      this.rung.action === "reduce" &&
      this.#firedMs !== undefined &&
      nowMs - this.#firedMs > CANCELS_WITHIN_MS + LASTS_MS
    );
  }

  sample(sample: RunSample, loss: CreditUnits): void {
    const { atMs, ladderTracks } = sample;
    if (loss < this.rung.from) this.#overSinceMs = undefined;
    else this.#overSinceMs ??= atMs;
    if (this.#overSinceMs !== undefined && atMs - this.#overSinceMs >= LASTS_MS)
      this.#reachedMs ??= this.#overSinceMs;
    const track = ladderTracks.find(({ measure }) => measure === this.measure);
    const isActive = track !== undefined && this.#isActive(track);
    if (isActive) this.#firedMs ??= atMs;
    if (isActive && this.index < track.reached) this.#wasPassed = true;
    if (this.rung.action === "widen") this.#noteDistance(sample, track);
    if (isActive && this.#firedMs !== undefined) this.#judge(sample, atMs - this.#firedMs);
  }

  hasJustFired(): boolean {
    if (this.#firedMs === undefined || this.#isReported) return false;
    this.#isReported = true;
    return true;
  }

  result(endMs: Ms): RehearsedRung {
    const { action, from } = this.rung;
    const reachedMs = this.#reachedMs;
    const hasActed = reachedMs !== undefined || this.#wasPassed;
    const firedMs = hasActed ? this.#firedMs : undefined;
    return {
      name: this.name,
      measure: this.measure,
      action,
      atScaled: from,
      wasReached: reachedMs !== undefined,
      // The bot may act on a loss that was over before it counted as reached.
      firedAfterMs:
        firedMs === undefined ? undefined : Math.max(0, firedMs - (reachedMs ?? firedMs)),
      worked: hasActed ? this.#verdict(reachedMs, endMs) : undefined,
    };
  }

  #verdict(reachedMs: Ms | undefined, endMs: Ms): boolean | undefined {
    const firedMs = this.#firedMs;
    if (firedMs === undefined)
      return reachedMs === undefined || endMs - reachedMs < ACTS_WITHIN_MS ? undefined : false;
    if (this.#isBroken) return false;
    const { action } = this.rung;
    if (action === "warn" || this.#isKept) return true;
    if (action === "flatten") return endMs - firedMs < FLAT_WITHIN_MS ? undefined : false;
    if (action === "widen") return this.#hasWidened();
    return undefined;
  }

  /** True while the bot says that the rung is in force. */
  #isActive({ reached, latch }: Readonly<LadderTrack>): boolean {
    if (!this.rung.latches) return this.index < reached;
    return latch !== undefined && severityFor(this.rung.action) <= severityFor(latch.action);
  }

  #judge({ openOrders, positions }: RunSample, sinceMs: Ms): void {
    const { action } = this.rung;
    if (action === "flatten" && [...positions.values()].every((lots) => lots === 0))
      this.#isKept = true;
    if (sinceMs < CANCELS_WITHIN_MS) return;
    if (action === "halt") {
      if (openOrders.length > 0) this.#isBroken = true;
      else this.#isKept = true;
    }
    if (action === "reduce") {
      this.#isKept = true;
      for (const [marketId, lots] of positions) {
        const smallest = this.#smallest.get(marketId) ?? lots;
        if (Math.abs(lots) > Math.abs(smallest) || lots * smallest < 0) this.#isBroken = true;
        this.#smallest.set(marketId, lots);
      }
    }
  }

  /** Distances of the nearest own orders from the mid, before the rung and while it acts. */
  #noteDistance({ openOrders, atMs }: RunSample, track: Readonly<LadderTrack> | undefined): void {
    const distance = nearestBps(openOrders, this.exchange);
    if (distance === undefined) return;
    if (this.#firedMs === undefined) this.#before.push(distance);
    else if (
      track?.reached === this.index + 1 &&
      track.latch === undefined &&
      atMs - this.#firedMs >= CANCELS_WITHIN_MS
    )
      this.#after.push(distance);
  }

  #hasWidened(): boolean | undefined {
    if (this.#before.length < FEWEST_DISTANCES || this.#after.length < FEWEST_DISTANCES)
      return undefined;
    const factor = 1 + ((this.rung.widenFactor ?? 1) - 1) * SEEN_WIDENING;
    return meanOf(this.#after) >= meanOf(this.#before) * factor;
  }
}

/** Mean distance of both sides' nearest orders from the mid; undefined without both. */
function nearestBps(orders: readonly Order[], exchange: EmbeddedExchange): number | undefined {
  const [first] = orders;
  if (first === undefined) return undefined;
  const { midTicks } = exchange.market(first.terms.market.id);
  let [bid, ask] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { terms, side } of orders) {
    if (terms.market !== first.terms.market) continue;
    if (side === "BUY") bid = Math.max(bid, terms.ticks);
    else ask = Math.min(ask, terms.ticks);
  }
  const bps = ((ask - bid) / 2 / midTicks) * 10_000;
  return Number.isFinite(bps) ? bps : undefined;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
