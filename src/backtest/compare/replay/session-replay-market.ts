import { scaledToDecimal } from "../../../core/instrument.js";
import type { MarketId } from "../../../core/units.js";
import type { VenueEvent } from "../../../exchange/venue.js";
import { ascendingOrder } from "../../../history/columns/tape/ascending-order.js";
import { type MarkTape, type Tape, TapeKind } from "../../../history/columns/tape/tape.js";
import type { MarketDataInput } from "../../session/recorded-turns.js";
import { SessionReplayBook } from "./session-replay-book.js";

const RATE_DECIMALS = 18;
const KINDS: Readonly<Record<Exclude<MarketDataInput["what"], "market-state">, TapeKind>> = {
  "book-snapshot": TapeKind.bookSnapshot,
  "book-update": TapeKind.bookUpdate,
  "public-trade": TapeKind.trade,
};

/** The stored data of one market, in the order in which it was received. */
export interface SessionMarketData {
  readonly marketId: MarketId;
  /** Contains our orders where the exchange had them. */
  readonly tape: Tape;
  readonly marks: MarkTape | undefined;
  readonly isInBook: boolean;
}

/** One market of a recorded session, replayed turn by turn from the store's columns. */
export class SessionReplayMarket {
  readonly book: SessionReplayBook;
  readonly #data: SessionMarketData;
  readonly #markOrder: Uint32Array | undefined;
  /** Number of messages played so far. */
  #playedMessages = 0;

  constructor(data: SessionMarketData) {
    this.#data = data;
    this.book = new SessionReplayBook(data.marketId, data.isInBook);
    this.#markOrder = data.marks === undefined ? undefined : ascendingOrder(data.marks.localUs);
  }

  /**
   * The event that a turn received; loads its levels into the book. A description of the fault
   * where the store has no such event.
   */
  nextEvent(input: MarketDataInput): VenueEvent | string {
    if (input.what === "market-state") return this.#mark(input.number);
    const { tape, marketId } = this.#data;
    if (input.number > tape.messages)
      return `the store has no message ${input.number} of ${marketId}`;
    while (this.#playedMessages < input.number - 1)
      this.book.applyStoredMessage(tape, this.#next());
    if (this.#playedMessages !== input.number - 1)
      return `message ${input.number} of ${marketId} was already received`;
    const message = this.#next();
    if (tape.kind[message] !== KINDS[input.what])
      return `message ${input.number} of ${marketId} is another kind of message in the store, expected ${input.what}`;
    switch (input.what) {
      case "public-trade":
        return this.#trade(input.id, message);
      case "book-snapshot":
        this.book.loadMessage(tape, message);
        return { type: input.what, marketId, sequence: input.sequence, bids: [], asks: [] };
      case "book-update": {
        const { beginSequence, endSequence } = input;
        this.book.loadMessage(tape, message);
        return { type: input.what, marketId, beginSequence, endSequence, bids: [], asks: [] };
      }
    }
  }

  #next(): number {
    const { byLocal } = this.#data.tape;
    const message =
      byLocal === undefined ? this.#playedMessages : (byLocal[this.#playedMessages] as number);
    this.#playedMessages += 1;
    return message;
  }

  #trade(id: string, message: number): VenueEvent {
    const { tape, marketId } = this.#data;
    const row = (tape.rowEnd[message] as number) - 1;
    const signed = tape.signedTicks[row] as number;
    const timeMs = (tape.exchangeUs[message] as number) / 1000;
    // Above zero: a taker bought.
    return {
      type: "public-trade",
      marketId,
      id,
      ticks: Math.abs(signed),
      lots: tape.lots[row] as number,
      timeMs,
      isBuyerMaker: signed < 0,
    };
  }

  #mark(number: number): VenueEvent | string {
    const { marks, marketId } = this.#data;
    const at =
      this.#markOrder === undefined ? number - 1 : (this.#markOrder[number - 1] ?? Number.NaN);
    const mark = marks?.markCredit[at];
    if (marks === undefined || mark === undefined)
      return `the store has no mark ${number} of ${marketId}`;
    return {
      type: "market-state",
      marketId,
      mark,
      index: marks.indexCredit[at] as bigint,
      fundingRate: Number(scaledToDecimal(marks.fundingRateE18[at] as bigint, RATE_DECIMALS)),
      nextFundingMs: marks.nextFundingMs[at] as number,
    };
  }
}
