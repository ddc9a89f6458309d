import { expect } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { type Lots, type Ms, sideSign } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { HedgeSettings } from "#hedge/decide-hedge.js";
import { createHedgeOrderKey } from "#hedge/hedge-order-key.js";
import { encodeHedgeRecord } from "#hedge/hedge-record.js";
import { type HedgeNotice, MarketHedger } from "#hedge/market-hedger.js";
import { storedHedgeSchema } from "#hedge/stored-hedge.js";
import { CONTRACT, TAG } from "./hedge-records.js";
import { ModelVenue } from "./model-venue.js";

const TICK_MS: Ms = 100;

/** The hedger of one market at a model venue, in virtual time, killed and started at will. */
export class HedgerRig {
  readonly clock = new VirtualClock(1_760_000_000_000);
  readonly venue = new ModelVenue(this.clock);
  readonly notices: HedgeNotice[] = [];
  /** Lines of the record of fills and payments. */
  readonly records: string[] = [];
  /** The text on the disk. */
  stored: string | undefined;
  /** Called after each event of the venue, and around each action that is sent. */
  atPoint: () => void = () => {};
  /** False while the bot stops. */
  mayRest = true;
  readonly settings: HedgeSettings;
  readonly #random = seededRandom("keys");
  #targetLots: Lots = 0;
  /** The targets of the run, and how much they have moved. */
  #targets = { least: 0, most: 0, movedLots: 0 };
  #hedger: MarketHedger | undefined;
  #actionId = 0;
  #isTicking = false;
  #run = 0;
  readonly #faults: string[] = [];

  constructor(settings: Partial<HedgeSettings> = {}) {
    this.settings = {
      style: "taker",
      minClipLots: 1,
      maxUnhedgedLots: 20,
      maxUnhedgedMs: 5_000,
      maxSlippageBps: 20,
      ...settings,
    };
    this.venue.events$.subscribe((event) => {
      if (this.#hedger === undefined) return;
      this.#hedger.onEvent(event);
      this.#settle();
      this.atPoint();
    });
  }

  get hedger(): MarketHedger {
    if (this.#hedger === undefined) throw new Error("no hedger runs");
    return this.#hedger;
  }

  /** A process starts on what is stored. */
  starts(): void {
    const { stored } = this;
    this.#run += 1;
    const run = this.#run;
    const isRunning = (): boolean => run === this.#run && this.#hedger !== undefined;
    this.#hedger = new MarketHedger({
      venue: "deep",
      contract: CONTRACT,
      settings: this.settings,
      reconcileMs: 10_000,
      acceptanceWindowMs: this.venue.acceptanceWindowMs,
      clock: this.clock,
      tag: TAG,
      createKey: () => createHedgeOrderKey(TAG, this.#random),
      nextActionId: () => ++this.#actionId,
      submit: (action) => {
        // A process may end between any two instructions.
        if (isRunning()) this.atPoint();
        if (isRunning() && action.kind === "place") this.#noteOthers();
        if (isRunning()) this.venue.submit(action);
        if (isRunning()) this.atPoint();
      },
      stored: stored === undefined ? undefined : storedHedgeSchema.parse(JSON.parse(stored)),
      persist: (text) => {
        if (isRunning()) this.stored = text;
      },
      record: (record) => {
        if (isRunning()) this.records.push(encodeHedgeRecord(record));
      },
      notify: (notice) => this.notices.push(notice),
    });
    this.venue.start();
    if (!this.#isTicking) this.#tick();
    this.#isTicking = true;
  }

  /** Starts, and waits until the venue's position is confirmed. */
  async isReady(): Promise<void> {
    this.starts();
    await this.passes(2_000);
    expect(this.hedger.awayReason).toBeUndefined();
  }

  /** As `kill -9`: what is under way is processed, and nobody reads the answers. */
  isKilled(): void {
    this.#hedger = undefined;
    this.venue.close();
  }

  /** The market's position is this much the other way. */
  wants(targetLots: Lots): void {
    const { least, most, movedLots } = this.#targets;
    this.#targets = {
      least: Math.min(least, targetLots),
      most: Math.max(most, targetLots),
      movedLots: movedLots + Math.abs(targetLots - this.#targetLots),
    };
    this.#targetLots = targetLots;
    this.#settle();
  }

  passes(forMs: Ms): Promise<void> {
    return this.clock.runFor(forMs);
  }

  /** Places that the bot sent, in short. */
  placed(): readonly string[] {
    return this.venue
      .sentOf("place")
      .map(({ side, lots, timeInForce }) => `${side} ${lots} ${timeInForce}`);
  }

  noticesOf<Kind extends HedgeNotice["kind"]>(kind: Kind) {
    return this.notices.filter(
      (notice): notice is HedgeNotice & { kind: Kind } => notice.kind === kind,
    );
  }

  /** The venue has what the market needs, the hedger knows it, and nothing was hedged twice. */
  expectHedged(): void {
    const { venue, hedger } = this;
    expect(venue.positionLots, "position at the venue").toBe(this.#targetLots);
    expect(hedger.positionLots, "position of the hedger").toBe(venue.positionLots);
    expect(hedger.neededLots).toBe(0);
    expect(hedger.ordersLeft).toEqual([]);
    expect([...venue.orders.values()].filter(({ isOpen }) => isOpen)).toEqual([]);
    this.expectNeverTooMuch();
  }

  /** At no time had the venue more than the market ever needed, and no more was traded. */
  expectNeverTooMuch(): void {
    expect(this.#faults).toEqual([]);
    const own = this.venue.fills.filter(({ key }) => key !== undefined);
    let positionLots = 0;
    for (const { side, lots } of own) {
      positionLots += sideSign(side) * lots;
      expect(positionLots).toBeGreaterThanOrEqual(this.#targets.least);
      expect(positionLots).toBeLessThanOrEqual(this.#targets.most);
    }
    const tradedLots = own.reduce((sum, { lots }) => sum + lots, 0);
    expect(tradedLots, "lots traded").toBeLessThanOrEqual(this.#targets.movedLots);
  }

  /** Before an order is sent no other may fill, and everything that has filled is known. */
  #noteOthers(): void {
    const { mayStillFill, isShared, positionLots } = this.venue;
    if (mayStillFill.length > 0) this.#faults.push(`a second order beside ${mayStillFill}`);
    if (!isShared && this.hedger.positionLots !== positionLots)
      this.#faults.push(`${this.hedger.positionLots} are known of ${positionLots}`);
  }

  #tick(): void {
    this.clock.setTimer(TICK_MS, () => {
      this.#settle();
      this.#tick();
    });
  }

  #settle(): void {
    this.#hedger?.settle({ targetLots: this.#targetLots, mayRest: this.mayRest });
  }
}
