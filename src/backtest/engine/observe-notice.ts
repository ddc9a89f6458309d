import type { BotEvent } from "../../bot/engine/bot-event.js";
import { actionText } from "../../bot/safety/ladder-text.js";
import type { RunObserver } from "../record/run-observer.js";

/**
 * Passes the actions, predictions, halts, risk-ladder steps and log lines of a bot's event to the
 * observer of a run.
 */
export function observeNotice(notice: BotEvent, atUs: number, observer: RunObserver): void {
  if (notice.kind === "dispatched") {
    const { action } = notice;
    if (action.kind === "place" || action.kind === "cancel" || action.kind === "cancel-all")
      observer.action(action.marketId, atUs, action.kind);
  } else if (notice.kind === "prediction") {
    observer.prediction(notice.marketId, atUs, notice.moveTicks);
  } else if (notice.kind === "held-back" && notice.limit.endsWith("tokens")) {
    observer.action(notice.marketId, atUs, "throttled");
  } else if (notice.kind === "halted") {
    const where = notice.marketId === undefined ? "" : ` in ${notice.marketId}`;
    const [begun, ended] = notice.isStarting
      ? ["not quoting yet", "no longer blocking"]
      : ["halted", "resumed"];
    observer.note(
      atUs,
      notice.on && notice.isStarting !== true ? "warn" : "info",
      `${notice.on ? begun : ended}${where}, ${notice.reason}: ${notice.why}`,
    );
  } else if (notice.kind === "rung" && notice.action !== "halt") {
    const { measure, marketId, action, widenFactor, why } = notice;
    const where = marketId === undefined ? "" : ` in ${marketId}`;
    const what = action === undefined ? "over" : actionText({ action, widenFactor });
    observer.note(
      atUs,
      action === undefined ? "info" : "warn",
      `risk ladder${where}, ${measure}: ${what}: ${why}`,
    );
  } else if (notice.kind === "log") {
    observer.note(atUs, notice.level, notice.message);
  }
}
