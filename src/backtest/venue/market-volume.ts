import type { Lots } from "../../core/units.js";
import { type KlineTape, type Tape, TapeKind } from "../../history/columns/tape.js";
import type { FillCause } from "../matching/matcher.js";

/** How much traded in one replayed market, and how much of ours was filled there. */
export class MarketVolume {
  /** Of strangers, while ours might have been filled. */
  tradedLots: Lots = 0;
  /** Of our orders that had come to rest. */
  restedLots: Lots = 0;
  /** Of our orders that took on arrival. */
  takenLots: Lots = 0;

  /** A stretch of history. @param fromUs before it nothing of ours was there to be filled. */
  add({ messages, exchangeUs, kind, rowEnd, lots }: Tape, fromUs: number): void {
    for (let message = 0; message < messages; message++) {
      if (kind[message] === TapeKind.trade && exchangeUs[message] >= fromUs) this.tradedLots += lots[rowEnd[message] - 1];
    }
  }

  /** Candles, likewise. */
  addBars({ bars, startUs, lots }: KlineTape, fromUs: number): void {
    for (let bar = 0; bar < bars; bar++) if (startUs[bar] >= fromUs) this.tradedLots += lots[bar];
  }

  /** A fill of ours. */
  fill(lots: Lots, cause: FillCause): void {
    if (cause === "taker") this.takenLots += lots;
    else this.restedLots += lots;
  }
}
