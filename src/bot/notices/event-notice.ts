import type { AccountChange } from "../../account/account-change.js";
import type { Ms } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import type { Notice } from "../../notify/notice.js";
import { DAILY_LOSS, haltMarketId, MANUAL_HALT } from "../../risk/halt.js";
import type { Bot } from "../engine/bot.js";
import type { BotEvent } from "../engine/bot-event.js";
import { actionText } from "../safety/ladder-text.js";
import { resumeCommand } from "./resume-command.js";
import { RungNotices } from "./rung-notices.js";

type EventOf<Kind extends BotEvent["kind"]> = Extract<BotEvent, { kind: Kind }>;

/** Turns a bot's events into notices; undefined for those that are not sent. */
export class EventNotices {
  /** Halts in force that a person has to lift, and those that were told. */
  readonly #toldHalts = new Map<string, { readonly needsPerson: boolean }>();
  readonly #rungs = new RungNotices();

  forEvent(event: BotEvent, bot: Bot): Notice | undefined {
    const atMs = bot.context.clock.nowMs();
    switch (event.kind) {
      case "halted":
        return event.on ? this.#halt(event, bot, atMs) : this.#lifted(event, bot, atMs);
      case "rung":
        return this.#rungs.forRung(event, bot, atMs);
      case "account":
        return accountNotice(event.change, bot, atMs);
      case "hedge":
        return hedgeNotice(event, atMs);
      case "log":
        // The fields may hold anything: only the sentence is sent.
        return event.level === "error"
          ? { atMs, severity: "warning", kind: "error", title: event.message, key: event.message }
          : undefined;
      case "stopped": {
        const { reason, ordersLeft } = event.result;
        const isClean = ordersLeft.length === 0;
        return {
          atMs,
          severity: isClean ? "info" : "critical",
          kind: "stopped",
          title: isClean ? "the bot has stopped" : "the bot has stopped, and orders may be open",
          text: isClean ? reason : `${reason}; ${ordersLeft.length} orders may still fill`,
        };
      }
      default:
        return undefined;
    }
  }

  #halt(event: EventOf<"halted">, bot: Bot, atMs: Ms): Notice | undefined {
    const { reason, marketId, why, isStarting } = event;
    const halt = bot.tradingGuards.halts.find(
      (one) => one.name === reason && haltMarketId(one) === marketId,
    );
    const needsPerson = halt?.resumesByItself === false || reason === DAILY_LOSS;
    // At a start every guard trips until the first confirmation: no event.
    if (!needsPerson && (isStarting === true || bot.phase === "starting")) return undefined;
    const key = haltKey(event);
    this.#toldHalts.set(key, { needsPerson });
    return {
      atMs,
      severity: needsPerson && reason !== MANUAL_HALT ? "critical" : "warning",
      kind: "halt",
      title: `${marketId ?? "all markets"} halted: ${reason}`,
      text: needsPerson ? `${why}${sellsText(event, bot)}` : `${why}; it ends by itself`,
      key,
      state: "on",
      ...(marketId === undefined ? {} : { marketId }),
      ...(needsPerson ? { command: resumeCommand(bot, marketId) } : {}),
    };
  }

  #lifted(event: EventOf<"halted">, bot: Bot, atMs: Ms): Notice | undefined {
    const { reason, marketId } = event;
    const key = haltKey(event);
    const told = this.#toldHalts.get(key);
    this.#toldHalts.delete(key);
    if (told === undefined) return undefined;
    const others = bot.tradingGuards.halts.length;
    return {
      atMs,
      severity: told.needsPerson && reason !== MANUAL_HALT ? "critical" : "warning",
      kind: "halt-over",
      title: `${marketId ?? "all markets"} no longer halted: ${reason}`,
      key,
      state: "off",
      // The next halt that a person has to lift is an event of its own.
      endsKey: told.needsPerson,
      ...(others === 0
        ? {}
        : { text: `${others === 1 ? "another halt is" : `${others} other halts are`} in force` }),
      ...(marketId === undefined ? {} : { marketId }),
    };
  }
}

/** The second half of a halt's reason, where its rung sells the position. */
function sellsText({ reason, marketId }: EventOf<"halted">, { tradingGuards }: Bot): string {
  const rung = tradingGuards.ladder.acting.find(
    (acting) => acting.measure === reason && acting.marketId === marketId,
  );
  return rung?.action === "flatten" ? `; ${actionText(rung)}` : "";
}

function haltKey({ reason, marketId }: EventOf<"halted">): string {
  return `halt ${reason} ${marketId ?? ""}`;
}

function accountNotice(change: AccountChange, bot: Bot, atMs: Ms): Notice | undefined {
  switch (change.kind) {
    case "fill":
      return fillNotice(change.trade, bot, atMs);
    case "trade-failed": {
      const { marketId, id, side } = change.trade;
      return {
        atMs,
        severity: "warning",
        kind: "settlement-failed",
        title: `a settlement failed in ${marketId}: the trade is reversed`,
        text: `${side} ${amountText(change.trade, bot)}, trade ${id}`,
        key: `settlement ${marketId}`,
        marketId,
      };
    }
    case "liquidation":
      return liquidationNotice(change, bot, atMs);
    case "position-set":
      return {
        atMs,
        severity: "warning",
        kind: "position-set",
        title: `the position in ${change.marketId} was set to the exchange's`,
        key: `position ${change.marketId}`,
        marketId: change.marketId,
      };
    default:
      return undefined;
  }
}

/** A liquidation that no takeover of this bot explains. */
function liquidationNotice(
  { marketId, lots, takeoverId, isTakenOver }: Extract<AccountChange, { kind: "liquidation" }>,
  bot: Bot,
  atMs: Ms,
): Notice | undefined {
  if (takeoverId !== undefined) return undefined;
  const amount = bot.context.traders.get(marketId)?.instrument.formatAmount(lots) ?? `${lots} lots`;
  return {
    atMs,
    severity: isTakenOver === true ? "warning" : "critical",
    kind: "liquidation",
    title:
      isTakenOver === true
        ? `the account has taken a position over in ${marketId}`
        : `the account's position in ${marketId} was liquidated`,
    text: `it changed by ${amount}, as the exchange reports`,
    marketId,
  };
}

function fillNotice(trade: VenueTrade, bot: Bot, atMs: Ms): Notice {
  const { marketId, side, ticks, isMaker } = trade;
  const price = bot.context.traders.get(marketId)?.instrument.formatReportedPrice(ticks) ?? "";
  return {
    atMs,
    severity: "info",
    kind: "fill",
    title: `${marketId} ${side} ${amountText(trade, bot)} at ${price}, ${isMaker ? "maker" : "taker"}`,
    marketId,
  };
}

function amountText({ marketId, lots, restPaper }: VenueTrade, bot: Bot): string {
  const instrument = bot.context.traders.get(marketId)?.instrument;
  return instrument?.formatReportedAmount(lots, restPaper) ?? `${lots} lots`;
}

function hedgeNotice({ marketId, venue, notice }: EventOf<"hedge">, atMs: Ms): Notice | undefined {
  const about = { atMs, severity: "warning", kind: "hedge", marketId } as const;
  switch (notice.kind) {
    case "warning":
      return {
        ...about,
        title: `hedge of ${marketId} at ${venue}: ${notice.message}`,
        key: notice.message,
      };
    case "position-adopted":
      return {
        ...about,
        title: `the hedge of ${marketId} was set to the position at ${venue}`,
        key: `hedge position ${marketId}`,
      };
    default:
      return undefined;
  }
}
