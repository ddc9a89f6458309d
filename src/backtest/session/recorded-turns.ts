import type { BotInput, TurnStamp } from "../../bot/engine/input.js";
import type { TurnRecord } from "../../bot/engine/turn-queue.js";
import {
  decodeLine,
  encodeJournal,
  type JournalHeader,
  type JournalSink,
  type TurnRecorder,
} from "../../bot/journal/journal.js";
import { FormatError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { VenueEvent } from "../../exchange/venue.js";

/**
 * The market data that a turn received: the store has it as the message, or the mark, of this
 * number, counted from 1 in the order of receipt.
 */
export type MarketDataInput = {
  readonly kind: "heard";
  readonly marketId: MarketId;
  readonly number: number;
} & (
  | { readonly what: "book-snapshot"; readonly sequence: number }
  | { readonly what: "book-update"; readonly beginSequence: number; readonly endSequence: number }
  | { readonly what: "public-trade"; readonly id: string }
  | { readonly what: "market-state" }
);

/**
 * One turn of a recorded session, as in a journal; its market data is in the session's own store.
 */
export interface RecordedTurn {
  readonly stamp: TurnStamp;
  readonly input: BotInput | MarketDataInput;
  readonly draws: readonly (number | bigint)[];
}

type MarketEvent = Extract<VenueEvent, { readonly type: MarketDataInput["what"] }>;

/**
 * Writes the turns of a session, one per line. Market data that the store has is not written a
 * second time.
 */
export class TurnsWriter implements TurnRecorder {
  readonly #sink: JournalSink;
  readonly #numbers = new WeakMap<object, number>();
  #count = 0;

  constructor(sink: JournalSink, header: JournalHeader) {
    this.#sink = sink;
    sink.write(encodeJournal(header));
  }

  /** Number of turns that have ended. */
  get count(): number {
    return this.#count;
  }

  /** Registers an event that the store has as the message or the mark of this number. */
  registerStored(event: VenueEvent, number: number): void {
    this.#numbers.set(event, number);
  }

  action(): void {}

  turn({ stamp, input, draws }: TurnRecord): void {
    this.#count += 1;
    const turn: RecordedTurn = { stamp, input: this.#inputOf(input), draws };
    this.#sink.write(encodeJournal(turn));
  }

  #inputOf(input: BotInput): BotInput | MarketDataInput {
    if (input.kind !== "event") return input;
    const number = this.#numbers.get(input.event);
    return number === undefined ? input : toReceivedInput(input.event as MarketEvent, number);
  }
}

function toReceivedInput(event: MarketEvent, number: number): MarketDataInput {
  const { type: what, marketId } = event;
  const received = { kind: "heard", marketId, number } as const;
  switch (what) {
    case "book-snapshot":
      return { ...received, what, sequence: event.sequence };
    case "book-update":
      return {
        ...received,
        what,
        beginSequence: event.beginSequence,
        endSequence: event.endSequence,
      };
    case "public-trade":
      return { ...received, what, id: event.id };
    case "market-state":
      return { ...received, what };
  }
}

/** Reads one turn of a recorded session. @throws FormatError naming the line when it is broken */
export function decodeRecordedTurn(line: string, lineNumber: number): RecordedTurn {
  const value = decodeLine(line, lineNumber) as Partial<RecordedTurn>;
  const { stamp, input, draws } = value;
  const isStamped = typeof stamp?.atMs === "number" && typeof stamp.monotonicMs === "number";
  if (!isStamped || typeof input?.kind !== "string" || !Array.isArray(draws)) {
    throw new FormatError("is not a recorded turn", {
      field: `line ${lineNumber}`,
      expected: "a record with stamp, input and draws",
    });
  }
  return value as RecordedTurn;
}
