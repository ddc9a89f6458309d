import { FormatError, formatErrorValue } from "../../core/errors.js";
import { parseInt64Json } from "../../core/int64-json.js";
import { klines as klineList, publicTrade } from "../protocol/market-data.js";
import {
  bookSnapshot,
  bookUpdate,
  accountEvents as events,
  marketFigures,
  namedEvent,
  streamFrame,
} from "../protocol/stream.js";
import { parseWire } from "../protocol/wire-parse.js";
import { DEFAULT_MAX_FRAME_BYTES } from "../streams/frame-decoder.js";
import type { AccountEvent, MarketEvent } from "./stream-events.js";

/**
 * Decodes a frame of `/multiple` to events; an acknowledgement gives none. Never throws, whatever
 * the frame holds.
 */
export function decodeMarketFrame(text: string): readonly MarketEvent[] {
  return guarded<MarketEvent>("market streams", text, (frame) => {
    if (!("stream" in frame)) return acknowledgement(frame);
    const { stream, data } = parseWire(streamFrame, frame, "frame");
    return [marketEvent(stream, data)];
  });
}

/** Decodes a frame of the account stream to events. Never throws, whatever the frame holds. */
export function decodeAccountFrame(text: string): readonly AccountEvent[] {
  return guarded<AccountEvent>("account stream", text, (frame) => {
    if (!("event" in frame)) return acknowledgement(frame);
    const { event } = parseWire(namedEvent, frame, "frame");
    switch (event) {
      case "ORDER_UPDATE": {
        const { order, timestamp } = parseWire(events[event], frame, event);
        return [{ type: "order", order, ...(timestamp == null ? {} : { timestamp }) }];
      }
      case "TRADE_UPDATE":
        return [{ type: "trade", trade: parseWire(events[event], frame, event).trade }];
      case "ACCOUNT_UPDATE": {
        const { balances, positions } = parseWire(events[event], frame, event);
        return [{ type: "balances", balances, positions }];
      }
      case "INCOME_UPDATE":
        return [{ type: "incomes", incomes: parseWire(events[event], frame, event).incomes }];
      default:
        return [{ type: "unknown", name: event, data: frame }];
    }
  });
}

function marketEvent(stream: string, data: unknown): MarketEvent {
  const at = stream.indexOf("@");
  const marketId = stream.slice(0, Math.max(0, at));
  const kind = stream.slice(at + 1);
  if (kind === "orderbook") {
    const { event } = parseWire(namedEvent, data, stream);
    if (event === "snapshot") {
      const { sequence, bids, asks } = parseWire(bookSnapshot, data, stream);
      return { type: "book-snapshot", marketId, sequence, bids, asks };
    }
    if (event === "update") {
      const { beginSequence, endSequence, bids, asks } = parseWire(bookUpdate, data, stream);
      return { type: "book-update", marketId, beginSequence, endSequence, bids, asks };
    }
  }
  if (kind === "market")
    return { type: "market", marketId, figures: parseWire(marketFigures, data, stream) };
  if (kind === "trades")
    return { type: "trade", marketId, trade: parseWire(publicTrade, data, stream) };
  const interval = /^kline(\w+)$/.exec(kind)?.[1];
  if (interval !== undefined) {
    const klines = parseWire(klineList, Array.isArray(data) ? data : [data], stream);
    return { type: "klines", marketId, interval: interval.toUpperCase(), klines };
  }
  return { type: "unknown", name: stream, data };
}

type Malformed = Extract<MarketEvent & AccountEvent, { readonly type: "malformed" }>;

function guarded<Event>(
  where: string,
  text: string,
  decode: (frame: object) => readonly Event[],
): readonly (Event | Malformed)[] {
  try {
    if (text.length > DEFAULT_MAX_FRAME_BYTES) {
      throw new FormatError("a frame that is too long", {
        field: where,
        value: `${text.length} bytes`,
        expected: `at most ${DEFAULT_MAX_FRAME_BYTES}`,
      });
    }
    const frame = parseInt64Json(text);
    if (typeof frame !== "object" || frame === null)
      throw new FormatError("not a JSON object", { field: where, expected: "an object" });
    return decode(frame);
  } catch (error) {
    // A frame is untrusted: very deep nesting raises a RangeError.
    if (
      !(error instanceof FormatError || error instanceof SyntaxError || error instanceof RangeError)
    )
      throw error;
    return [{ type: "malformed", where, reason: error.message }];
  }
}

/** A response to a subscription is not an event, but a rejected subscription must be reported. */
function acknowledgement(frame: object): readonly never[] {
  const refusal = frame as {
    readonly error?: unknown;
    readonly code?: unknown;
    readonly message?: unknown;
  };
  const isRefused =
    (refusal.error !== undefined && refusal.error !== null) || typeof refusal.code === "number";
  if (!isRefused) return [];
  const value =
    refusal.error ?? `${formatErrorValue(refusal.code)} ${formatErrorValue(refusal.message)}`;
  throw new FormatError("the exchange refused a stream request", {
    field: "frame",
    value,
    expected: "an acknowledgement",
  });
}
