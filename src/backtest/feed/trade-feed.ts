import { type Tape, TapeKind } from "../../history/columns/tape/tape.js";
import type { ReplayClock } from "../engine/replay-clock.js";
import type { GapTeller, LocalFeed, TradeSink } from "./local-feed.js";
import { LocalTape } from "./local-tape.js";
import { MadeSide } from "./made-side.js";
import { ReplayedDeskBook } from "./replayed-desk-book.js";

/**
 * Recorded trades alone. What the bot reads as its book is the last price at which a taker sold and the last at which one bought, each
 * with the amount of that trade; where the two meet or cross, the newer one stands and the other is a tick behind it.
 */
export class TradeFeed implements LocalFeed {
  readonly book: ReplayedDeskBook;
  readonly #bids = new MadeSide("BUY");
  readonly #asks = new MadeSide("SELL");
  readonly #tape: LocalTape;
  readonly #clock: ReplayClock;
  readonly #onTrade: TradeSink;

  constructor(tape: Tape, clock: ReplayClock, onTrade: TradeSink, isGap: GapTeller) {
    this.#tape = new LocalTape(tape);
    this.#clock = clock;
    this.#onTrade = onTrade;
    this.book = new ReplayedDeskBook({ bids: this.#bids, asks: this.#asks }, () =>
      isGap(this.latencyUs),
    );
  }

  get nextUs(): number {
    return this.#tape.nextUs;
  }

  get latencyUs(): number {
    return this.#tape.latencyUs;
  }

  /** The next day of the same market. */
  extend(tape: Tape): void {
    this.#tape.extend(tape);
  }

  hear(beforeUs: number): boolean {
    const heard = this.#tape;
    const bidTicks = this.#bids.bestTicks;
    const askTicks = this.#asks.bestTicks;
    let atUs = heard.nextUs;
    let isMoved = false;
    while (atUs < beforeUs && !isMoved) {
      const { tape, message } = heard;
      if (tape.kind[message] === TapeKind.trade) {
        const row = (tape.rowEnd[message] as number) - 1;
        this.#traded(tape.signedTicks[row] as number, tape.lots[row] as number);
      }
      heard.heard();
      if (heard.nextUs === atUs) continue;
      this.#clock.moveTo(atUs);
      atUs = heard.nextUs;
      isMoved = bidTicks !== this.#bids.bestTicks || askTicks !== this.#asks.bestTicks;
    }
    const isWhole = this.#bids.levels > 0 && this.#asks.levels > 0;
    this.book.changed(
      this.#clock.monotonicMs(),
      isWhole ? undefined : "no trade of either side yet",
    );
    return isMoved;
  }

  #traded(signedTicks: number, lots: number): void {
    const isBuy = signedTicks > 0;
    const ticks = Math.abs(signedTicks);
    this.#onTrade(ticks, lots, isBuy ? "BUY" : "SELL");
    if (isBuy) {
      this.#asks.set(ticks, lots);
      if (this.#bids.bestTicks >= ticks) this.#bids.set(ticks - 1, this.#bids.bestLots);
    } else {
      this.#bids.set(ticks, lots);
      if (this.#asks.bestTicks <= ticks) this.#asks.set(ticks + 1, this.#asks.bestLots);
    }
  }
}
