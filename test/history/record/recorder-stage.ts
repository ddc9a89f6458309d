import { appendFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Instrument } from "#core/instrument.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { VenueEvent } from "#exchange/venue.js";
import { HistoryStore } from "#history/history-store.js";
import { MarketStreamRecorder } from "#history/market-stream-recorder.js";
import type { RecorderOptions } from "#history/recorder-options.js";
import { finalBook } from "../../support/final-book.js";
import { openTape } from "../open-tape.js";
import { scratchFolder } from "../scratch.js";

export const MIDNIGHT = 1_723_161_600_000;
export const MARKET = "btcusdc";
const instrument = new Instrument({
  marketId: MARKET,
  tickSize: "0.1",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});

/** A recorder on a virtual clock, with events of a venue. */
export class Session {
  readonly store = new HistoryStore(join(scratchFolder(), "history"));
  readonly clock: VirtualClock;
  lost = 0;
  #recorder: MarketStreamRecorder | undefined;

  constructor(startMs: number) {
    this.clock = new VirtualClock(startMs);
  }

  async open(more: Partial<RecorderOptions> = {}): Promise<this> {
    const runtime = { clock: this.clock, random: seededRandom("record") };
    const onBookLost = (): void => {
      this.lost += 1;
    };
    this.#recorder = await MarketStreamRecorder.open({
      store: this.store,
      instrument,
      source: "test",
      runtime,
      onBookLost,
      ...more,
    });
    return this;
  }

  get recorder(): MarketStreamRecorder {
    return this.#recorder as MarketStreamRecorder;
  }

  /** Events a millisecond apart. */
  async hear(...events: readonly VenueEvent[]): Promise<void> {
    for (const event of events) {
      await this.clock.runFor(1);
      this.recorder.recordEvent(event);
    }
  }

  /**
   * Ends like a killed process: no file is closed, a line is incomplete, and the lock belongs to a
   * dead process.
   */
  async kill(): Promise<void> {
    await this.clock.runFor(1500);
    const staging = join(this.store.root, ".staging", MARKET, "recording");
    for (const part of readdirSync(staging))
      if (part.startsWith("part-"))
        appendFileSync(join(staging, part, "book.ndjson"), '{"type":"upd');
    rmSync(join(staging, "lock"));
    this.#recorder = undefined;
  }

  async endingBook(): Promise<object> {
    const tape = await openTape(this.store, MARKET, { fromUs: 0, toUs: 2e15 });
    return finalBook(tape);
  }
}

export const up = (stream: "market" | "account"): VenueEvent => ({
  type: "stream",
  stream,
  state: "up",
  reason: "subscribed",
});
export const down = (stream: "market" | "account"): VenueEvent => ({
  type: "stream",
  stream,
  state: "down",
  reason: "a cable",
});
export const snapshot = (sequence: number, bids: number[], asks: number[]): VenueEvent => ({
  type: "book-snapshot",
  marketId: MARKET,
  sequence,
  bids,
  asks,
});
export const update = (
  sequence: number,
  bids: number[],
  asks: number[],
  end = sequence,
): VenueEvent => ({
  type: "book-update",
  marketId: MARKET,
  beginSequence: sequence,
  endSequence: end,
  bids,
  asks,
});
export const trade = (id: number, timeMs: number): VenueEvent => ({
  type: "public-trade",
  marketId: MARKET,
  id: String(id),
  ticks: 1001,
  lots: 2,
  timeMs,
  isBuyerMaker: true,
});

export const MARK: VenueEvent = {
  type: "market-state",
  marketId: MARKET,
  mark: 100_150_000n,
  index: 100_200_000n,
  fundingRate: 1e-7,
  nextFundingMs: 9,
};
