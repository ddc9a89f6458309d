import { FormatError, formatErrorValue } from "../../core/errors.js";
import { parseInt64Json } from "../../core/int64-json.js";
import type { MarketId } from "../../core/units.js";
import {
  decodeBalancesResponse,
  decodeIncomes,
  decodeUserTrade,
} from "../protocol/decode-account.js";
import {
  decodeKlines,
  marketStateEvents,
  publicTradeEvents,
} from "../protocol/decode-market-data.js";
import { decodeOrder } from "../protocol/decode-orders.js";
import { IntegerDecoder } from "../protocol/integer-decoder.js";
import { ms } from "../protocol/values.js";
import { type DecodeContext, parseWire } from "../protocol/wire-parse.js";
import type { VenueEvent } from "../venue.js";
import { BookScanner } from "./book-scanner.js";
import { CoarsenedBook, hasPriceBetweenTicks } from "./coarsened-book.js";
import { parseStreamName } from "./stream-names.js";

/** Longer frames are rejected before they are parsed. */
export const DEFAULT_MAX_FRAME_BYTES = 8 * 1024 * 1024;

/** Options of a frame decoder. */
export interface FrameDecoderOptions extends DecodeContext {
  /**
   * In UTF-16 units, which equal bytes for everything that the protocol sends. Default
   * {@link DEFAULT_MAX_FRAME_BYTES}.
   */
  readonly maxFrameBytes?: number;
}

const NOTHING: readonly VenueEvent[] = [];
/** Time of an update; the specification guarantees only its order. */
const stampSchema = ms.nullish();

/**
 * Turns one text frame of a stream into the venue's events. A frame that is not what the protocol
 * says becomes one `malformed` event and nothing else; nothing here throws, whatever the frame
 * holds. Acknowledgements and unknown events are no events. The texts `ping` and `pong` belong to
 * the session below.
 * @example
 * ```ts
 * import { Instrument } from "marketwright";
 * import { FrameDecoder } from "marketwright/exchange";
 *
 * const btc = new Instrument({
 *   marketId: "btcusdc",
 *   tickSize: "0.1",
 *   stepSize: "0.001",
 *   creditDecimals: 6,
 *   paperDecimals: 18,
 * });
 * const decoder = new FrameDecoder({
 *   creditDecimals: 6,
 *   instruments: new Map([["btcusdc", btc]]),
 * });
 * const data = {
 *   id: "5",
 *   price: "30000.5",
 *   amount: "0.02",
 *   quoteAmount: "600.01",
 *   time: 1_700_000_000_000,
 *   isBuyerMaker: false,
 *   status: "SETTLED",
 * };
 * const [event] = decoder.multiple(JSON.stringify({ stream: "btcusdc@trades", data }));
 * event?.type === "public-trade" && [event.ticks, event.lots]; // => [300_005, 20]
 * decoder.multiple("not JSON").map(({ type }) => type); // => ["malformed"]
 * ```
 */
export class FrameDecoder {
  #context: DecodeContext;
  readonly #maxBytes: number;
  readonly #levels = new Map<MarketId, IntegerDecoder>();
  #scanner: BookScanner;
  /** Markets whose last snapshot had prices between the ticks. */
  readonly #coarsenedBooks = new Map<MarketId, CoarsenedBook>();

  constructor(options: FrameDecoderOptions) {
    this.#context = options;
    this.#maxBytes = options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES;
    this.#scanner = new BookScanner(options.instruments);
    this.setContext(options);
  }

  /** Decodes by these grids from now on; books continue unchanged. */
  setContext(context: DecodeContext): void {
    this.#context = context;
    this.#scanner = new BookScanner(context.instruments);
    for (const [marketId, instrument] of context.instruments)
      this.#levels.set(marketId, new IntegerDecoder(instrument));
  }

  /** A frame of `/multiple`: `{"stream": name, "data": payload}`. */
  multiple(text: string): readonly VenueEvent[] {
    return this.#guarded("stream multiple", text, () => {
      const update = this.#scanner.update(text);
      if (update !== undefined) return [this.#inTicks(update)];
      const frame = objectOf(JSON.parse(text), "frame");
      if (typeof frame.stream !== "string" || frame.data === undefined)
        return acknowledgement(frame);
      return this.#market(frame.stream, frame.data, () =>
        objectOf(objectOf(parseInt64Json(text), "frame").data, "data"),
      );
    });
  }

  /** A frame of `/single/<stream>`: the payload alone. */
  single(stream: string, text: string): readonly VenueEvent[] {
    return this.#guarded(`stream ${stream}`, text, () =>
      this.#market(stream, JSON.parse(text), () => objectOf(parseInt64Json(text), "data")),
    );
  }

  /** A frame of the account stream, with its kind in `event`. */
  account(text: string): readonly VenueEvent[] {
    return this.#guarded("stream account", text, () =>
      this.#account(objectOf(parseInt64Json(text), "frame")),
    );
  }

  #guarded(
    where: string,
    text: string,
    decode: () => readonly VenueEvent[],
  ): readonly VenueEvent[] {
    if (text.length > this.#maxBytes) {
      return malformed(
        where,
        `a frame of ${text.length} bytes, above the limit of ${this.#maxBytes}`,
      );
    }
    try {
      return decode();
    } catch (error) {
      // A frame is untrusted: very deep nesting raises a RangeError.
      if (
        error instanceof FormatError ||
        error instanceof SyntaxError ||
        error instanceof RangeError
      ) {
        return malformed(where, error.message);
      }
      throw error;
    }
  }

  #market(stream: string, data: unknown, withLongIds: () => JsonObject): readonly VenueEvent[] {
    const named = parseStreamName(stream);
    const instrument = named && this.#context.instruments.get(named.marketId);
    if (named === undefined || instrument === undefined) return NOTHING;
    const { marketId } = named;
    switch (named.kind) {
      case "orderbook":
        return this.#book(marketId, objectOf(data, stream), stream);
      case "trades":
        return publicTradeEvents(instrument, objectOf(data, stream), withLongIds, stream);
      case "market":
        return marketStateEvents(marketId, data, this.#context.creditDecimals, stream);
      case "kline":
        return [
          {
            type: "kline",
            marketId,
            interval: named.interval,
            bars: decodeKlines(data, instrument, stream),
          },
        ];
    }
  }

  #book(marketId: MarketId, data: JsonObject, where: string): readonly VenueEvent[] {
    const decoder = this.#levels.get(marketId) as IntegerDecoder;
    let isRounded = false;
    const onOffGrid = (): void => {
      isRounded = true;
    };
    const sides = () => {
      const bids = decoder.levels(data.bids, "bids", onOffGrid);
      const asks = decoder.levels(data.asks, "asks", onOffGrid);
      return { bids, asks, ...(isRounded && { isRounded }) };
    };
    if (data.event === "update") {
      const beginSequence = sequenceOf(data.beginSequence, `${where}.beginSequence`);
      const endSequence = sequenceOf(data.endSequence, `${where}.endSequence`);
      if (endSequence < beginSequence) {
        throw new FormatError("sequences run backwards", {
          field: `${where}.endSequence`,
          value: endSequence,
          expected: `at least ${beginSequence}`,
        });
      }
      return [
        this.#inTicks({ type: "book-update", marketId, beginSequence, endSequence, ...sides() }),
      ];
    }
    if (data.event === "snapshot") {
      const sequence = sequenceOf(data.sequence, `${where}.sequence`);
      const snapshot = { type: "book-snapshot", marketId, sequence, ...sides() } as const;
      this.#coarsenedBooks.delete(marketId);
      if (isRounded && hasPriceBetweenTicks(snapshot))
        this.#coarsenedBooks.set(marketId, new CoarsenedBook());
      return [this.#inTicks(snapshot)];
    }
    if (typeof data.event === "string") return NOTHING;
    throw new FormatError("has no known event", {
      field: `${where}.event`,
      value: data.event,
      expected: "snapshot or update",
    });
  }

  /**
   * @throws FormatError for a price between ticks in the update of a book that had none; the next
   * snapshot will contain it.
   */
  #inTicks<Event extends BookEvent>(event: Event): Event {
    const merged = this.#coarsenedBooks.get(event.marketId);
    if (merged !== undefined) return { ...event, ...merged.apply(event) };
    if (event.isRounded === true && hasPriceBetweenTicks(event)) {
      throw new FormatError("a price between the market's ticks that is not in the book", {
        field: `${event.marketId}@orderbook`,
        expected: "a price of the snapshot, or a whole multiple of the tick",
      });
    }
    return event;
  }

  #account(frame: JsonObject): readonly VenueEvent[] {
    switch (frame.event) {
      case "ORDER_UPDATE": {
        const order = decodeOrder(frame.order, this.#context, "ORDER_UPDATE.order");
        const timestampMs = parseWire(stampSchema, frame.timestamp, "ORDER_UPDATE.timestamp");
        if (order === undefined) return NOTHING;
        return [{ type: "order-update", order, ...(timestampMs == null ? {} : { timestampMs }) }];
      }
      case "TRADE_UPDATE": {
        const trade = decodeUserTrade(frame.trade, this.#context, "TRADE_UPDATE.trade");
        return trade === undefined ? NOTHING : [{ type: "trade-update", trade }];
      }
      case "ACCOUNT_UPDATE":
        return [
          {
            type: "account-update",
            ...decodeBalancesResponse(frame, this.#context, "ACCOUNT_UPDATE"),
          },
        ];
      case "INCOME_UPDATE":
        return [
          {
            type: "income-update",
            incomes: decodeIncomes(frame.incomes, this.#context, "INCOME_UPDATE.incomes"),
          },
        ];
      default:
        return acknowledgement(frame);
    }
  }
}

type BookEvent = Extract<VenueEvent, { readonly type: "book-snapshot" | "book-update" }>;
type JsonObject = Readonly<Record<string, unknown>>;

function objectOf(value: unknown, where: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new FormatError("not a JSON object", { field: where, expected: "an object" });
  }
  return value as JsonObject;
}

/** A response to a subscription is not an event, but a rejected subscription must be reported. */
function acknowledgement(frame: JsonObject): readonly VenueEvent[] {
  // The format of rejections is not documented: an error as Binance writes it, or the error body of
  // REST.
  const refusal =
    frame.error ??
    (typeof frame.code === "number" ? `${frame.code} ${formatErrorValue(frame.message)}` : null);
  if (refusal === null) return NOTHING;
  throw new FormatError("the exchange refused a stream request", {
    field: "error",
    value: refusal,
    expected: "an acknowledgement",
  });
}

function sequenceOf(value: unknown, field: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new FormatError("not a sequence", {
    field,
    value: typeof value === "object" ? undefined : value,
    expected: "an integer below 2^53",
  });
}

function malformed(where: string, reason: string): readonly VenueEvent[] {
  return [
    {
      type: "malformed",
      where,
      reason: reason.length > 300 ? `${reason.slice(0, 297)}...` : reason,
    },
  ];
}
