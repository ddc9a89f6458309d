import { ConfigError } from "../core/errors.js";
import type { Instrument } from "../core/instrument.js";
import type { Lots, Ms, Side, Ticks } from "../core/units.js";
import { type Tape, TapeKind } from "../history/columns/tape/tape.js";
import { TapeBuilder } from "../history/columns/tape/tape-builder.js";

/** A message of a capture: a change of the book, or a public trade. */
export interface CaptureMessage {
  readonly kind: "snapshot" | "update" | "lost" | "trade";
  /** The exchange's clock, microseconds since 1970. */
  readonly exchangeUs: number;
  /** When the recorder received it, microseconds since 1970. */
  readonly receivedUs: number;
  /** Levels with their new amounts, 0 deletes; for a trade one row with the taker's side. */
  readonly rows: readonly { readonly side: Side; readonly ticks: Ticks; readonly lots: Lots }[];
}

const KINDS = {
  [TapeKind.bookUpdate]: "update",
  [TapeKind.bookSnapshot]: "snapshot",
  [TapeKind.trade]: "trade",
  [TapeKind.bookLost]: "lost",
} as const;

/**
 * The recorded books and trades of one market, in memory: from a store ({@link openCapture}),
 * from a list of records ({@link createCapture}), or generated ({@link generateCapture}).
 * @example
 * ```ts
 * import { generateCapture } from "marketwright/testing";
 *
 * const capture = generateCapture({ seconds: 60, seed: "doc" });
 * capture.instrument.marketId; // => "btcusdc"
 * capture.before(capture.fromMs + 10_000).toMs <= capture.fromMs + 10_000; // => true
 * ```
 */
export class Capture {
  readonly instrument: Instrument;
  /** As columns. Its layout may change with any version. */
  readonly tape: Tape;

  /** @throws ConfigError without a message */
  constructor(instrument: Instrument, tape: Tape) {
    if (tape.messages === 0)
      throw new ConfigError("is empty", { field: "capture", expected: "at least one message" });
    this.instrument = instrument;
    this.tape = tape;
  }

  /** Exchange time of the first message, milliseconds since 1970. */
  get fromMs(): Ms {
    return Math.floor((this.tape.exchangeUs[0] as number) / 1000);
  }

  /** Exchange time of the last message, milliseconds since 1970. */
  get toMs(): Ms {
    return Math.ceil((this.tape.exchangeUs[this.tape.messages - 1] as number) / 1000);
  }

  /** True if it has a book. With trades alone, a view is made of the last trades. */
  get hasBook(): boolean {
    return this.tape.kind.some((kind) => kind !== TapeKind.trade);
  }

  /** The messages in the order of the exchange's clock. */
  *messages(): IterableIterator<CaptureMessage> {
    const { messages, exchangeUs, localUs, kind, rowEnd, signedTicks, lots } = this.tape;
    for (let at = 0; at < messages; at++) {
      const rows: { side: Side; ticks: Ticks; lots: Lots }[] = [];
      const begin = at === 0 ? 0 : (rowEnd[at - 1] as number);
      for (let row = begin; row < (rowEnd[at] as number); row++) {
        const signed = signedTicks[row] as number;
        rows.push({
          side: signed > 0 ? "BUY" : "SELL",
          ticks: Math.abs(signed),
          lots: lots[row] as number,
        });
      }
      yield {
        kind: KINDS[kind[at] as TapeKind],
        exchangeUs: exchangeUs[at] as number,
        receivedUs: localUs[at] as number,
        rows,
      };
    }
  }

  /**
   * The part that was received before an instant: everything later is missing, as it was then.
   * @throws ConfigError if that is nothing
   */
  before(timeMs: Ms): Capture {
    const limitUs = timeMs * 1000;
    return this.#filter(({ exchangeUs, receivedUs }) => Math.max(exchangeUs, receivedUs) < limitUs);
  }

  #filter(isKept: (message: CaptureMessage) => boolean): Capture {
    const builder = new TapeBuilder(this.instrument);
    for (const message of this.messages()) if (isKept(message)) addMessage(builder, message);
    return new Capture(this.instrument, builder.build());
  }
}

/** Adds a message to a tape. @throws FormatError for what its columns cannot hold */
export function addMessage(builder: TapeBuilder, message: CaptureMessage): void {
  const { kind, exchangeUs, receivedUs, rows } = message;
  switch (kind) {
    case "trade":
      for (const { side, ticks, lots } of rows)
        builder.trade(exchangeUs, receivedUs, side, ticks, lots);
      return;
    case "lost":
      builder.lost(exchangeUs, receivedUs);
      return;
    case "snapshot":
      builder.snapshot(exchangeUs, receivedUs);
      break;
    case "update":
      builder.update(exchangeUs, receivedUs);
  }
  for (const { side, ticks, lots } of rows) builder.level(side, ticks, lots);
}
