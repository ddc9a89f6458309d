import type { BotRecord } from "./bot-record.js";
import type { Frame } from "./frame.js";
import { setClass, setText } from "./update-element.js";

/** How well something does: its word says it, a sign and a colour repeat it. */
export type Health = "good" | "waiting" | "bad" | "off";

const SIGNS: Readonly<Record<Health, string>> = { good: "●", waiting: "◐", bad: "■", off: "○" };

const WORDS: Readonly<Record<string, string>> = {
  "reduce-only": "only reducing",
  waiting: "waiting to quote",
};

/** A state in a word, and how well that is. */
export interface Activity {
  readonly word: string;
  readonly health: Health;
}

/** Shows a state as a word with a sign. */
export function setActivity(element: Element, { word, health }: Activity): void {
  setText(element, `${SIGNS[health]} ${word}`);
  for (const name of Object.keys(SIGNS)) setClass(element, `is-${name}`, name === health);
}

/**
 * The activity of a market: `quoting`, `waiting`, `reduce-only` or `halted`.
 * @param isOld true if that may have changed since
 */
export function marketActivity(state: string, isOld: boolean): Activity {
  const health: Health = state === "quoting" ? "good" : state === "halted" ? "bad" : "waiting";
  return asOf({ word: WORDS[state] ?? state, health }, isOld);
}

/**
 * The activity of a bot as a whole.
 * @param isOld true if its last frame may differ from what it does now
 */
export function botActivity(record: BotRecord, isOld: boolean): Activity {
  if (record.goneAtMs !== undefined) return { word: "gone", health: "bad" };
  return asOf(lastActivity(record), isOld && record.frame !== undefined);
}

function asOf(activity: Activity, isOld: boolean): Activity {
  return isOld ? { word: `was ${activity.word}`, health: "off" } : activity;
}

function lastActivity({ frame, entry }: BotRecord): Activity {
  if (frame === undefined) return { word: "no news yet", health: "waiting" };
  if (entry.phase !== "running") return { word: entry.phase, health: "waiting" };
  return runningActivity(frame);
}

function runningActivity({ status }: Frame): Activity {
  const states = Object.values(status.markets).map(({ state }) => state);
  const halted = states.filter((state) => state === "halted").length;
  if (halted > 0 && halted === states.length) return { word: "halted", health: "bad" };
  if (halted > 0) return { word: `${halted} of ${states.length} halted`, health: "bad" };
  const reducing = states.filter((state) => state === "reduce-only").length;
  if (reducing > 0) return { word: "only reducing", health: "waiting" };
  const waiting = states.filter((state) => state === "waiting").length;
  if (waiting > 0)
    return {
      word: waiting === states.length ? "waiting to quote" : `${waiting} waiting to quote`,
      health: "waiting",
    };
  return { word: "quoting", health: "good" };
}
