import type { AccountChange } from "../../account/account-change.js";
import type { OrderChange } from "../../account/orders/order.js";
import { formatCount } from "../../core/format-count.js";
import type { Ms } from "../../core/units.js";
import { describeOutcome } from "../../exchange/fate.js";
import type { Action } from "../../exchange/venue.js";
import type { Intent } from "../../strategies/intent.js";
import type { BotEvent } from "../engine/bot-event.js";
import {
  amountText,
  creditText,
  describeInput,
  describeOrder,
  priceText,
  type RunGrids,
} from "./describe-input.js";
import { noticeLines } from "./notice-lines.js";
import type { LinkStep, LinkSubject, TracedLink } from "./traced-link.js";

/** A link as it is printed: a sentence, and the ids by which the journal has it. */
export interface LinkText {
  readonly step: LinkStep;
  readonly turn: number;
  readonly atMs: Ms;
  readonly text: string;
  readonly marketId?: string;
  /** Sequence of the view that was made, or that the intent answers. */
  readonly viewSequence?: number;
  /** Hash of the order. */
  readonly orderHash?: string;
  readonly actionId?: number;
  readonly tradeId?: string;
}

/** Describes a link, in base and quote. */
export function describeLink({ turn, atMs, subject }: TracedLink, grids: RunGrids): LinkText {
  return { step: subject.step, turn, atMs, ...content(subject, grids) };
}

function content(subject: LinkSubject, grids: RunGrids): Omit<LinkText, "step" | "turn" | "atMs"> {
  switch (subject.step) {
    case "frame":
      return { text: describeInput(subject.input, grids) };
    case "view": {
      const { marketId, sequence, cause, midTicks, positionLots } = subject.view;
      const text = `${marketId} view ${sequence} (${cause}): mid ${priceText(midTicks, marketId, grids)}, position ${amountText(positionLots, marketId, grids)}`;
      return { text, marketId, viewSequence: sequence };
    }
    case "intent": {
      const { marketId, viewSequence } = subject.intent;
      return { text: intentText(subject.intent, grids), marketId, viewSequence };
    }
    case "plan": {
      const { planned } = subject;
      const { marketId, stoppedBy } = planned;
      const stopped = stoppedBy.length === 0 ? "" : `, ${stoppedBy.join(", ")}`;
      if (planned.kind === "cancel") {
        const { hash, side, level, why } = planned.cancel;
        return {
          text: `cancel ${side} ${level} ${shortHash(hash)}: ${why}${stopped}`,
          marketId,
          orderHash: hash,
        };
      }
      const { place } = planned;
      const text = `place level ${place.level} ${describeOrder({ ...place, marketId }, grids)}: ${place.why}${stopped}`;
      return { text, marketId };
    }
    case "action":
      return { text: actionText(subject.action, grids), ...idsOf(subject.action) };
    case "answer": {
      const { action, outcome } = subject;
      const text = `to ${actionText(action, grids)}: ${describeOutcome(outcome)}`;
      return { text, ...idsOf(action) };
    }
    case "order": {
      const { order, change } = subject;
      const text = `${shortHash(order.hash)} ${describeOrder(order, grids)}: ${changeText(change, (lots) => amountText(lots, order.marketId, grids))}`;
      return { text, marketId: order.marketId, orderHash: order.hash };
    }
    case "fill": {
      const { trade, orderHash } = subject;
      const by = orderHash === undefined ? "of no known order" : `of ${shortHash(orderHash)}`;
      const text = `${describeOrder(trade, grids)} ${by}, ${trade.isMaker ? "maker" : "taker"}, fee ${creditText(trade.commission, grids)}, trade ${trade.id}`;
      return {
        text,
        marketId: trade.marketId,
        tradeId: String(trade.id),
        ...(orderHash === undefined ? {} : { orderHash }),
      };
    }
    case "event":
      return { text: eventText(subject.event, grids) };
  }
}

function intentText(intent: Intent, grids: RunGrids): string {
  const { marketId, reason } = intent;
  const price = (ticks: number): string => priceText(ticks, marketId, grids);
  const wanted =
    intent.kind === "quotes"
      ? intent.quotes.map((quote) => describeOrder({ ...quote, marketId }, grids)).join(", ") ||
        "no quotes"
      : `position ${amountText(intent.targetLots, marketId, grids)}, no worse than ${price(intent.worstTicks)}`;
  return `${marketId} to view ${intent.viewSequence}: ${wanted} (fair ${price(reason.fairTicks)}, centre ${price(reason.reservationTicks)}${reason.clamps.map((clamp) => `, ${clamp}`).join("")})`;
}

function actionText(action: Action, grids: RunGrids): string {
  switch (action.kind) {
    case "place":
    case "build":
      return `${action.kind} ${action.marketId} ${describeOrder(action, grids)} ${action.timeInForce}${action.kind === "place" ? ` ${shortHash(action.hash)}` : ""}`;
    case "cancel":
      return `cancel ${action.marketId} ${shortHash(action.hash)}`;
    case "cancel-all":
      return `cancel-all ${action.marketId}`;
    case "question":
      return `ask ${action.ask}`;
  }
}

function idsOf(action: Action): Pick<LinkText, "marketId" | "orderHash" | "actionId"> {
  return {
    actionId: action.actionId,
    ...(action.kind === "question" ? {} : { marketId: action.marketId }),
    ...(action.kind === "place" || action.kind === "cancel" ? { orderHash: action.hash } : {}),
  };
}

function changeText(change: OrderChange, amount: (lots: number) => string): string {
  switch (change.change) {
    case "phase":
      return `${change.from} -> ${change.to}`;
    case "matched":
      return `matched ${amount(change.lots)}`;
    case "settled":
      return `settled ${amount(change.lots)}`;
    case "settlement-failed":
      return `the settlement of ${amount(change.lots)} failed`;
    case "revived":
      return `open again, after ${change.from}`;
    case "contradiction":
      return change.text;
  }
}

/** Events that a replay does not print are named by their kind. */
function eventText(event: BotEvent, grids: RunGrids): string {
  const [line] = noticeLines(event);
  if (line !== undefined) return line;
  switch (event.kind) {
    case "account":
      return accountText(event.change, grids);
    case "stream":
      return `${event.stream} stream ${event.state}: ${event.reason}`;
    case "strategy-failed":
      return `${event.marketId} strategy failed: ${event.why}`;
    case "tokens-short":
      return `tokens are short: ${event.why}`;
    case "stopped":
      return `stopped: ${event.result.reason}`;
    default:
      return event.kind;
  }
}

/** Changes of the account that are neither of an order nor a fill. */
function accountText(change: AccountChange, grids: RunGrids): string {
  switch (change.kind) {
    case "trade-failed":
      return `the settlement of trade ${change.trade.id} failed: ${describeOrder(change.trade, grids)}`;
    case "income":
      return `income ${change.income.type} ${creditText(change.income.amount, grids)}`;
    case "liquidation":
      return `${change.marketId} liquidation: position ${signedText(change.lots)}${amountText(change.lots, change.marketId, grids)}`;
    case "position-set":
      return `${change.marketId} position set from ${amountText(change.was, change.marketId, grids)} to ${amountText(change.lots, change.marketId, grids)}: nothing known explains the exchange's`;
    case "difference": {
      const { kind, subject, ours, theirs } = change.difference;
      return `difference (${kind}) of ${subject}: here ${ours}, at the exchange ${theirs}`;
    }
    case "reconciled":
      return `reconciled (${change.result.cause}): ${formatCount(change.result.differences.length, "difference")}`;
    case "reconcile-failed":
      return `reconciliation failed: ${change.ask}: ${change.message}`;
    case "awaits-settlement":
      return `waits for the settlement of trades in ${change.marketIds.join(", ")}`;
    case "adopted":
      return `an earlier run's order: ${change.order.marketId} ${describeOrder(change.order, grids)}`;
    case "foreign":
      return `an order that the bot did not place: ${change.order.marketId} ${describeOrder(change.order, grids)}`;
    default:
      return change.kind;
  }
}

function signedText(lots: number): string {
  return lots > 0 ? "+" : "";
}

/** The first characters of a hash: enough to tell the orders of one chain apart. */
function shortHash(hash: string): string {
  return hash.slice(0, 10);
}
