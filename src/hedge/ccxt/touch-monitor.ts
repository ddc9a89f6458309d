import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { HedgeEvent } from "../hedge-venue.js";

/** The touch of one contract. */
export type HedgeTouchEvent = Extract<HedgeEvent, { readonly type: "touch" }>;

/** Dependencies of a {@link TouchMonitor}. */
export interface TouchMonitorDeps {
  readonly clock: Clock;
  /** Ids of the contracts. */
  readonly ids: readonly string[];
  /** How often a contract whose stream is silent is compared. */
  readonly everyMs: Ms;
  /** How long a touch that differs may lack on the stream. */
  readonly graceMs: Ms;
  /** The touch by REST; undefined without both sides. Rejects if it cannot be read. */
  readonly ask: (id: string) => Promise<HedgeTouchEvent | undefined>;
  readonly onTouch: (touch: HedgeTouchEvent) => void;
  readonly onSilent: (reason: string) => void;
}

interface Followed {
  /** Counts the messages of the stream, and the answer that stands for the first one. */
  count: number;
  countBefore: number;
  touch: HedgeTouchEvent | undefined;
}

/**
 * Watches the stream of touches. The stream reports changes only, so the first touch is read by
 * REST. A stream that reports none may be dead or the market quiet: then the touch is read again,
 * and one that the stream has not reported proves that it is dead.
 */
export class TouchMonitor {
  readonly #deps: TouchMonitorDeps;
  readonly #timers = new Set<Timer>();
  #followed = new Map<string, Followed>();

  constructor(deps: TouchMonitorDeps) {
    this.#deps = deps;
  }

  /** The stream is up. */
  start(): void {
    this.stop();
    this.#followed = new Map(
      this.#deps.ids.map((id) => [id, { count: 0, countBefore: 0, touch: undefined }]),
    );
    for (const [id, followed] of this.#followed) void this.#compare(id, followed);
    this.#schedule();
  }

  /** The stream is down, or closed. */
  stop(): void {
    this.#followed = new Map();
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  /** The stream has reported a touch; undefined without both sides. */
  note(id: string, touch: HedgeTouchEvent | undefined): void {
    const followed = this.#followed.get(id);
    if (followed !== undefined) Object.assign(followed, { count: followed.count + 1, touch });
  }

  #schedule(): void {
    this.#after(this.#deps.everyMs, () => {
      for (const [id, followed] of this.#followed) {
        if (followed.count === followed.countBefore) void this.#compare(id, followed);
        followed.countBefore = followed.count;
      }
      this.#schedule();
    });
  }

  async #compare(id: string, followed: Followed): Promise<void> {
    const { ask, onTouch, onSilent, graceMs } = this.#deps;
    const { count } = followed;
    let touch: HedgeTouchEvent | undefined;
    try {
      touch = await ask(id);
    } catch {
      // An exchange that does not answer proves nothing about the stream; the next time follows.
      return;
    }
    if (this.#followed.get(id) !== followed || followed.count !== count) return;
    if (count === 0) {
      followed.count += 1;
      followed.touch = touch;
      if (touch !== undefined) onTouch(touch);
    } else if (!isSame(touch, followed.touch)) {
      this.#after(graceMs, () => {
        if (followed.count === count)
          onSilent(`the stream of ${id} has not reported a change of the touch`);
      });
    }
  }

  #after(delayMs: Ms, act: () => void): void {
    const timer = this.#deps.clock.setTimer(delayMs, () => {
      this.#timers.delete(timer);
      act();
    });
    this.#timers.add(timer);
  }
}

function isSame(one: HedgeTouchEvent | undefined, other: HedgeTouchEvent | undefined): boolean {
  return (
    one?.bidTicks === other?.bidTicks &&
    one?.bidLots === other?.bidLots &&
    one?.askTicks === other?.askTicks &&
    one?.askLots === other?.askLots
  );
}
