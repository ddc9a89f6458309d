import { FormatError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import {
  decodeBalancesResponse,
  decodeIncomes,
  decodePositions,
  decodeUserTrades,
} from "../protocol/decode-account.js";
import { decodeBuildResult, decodeOrder, decodeOrders } from "../protocol/decode-orders.js";
import { decodeRules } from "../protocol/decode-rules.js";
import { time } from "../protocol/market-data.js";
import { count } from "../protocol/values.js";
import { type DecodeContext, parseWire } from "../protocol/wire-parse.js";
import type { OrderHasher } from "../signing/order-signing.js";
import type { Action, Outcome, QueryAction } from "../venue.js";
import { isInconclusive } from "../venue-errors.js";
import { isThrottled, readResponse } from "./rest-messages.js";
import type { HttpResult } from "./transport.js";

/** Context for reading a response. */
export interface OutcomeContext extends DecodeContext {
  /** Absent before the rules are known. */
  readonly hasher: OrderHasher | undefined;
}

/**
 * Longer responses are not parsed, because that would block the bot. Twenty times the longest
 * possible page.
 */
const MOST_ANSWER_CHARACTERS = 8 * 1024 * 1024;

/**
 * A market that is gone or unreadable is a result that its trader must see, not a malformed
 * response.
 */
const NONE_REQUIRED: readonly MarketId[] = [];

/**
 * Reads the response to an action. Only a coded refusal of the exchange, or one of the firewall
 * before it, is `rejected`; what is missing or unreadable is `unknown`. What that proves of a place
 * or a cancel is decided by `fateOf`.
 * @example
 * ```ts
 * import { readOutcome } from "marketwright/exchange";
 *
 * const outcome = readOutcome(
 *   { actionId: 1, timestampMs: 1_700_000_000_000, kind: "cancel-all", marketId: "btcusdc" },
 *   { ok: false, cause: "timeout", sent: true, message: "no answer within 5 s" },
 *   { creditDecimals: 6, instruments: new Map(), hasher: undefined },
 * );
 * // The request left and nothing came back: nobody knows whether the orders are cancelled.
 * outcome.result; // => "unknown"
 * ```
 */
export function readOutcome(action: Action, result: HttpResult, context: OutcomeContext): Outcome {
  if (!result.ok) {
    return result.sent
      ? { result: "unknown", cause: result.cause, message: result.message }
      : { result: "not-sent", message: result.message };
  }
  const { status, body } = result;
  if (isThrottled(status))
    return { result: "throttled", httpStatus: status, retryAfterMs: result.retryAfterMs };
  if (status >= 500)
    return {
      result: "unknown",
      cause: "server-error",
      message: `HTTP ${status}: ${excerpt(body)}`,
    };
  const isCancel = action.kind === "cancel" || action.kind === "cancel-all";
  if (status === 204 && isCancel) return { result: "cancelled" };
  if (body.length > MOST_ANSWER_CHARACTERS) {
    const limit = `above the limit of ${MOST_ANSWER_CHARACTERS}`;
    return malformed(status, `an answer of ${body.length} characters, ${limit}`);
  }
  const answer = readResponse(result, isCancel);
  switch (answer.kind) {
    case "empty":
      return { result: "cancelled" };
    case "coded": {
      const { code, codeText, message } = answer;
      // An internal error does not show if the action happened before it.
      if (isInconclusive(code, status))
        return {
          result: "unknown",
          cause: "server-error",
          message: `${code} ${codeText}: ${excerpt(message)}`,
        };
      return { result: "rejected", code, codeText, message, httpStatus: status };
    }
    case "unreadable":
      // The firewall uses its own format, and passes nothing that it rejects.
      if (status === 403)
        return {
          result: "rejected",
          code: 0,
          codeText: "Forbidden",
          message: `HTTP 403: ${excerpt(body)}`,
          httpStatus: 403,
        };
      return malformed(status, answer.reason);
    case "value":
      try {
        return outcomeOfValue(action, answer.value, context);
      } catch (error) {
        if (!(error instanceof FormatError || error instanceof RangeError)) throw error;
        return malformed(status, error.message);
      }
  }
}

function malformed(status: number, reason: string): Outcome {
  return {
    result: "unknown",
    cause: "malformed-answer",
    message: `HTTP ${status}: ${reason}`,
  };
}

function outcomeOfValue(action: Action, value: unknown, context: OutcomeContext): Outcome {
  switch (action.kind) {
    case "place": {
      const order = decodeOrder(value, context, "order");
      if (order === undefined) {
        throw new FormatError("an order of another market", {
          field: "order.marketId",
          expected: action.marketId,
        });
      }
      if (order.hash !== action.hash.toLowerCase()) {
        throw new FormatError("an order of another hash", {
          field: "order.hash",
          value: order.hash,
          expected: action.hash,
        });
      }
      return { result: "accepted", order };
    }
    case "build": {
      const built = decodeBuildResult(value);
      const hash = context.hasher?.hash(built.order);
      if (hash !== built.hash) {
        throw new FormatError("the built order's hash differs from the one in the answer", {
          field: "build.orderHash",
          value: built.hash,
          expected: hash ?? "a client that has read exchangeInfo",
        });
      }
      return { result: "built", ...built };
    }
    case "cancel":
    case "cancel-all":
      // A response with a body does not come from the exchange. Taken as a cancel, it would free
      // the slot of an order that still rests.
      throw new FormatError("the answer to a cancel has a body", {
        field: "body",
        expected: "HTTP 204 without one",
      });
    case "question":
      return answerOf(action, value, context);
  }
}

function answerOf(action: QueryAction, value: unknown, context: OutcomeContext): Outcome {
  const { ask } = action;
  switch (ask) {
    case "time":
      return {
        result: "answered",
        ask,
        data: { serverTimeMs: parseWire(time, value, "time").serverTime },
      };
    case "rules":
      return { result: "answered", ask, data: decodeRules(value, NONE_REQUIRED) };
    case "openOrders":
    case "historyOrders":
      return { result: "answered", ask, data: decodeOrders(value, context, ask) };
    case "userTrades":
      return { result: "answered", ask, data: decodeUserTrades(value, context, ask) };
    case "incomes":
      return { result: "answered", ask, data: decodeIncomes(value, context, ask) };
    case "balances":
      return { result: "answered", ask, data: decodeBalancesResponse(value, context, ask) };
    case "positions":
      return { result: "answered", ask, data: decodePositions(value, context, ask) };
    case "bookSequence": {
      const sequence = (value as { readonly sequence?: unknown } | null)?.sequence;
      return {
        result: "answered",
        ask,
        data: { sequence: parseWire(count, sequence, "orderbook.sequence") },
      };
    }
  }
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 197)}...` : line;
}
