import type { Clock, Random } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";
import type { ReferenceUpdate } from "../reference/reference-update.js";

/** The lasting traits of a simulated source. */
export interface SourceTraits {
  readonly name: string;
  readonly weight: number;
  /** Its prices are in the market's unit divided by this. */
  readonly multiplier: number;
  /** Its price's lasting difference from the true price. */
  readonly offsetBps: number;
  readonly halfSpreadBps: number;
  /** Mean time between two messages. */
  readonly everyMs: Ms;
  /** Time of a message from the source to the bot. */
  readonly latencyMs: Ms;
  /** True if its messages carry its own time. */
  readonly hasOwnTime: boolean;
}

/** The faults of a source that are on now. */
export interface SourceFaults {
  isSilent: boolean;
  /** Additional time of each message on its way. */
  lateMs: Ms;
  isCrossed: boolean;
  isOneSided: boolean;
  jumpBps: number;
  /** Its own clock less the true time. */
  clockOffsetMs: Ms;
  /** It repeats the price that it had at the beginning of the fault, with the time of then. */
  isOldPrice: boolean;
  /** It repeats that price as if it were new. */
  isFrozen: boolean;
}

/** A message as it reached the bot. */
export interface Delivery {
  readonly update: ReferenceUpdate;
  readonly atMs: Ms;
}

/**
 * A source of reference prices in virtual time, with faults that can be switched on and off. It
 * sends the bot the messages that a live source does.
 */
export class SimulatedSource {
  readonly traits: SourceTraits;
  readonly faults: SourceFaults = {
    isSilent: false,
    lateMs: 0,
    isCrossed: false,
    isOneSided: false,
    jumpBps: 0,
    clockOffsetMs: 0,
    isOldPrice: false,
    isFrozen: false,
  };
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #truePrice: () => number;
  readonly #deliver: (delivery: Delivery) => void;
  #lastSent: { readonly mid: number; readonly timeMs: Ms } | undefined;
  /** Messages of an earlier connection are lost with it. */
  #connection = 0;
  #dueMs = 0;

  constructor(
    traits: SourceTraits,
    deps: {
      readonly clock: Clock;
      readonly random: Random;
      /** Quote units for one base unit. */
      readonly truePrice: () => number;
      readonly deliver: (delivery: Delivery) => void;
    },
  ) {
    this.traits = traits;
    this.#clock = deps.clock;
    this.#random = deps.random;
    this.#truePrice = deps.truePrice;
    this.#deliver = deps.deliver;
  }

  start(): void {
    const waitMs = this.traits.everyMs * (0.5 + this.#random.uniform());
    this.#clock.setTimer(waitMs, () => {
      this.#send();
      this.start();
    });
  }

  /** The connection breaks: the bot is told at once, and what was on its way is lost. */
  breakConnection(reason: string): void {
    this.#connection += 1;
    this.#deliver({
      update: { type: "down", source: this.traits.name, reason },
      atMs: this.#clock.nowMs(),
    });
  }

  #send(): void {
    const { faults, traits } = this;
    if (faults.isSilent) return;
    const nowMs = this.#clock.nowMs();
    const trueMid = this.#truePrice() * (1 + traits.offsetBps / 10_000);
    if (!faults.isOldPrice && !faults.isFrozen) this.#lastSent = { mid: trueMid, timeMs: nowMs };
    const { mid, timeMs: lastMs } = this.#lastSent ?? { mid: trueMid, timeMs: nowMs };
    const timeMs = faults.isFrozen ? nowMs : lastMs;
    const price = (mid * (1 + faults.jumpBps / 10_000)) / traits.multiplier;
    const half = (price * traits.halfSpreadBps) / 10_000;
    const sign = faults.isCrossed ? -1 : 1;
    const heldMs = Math.floor(this.#random.uniform() * 20);
    const update: ReferenceUpdate = {
      type: "price",
      source: traits.name,
      bid: price - sign * half,
      ask: faults.isOneSided ? Number.NaN : price + sign * half,
      ...(traits.hasOwnTime ? { timeMs: timeMs + faults.clockOffsetMs } : {}),
      heldMs,
    };
    const connection = this.#connection;
    // A stream keeps its order: a message does not overtake the one before it.
    this.#dueMs = Math.max(this.#dueMs, nowMs + traits.latencyMs + faults.lateMs + heldMs);
    this.#clock.setTimer(this.#dueMs - nowMs, () => {
      if (connection === this.#connection) this.#deliver({ update, atMs: this.#clock.nowMs() });
    });
  }
}
