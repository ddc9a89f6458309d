import type { Action } from "../../exchange/venue.js";
import type { Intent } from "../../strategies/intent.js";
import type { BotEvent } from "../engine/bot-event.js";
import { actionText } from "../safety/ladder-text.js";

/** Describes a decision or a halt, one line each; none for other events. */
export function noticeLines(notice: BotEvent): string[] {
  switch (notice.kind) {
    case "intent":
      return [intentLine(notice.intent)];
    case "intent-refused":
      return [`${notice.marketId} intent refused: ${notice.refusal}: ${notice.why}`];
    case "held-back":
      return [`${notice.marketId} held back: ${notice.limit}: ${notice.why}`];
    case "halted":
      return [
        `${notice.marketId ?? "all markets"} ${notice.on ? "halted" : "no longer halted"}: ${notice.reason}: ${notice.why}`,
      ];
    case "rung": {
      const { measure, marketId, action, widenFactor, why } = notice;
      return [
        `${marketId ?? "all markets"} risk ladder, ${measure}: ${action === undefined ? "over" : actionText({ action, widenFactor })}: ${why}`,
      ];
    }
    case "book-lost":
      return [`${notice.marketId} book given up: ${notice.reason}`];
    default:
      return [];
  }
}

function intentLine(intent: Intent): string {
  const { fairTicks, reservationTicks, halfSpreadTicks, terms, clamps } = intent.reason;
  const wanted =
    intent.kind === "quotes"
      ? intent.quotes
          .map(({ side, level, ticks, lots }) => `${side} ${level} ${lots}@${ticks}`)
          .join(", ") || "nothing"
      : `position ${intent.targetLots} no worse than ${intent.worstTicks}`;
  const why = [
    `fair ${short(fairTicks)}`,
    `reservation ${short(reservationTicks)}`,
    `half spread ${short(halfSpreadTicks)}`,
  ];
  for (const [name, value] of Object.entries(terms)) why.push(`${name} ${short(value)}`);
  return `${intent.marketId} wants ${wanted} (${[...why, ...clamps].join(", ")})`;
}

/** Describes an action in ticks and lots. */
export function actionLine(action: Action): string {
  switch (action.kind) {
    case "place":
      return `${action.marketId} place ${action.side} ${action.lots}@${action.ticks} ${action.timeInForce} ${action.hash}`;
    case "build":
      return `${action.marketId} build ${action.side} ${action.lots}@${action.ticks} ${action.timeInForce}`;
    case "cancel":
      return `${action.marketId} cancel ${action.orderId} ${action.hash}`;
    case "cancel-all":
      return `${action.marketId} cancel-all`;
    case "question":
      return `ask ${action.ask}`;
  }
}

/** Formats a time as `12:34:56.789`, UTC. */
export function clockText(atMs: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  const seconds = atMs / 1000;
  return `${two((seconds / 3600) % 24)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}.${String(atMs % 1000).padStart(3, "0")}`;
}

function short(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(8)));
}
