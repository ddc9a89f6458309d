import type { Frame } from "./frame.js";
import { noticeKey } from "./notices-panel.js";

/**
 * Changes of a frame that a screen reader should say: halts, states and errors.
 * @param name of the bot
 */
export function changesToSay(
  name: string,
  before: Frame | undefined,
  now: Frame,
): readonly string[] {
  if (before === undefined) return [];
  const keyOf = (halt: { readonly name: string; readonly marketId: string | null }): string =>
    `${halt.marketId} ${halt.name}`;
  const [were, are] = [before, now].map(({ status }) => new Set(status.activeHalts.map(keyOf)));
  const known = new Set(before.notices.map(noticeKey));
  return [
    ...now.status.activeHalts
      .filter((halt) => !were?.has(keyOf(halt)))
      .map(
        ({ marketId, name: halt, why }) =>
          `${name}: ${marketId ?? "all markets"} halted, ${halt}: ${why}.`,
      ),
    ...before.status.activeHalts
      .filter((halt) => !are?.has(keyOf(halt)))
      .map(
        ({ marketId, name: halt }) =>
          `${name}: the halt ${halt} of ${marketId ?? "all markets"} has ended.`,
      ),
    ...(before.status.guard.state !== now.status.guard.state
      ? [`${name}: the guard is ${now.status.guard.state}.`]
      : []),
    ...(before.status.phase !== now.status.phase ? [`${name} is ${now.status.phase}.`] : []),
    ...now.notices
      .filter((notice) => notice.level === "error" && !known.has(noticeKey(notice)))
      .map(({ text }) => `${name}: ${text}.`),
  ];
}
