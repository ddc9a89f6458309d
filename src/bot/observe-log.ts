import type { AccountChange } from "../account/changes.js";
import type { Clock } from "../core/seam.js";
import type { Action, Outcome } from "../exchange/venue.js";
import type { Log } from "../monitoring/log.js";
import { LogOnce } from "../monitoring/log-once.js";
import type { Notice } from "./notice.js";

/** Turns what a bot tells into log lines: what a storm can repeat, once a kind and minute. */
export class LogObserver {
  readonly #log: Log;
  readonly #once: LogOnce;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#once = new LogOnce(clock);
  }

  note(notice: Notice): void {
    const log = this.#log;
    switch (notice.kind) {
      case "log":
        return log[notice.level](notice.fields, notice.message);
      case "account":
        return this.#change(notice.change);
      case "dispatched":
        return log.debug(actionFields(notice.action), `${notice.action.kind} dispatched`);
      case "answered":
        return this.#answered(notice.action, notice.outcome, notice.tookMs);
      case "book-lost":
        return this.#limited(
          `book-lost ${notice.marketId} ${notice.gap}`,
          { marketId: notice.marketId, reason: notice.reason, gap: notice.gap },
          "book given up",
        );
      case "stream":
        return log[notice.state === "up" ? "info" : "warn"](
          { stream: notice.stream, reason: notice.reason },
          `${notice.stream} stream is ${notice.state}`,
        );
      case "malformed":
        return this.#limited(
          `malformed ${notice.where}`,
          { where: notice.where, reason: notice.reason },
          "malformed frame or answer: it changed nothing",
        );
      case "intent":
        return log.debug({ marketId: notice.intent.marketId, kind: notice.intent.kind, reason: notice.intent.reason }, "intent");
      case "intent-refused":
        return this.#limited(
          `refused ${notice.marketId} ${notice.refusal}`,
          { marketId: notice.marketId, refusal: notice.refusal, why: notice.why },
          "intent refused",
        );
      case "held-back":
        return this.#limited(
          `held ${notice.marketId} ${notice.limit}`,
          { marketId: notice.marketId, limit: notice.limit, why: notice.why },
          "place held back by a limit",
        );
      case "dry-plan":
        return log.info({ marketId: notice.marketId, plan: notice.plan }, "dry run: this would be done");
      case "halted": {
        const fields = { reason: notice.reason, marketId: notice.marketId, why: notice.why };
        return notice.on ? log.warn(fields, "halted") : log.info(fields, "no longer halted");
      }
      case "stopped":
        return log[notice.result.ordersLeft.length === 0 ? "info" : "error"]({ ...notice.result }, "stopped");
    }
  }

  #change(change: AccountChange): void {
    const log = this.#log;
    switch (change.kind) {
      case "order": {
        const { hash, marketId, side, phase, orderId, refusalCode, refusalText } = change.order;
        return log.debug({ marketId, hash, side, phase, orderId, refusalCode, refusalText, change: change.change }, "order changed");
      }
      case "adopted":
        return log.info(
          { marketId: change.order.marketId, hash: change.order.hash, orderId: change.order.orderId },
          "order of an earlier run taken over",
        );
      case "foreign":
        if (!change.first) return;
        return log.warn(
          { marketId: change.order.marketId, orderId: change.order.id, side: change.order.side },
          "an order that this bot did not place is open",
        );
      case "fill": {
        const { id, marketId, side, isMaker, ticks, lots } = change.trade;
        return log.info({ tradeId: id, marketId, side, isMaker, ticks, lots }, "fill");
      }
      case "settled":
        return log.debug({ tradeId: change.trade.id, marketId: change.trade.marketId }, "settled");
      case "trade-failed":
        return log.warn(
          { tradeId: change.trade.id, marketId: change.trade.marketId, lots: change.lots },
          "settlement failed: the fill is reversed",
        );
      case "income":
        return log.debug({ type: change.income.type, amount: change.income.amount, marketId: change.income.marketId }, "income");
      case "balances":
        return;
      case "position-set":
        return log.warn({ marketId: change.marketId, lots: change.lots, was: change.was }, "position set to what the exchange says");
      case "difference":
        return log.warn({ ...change.difference }, "the exchange differs from what the bot held");
      case "reconciled": {
        const { cause, differences, adopted, stillUnknown } = change.result;
        return log.debug(
          { cause, differences: differences.length, adopted: adopted.length, stillUnknown: stillUnknown.length },
          "reconciled",
        );
      }
      case "reconcile-failed":
        return this.#limited(
          `reconcile ${change.ask}`,
          { ask: change.ask, message: change.message },
          "a question of the reconciliation failed and is asked again",
        );
    }
  }

  #answered(action: Action, outcome: Outcome, tookMs: number): void {
    const fields = { ...actionFields(action), tookMs };
    switch (outcome.result) {
      case "rejected":
        return this.#limited(
          `rejected ${action.kind} ${outcome.code}`,
          { ...fields, code: outcome.code, text: outcome.message },
          `${action.kind} refused by the exchange`,
        );
      case "unknown":
        return this.#limited(
          `unknown ${action.kind} ${outcome.cause}`,
          { ...fields, cause: outcome.cause, text: outcome.message },
          `${action.kind}: outcome not known`,
        );
      case "throttled":
        return this.#limited(
          `throttled ${outcome.httpStatus}`,
          { ...fields, httpStatus: outcome.httpStatus, retryAfterMs: outcome.retryAfterMs },
          "refused by the rate limit",
        );
      case "not-sent":
        return this.#log.debug({ ...fields, text: outcome.message }, `${action.kind} not sent`);
      default:
        return this.#log.debug(fields, `${action.kind} answered`);
    }
  }

  #limited(kind: string, fields: Readonly<Record<string, unknown>>, message: string): void {
    const suppressed = this.#once.pass(kind);
    if (suppressed === undefined) return;
    this.#log.warn(suppressed === 0 ? fields : { ...fields, alike: suppressed }, message);
  }
}

function actionFields(action: Action): Readonly<Record<string, unknown>> {
  const { actionId, kind } = action;
  switch (action.kind) {
    case "place":
      return { actionId, kind, marketId: action.marketId, side: action.side, ticks: action.ticks, lots: action.lots, hash: action.hash };
    case "build":
      return { actionId, kind, marketId: action.marketId, side: action.side, ticks: action.ticks, lots: action.lots };
    case "cancel":
      return { actionId, kind, marketId: action.marketId, hash: action.hash, orderId: action.orderId };
    case "cancel-all":
      return { actionId, kind, marketId: action.marketId };
    case "question":
      return { actionId, kind, ask: action.ask };
  }
}
