import type { Lots, Ms, Side } from "#core/units.js";
import { sideSign } from "#core/units.js";
import type { HedgePlace } from "#hedge/hedge-venue.js";
import type { Violation } from "../violation.js";
import type { HedgePlan } from "./hedge-plan.js";
import type { HedgeTruth } from "./hedge-truth.js";

/** After its timestamp an order of this age is refused by both exchanges. */
const ACCEPTANCE_MS: Ms = 6_000;
/** Round trips, the pause after a refused order, and the interval of the bot's ticks. */
const SLACK_MS: Ms = 1_500;
/** How long after a fault the bot may still act on what it missed. */
const DISTURBED_MS: Ms = 30_000;
/** How old the bot's knowledge may be, without and with a fault. */
const FRESH_MS: Ms = 1_000;
const OLD_MS: Ms = 60_000;
/** The bot cancels quotes that it may not have any more. */
const AWAY_GRACE_MS: Ms = 3_000;

/** One of the two venues. */
export type Leg = "primary" | "hedge";

/** The parts of a run that the oracle reads. */
export interface HedgeOracleDeps {
  readonly plan: HedgePlan;
  readonly nowMs: () => Ms;
  readonly primary: HedgeTruth;
  readonly hedge: HedgeTruth;
}

interface PendingPlace {
  readonly key: string;
  readonly side: Side;
  readonly lots: Lots;
  readonly sentAtMs: Ms;
}

/**
 * Judges a bot that hedges by what both exchanges know. Amounts are in thousandths of the base
 * asset, which are the primary venue's lots.
 */
export class HedgeOracle {
  readonly violations: Violation[] = [];
  /** How often each rule was put to the test. */
  readonly judged = { exposure: 0, hedges: 0, references: 0, away: 0 };
  readonly #deps: HedgeOracleDeps;
  readonly #disturbedAtMs: Record<Leg, Ms> = { primary: 0, hedge: 0 };
  readonly #pending: PendingPlace[] = [];
  #overSinceMs: Ms | undefined;
  #isStopping = false;
  #stoppingSinceMs: Ms = 0;
  #isRunning = false;
  #awaySinceMs: Ms | undefined;
  #referenceAtMs: Ms = Number.NEGATIVE_INFINITY;

  constructor(deps: HedgeOracleDeps) {
    this.#deps = deps;
    this.disturbed("primary");
    this.disturbed("hedge");
  }

  /** Something may be missing, late or doubled on the way to or from a venue. */
  disturbed(leg: Leg): void {
    this.#disturbedAtMs[leg] = this.#deps.nowMs();
  }

  /** The machine or the process was disturbed: what it knew of both venues may be old. */
  machineDisturbed(): void {
    this.disturbed("primary");
    this.disturbed("hedge");
  }

  /** The bot was told that the streams of a venue are up or down. */
  streamed(leg: Leg, state: "up" | "down"): void {
    this.disturbed(leg);
    if (leg === "hedge")
      this.#awaySinceMs = state === "up" ? undefined : (this.#awaySinceMs ?? this.#deps.nowMs());
  }

  /** The process was killed: until the next one starts nobody hedges. */
  killed(): void {
    this.#isRunning = false;
    this.machineDisturbed();
  }

  /** A new process: it has heard nothing yet. */
  started(): void {
    this.#isRunning = true;
    this.machineDisturbed();
    this.#awaySinceMs = undefined;
    this.#referenceAtMs = Number.NEGATIVE_INFINITY;
  }

  /** The bot was told to stop: it hedges until its end, which {@link stopped} judges. */
  stopping(): void {
    this.#isStopping = true;
    this.#stoppingSinceMs = this.#deps.nowMs();
  }

  /**
   * The bot has stopped, and everything is settled since: nothing is unhedged, but for hedges whose
   * own settlement has failed, which nobody replaces then.
   */
  stopped(): void {
    const { plan, primary, hedge } = this.#deps;
    const lostLots =
      Math.abs(hedge.reversedSince(this.#stoppingSinceMs, "BUY")) +
      Math.abs(hedge.reversedSince(this.#stoppingSinceMs, "SELL"));
    const exposure = Math.abs(plan.hedge.ratio * primary.lots + hedge.lots * plan.stepMilli);
    if (exposure > this.#boundMilli + lostLots * plan.stepMilli)
      this.ended(
        "end",
        `${exposure} unhedged: ${primary.lots} on the primary venue at ratio ${plan.hedge.ratio}, ${hedge.lots * plan.stepMilli} hedged, at most ${this.#boundMilli}`,
      );
  }

  /** A price of the reference reached the bot; undefined if its source is down. */
  referred(isPrice: boolean): void {
    this.#referenceAtMs = isPrice ? this.#deps.nowMs() : Number.NEGATIVE_INFINITY;
  }

  /** Runs after every event of the world. */
  afterEvent(): void {
    const { plan, nowMs, primary, hedge } = this.#deps;
    const now = nowMs();
    primary.read(now);
    hedge.read(now);
    const exposure = Math.abs(plan.hedge.ratio * primary.lots + hedge.lots * plan.stepMilli);
    if (exposure <= this.#boundMilli || this.#isStopping || !this.#isRunning) {
      this.#overSinceMs = undefined;
      return;
    }
    this.#overSinceMs ??= now;
    const overForMs = now - Math.max(this.#overSinceMs, this.#calmFromMs);
    if (overForMs <= plan.hedge.maxUnhedgedMs + SLACK_MS) return;
    this.#violate(
      "exposure",
      `${exposure} unhedged for ${overForMs} ms: ${primary.lots} on the primary venue at ratio ${plan.hedge.ratio}, ${hedge.lots * plan.stepMilli} hedged, at most ${this.#boundMilli}`,
    );
    this.#overSinceMs = now;
  }

  /** A hedge is sent: it may not exceed what is unhedged, whatever else may still fill. */
  hedgePlaced({ key, side, lots }: HedgePlace): void {
    const { plan, nowMs, primary, hedge } = this.#deps;
    const now = nowMs();
    this.judged.hedges += 1;
    this.#forgetPending((place) => place.sentAtMs < now - ACCEPTANCE_MS);
    const sign = sideSign(side);
    const sinceMs = now - this.#ageMs("primary");
    const { least, most } = primary.rangeSince(sinceMs);
    // A fill of the hedge's own side that the bot has not seen leaves the others to be hedged.
    const missedLots = primary.unreportedSince(sinceMs, side);
    // The most that the side may reach, in its own direction.
    const targetMilli = plan.hedge.ratio * ((side === "BUY" ? -least : most) + missedLots);
    const opposite = side === "BUY" ? "SELL" : "BUY";
    // Fills that were taken back may still be believed.
    const unreportedLots = hedge.reversedSince(now - this.#ageMs("hedge"), opposite);
    const heldLots = sign * (hedge.lots + unreportedLots);
    const mayFillLots = hedge.openLots(side) + this.#pendingLots(side);
    const reachedMilli = (heldLots + mayFillLots + lots) * plan.stepMilli;
    this.#pending.push({ key, side, lots, sentAtMs: now });
    if (reachedMilli < targetMilli + plan.stepMilli) return;
    this.#violate(
      "doubled",
      `${side} ${lots} lots sent with ${hedge.lots} held and ${mayFillLots} that may still fill: ${sign * reachedMilli} would hedge more than the primary position explains, ${sign * targetMilli}`,
    );
  }

  /** The hedge venue has decided about an order, or it will never arrive. */
  hedgeDecided(key: string): void {
    this.#forgetPending((place) => place.key === key);
  }

  /** A quote is sent. */
  quoted(side: Side, lots: Lots): void {
    const { plan, nowMs } = this.#deps;
    if (plan.isPegged) {
      this.judged.references += 1;
      const ageMs = nowMs() - this.#referenceAtMs;
      if (ageMs > plan.maxReferenceAgeMs)
        this.#violate("reference", `a quote on a reference price of ${ageMs} ms`);
    }
    this.#judgeAway(side, lots, "sent");
  }

  /** Looks at what rests. Runs a few times a second. */
  sample(): void {
    const { primary } = this.#deps;
    this.judged.exposure += this.#deps.nowMs() > this.#calmFromMs ? 1 : 0;
    for (const side of ["BUY", "SELL"] as const) {
      const openLots = primary.openLots(side);
      if (openLots > 0) this.#judgeAway(side, openLots, "rests");
    }
  }

  /** The bot took a position that no fill explains, though nobody else trades in its account. */
  adopted(fromLots: Lots, toLots: Lots): void {
    this.#violate("adopted", `the position ${toLots} is not that of the fills, ${fromLots}`);
  }

  /** Compares the end of a run. */
  ended(rule: "end" | "profit", what: string): void {
    this.#violate(rule, what);
  }

  /** A quote may only reduce what both legs are together while the hedge venue is away. */
  #judgeAway(side: Side, lots: Lots, what: "sent" | "rests"): void {
    const { plan, nowMs, primary, hedge } = this.#deps;
    const now = nowMs();
    const awaySinceMs = this.#awaySinceMs;
    if (awaySinceMs === undefined || now - awaySinceMs < AWAY_GRACE_MS) return;
    if (now - this.#disturbedAtMs.primary < DISTURBED_MS / 2) return;
    this.judged.away += 1;
    const own = primary.rangeSince(now - FRESH_MS);
    const laid = hedge.rangeSince(awaySinceMs - OLD_MS);
    const reducible =
      plan.hedge.whenAway === "halt"
        ? 0
        : side === "BUY"
          ? Math.max(0, -(own.least + laid.least * plan.stepMilli))
          : Math.max(0, own.most + laid.most * plan.stepMilli);
    if (lots > reducible)
      this.#violate(
        "away",
        `${side} ${lots} ${what} while the hedge venue has been away for ${now - awaySinceMs} ms, of which ${reducible} may reduce`,
      );
  }

  /** Largest exposure that may last; a lot of the hedge venue is too small to hedge in part. */
  get #boundMilli(): number {
    const { hedge, stepMilli } = this.#deps.plan;
    const milli = (base: string | undefined): number => Math.round(Number(base ?? 0) * 1_000);
    return Math.max(milli(hedge.maxUnhedgedBase), milli(hedge.minClipBase), stepMilli) + stepMilli;
  }

  /** From when on the exposure has to be within its bound. */
  get #calmFromMs(): Ms {
    const { plan } = this.#deps;
    const { primary, hedge } = this.#disturbedAtMs;
    return (
      Math.max(primary, hedge) +
      plan.hedge.maxUnhedgedMs +
      plan.reconcileMs +
      ACCEPTANCE_MS +
      SLACK_MS
    );
  }

  #ageMs(leg: Leg): Ms {
    return this.#deps.nowMs() - this.#disturbedAtMs[leg] < DISTURBED_MS ? OLD_MS : FRESH_MS;
  }

  #pendingLots(side: Side): Lots {
    return this.#pending.reduce((sum, place) => sum + (place.side === side ? place.lots : 0), 0);
  }

  #forgetPending(isOver: (place: PendingPlace) => boolean): void {
    for (let at = this.#pending.length - 1; at >= 0; at -= 1)
      if (isOver(this.#pending[at] as PendingPlace)) this.#pending.splice(at, 1);
  }

  #violate(rule: string, text: string): void {
    this.violations.push({ atMs: this.#deps.nowMs(), rule, text });
  }
}
