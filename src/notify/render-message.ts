import { formatCount } from "../core/format-count.js";
import type { Message, MessageEntry } from "./message.js";

/** How a service marks up a text. */
export interface Markup {
  /** Makes a text show as it is. */
  readonly escape: (text: string) => string;
  /** @param escaped an escaped text */
  readonly bold: (escaped: string) => string;
  /** @param text not escaped: inside code other rules hold */
  readonly code: (text: string) => string;
  /** Longest message that the service takes, in UTF-16 units. */
  readonly mostCharacters: number;
}

/** Longest part of one event: a reason may hold a whole foreign message. */
const MOST_TEXT = 600;
/** The same of a summary. */
const MOST_SUMMARY = 3000;
const MOST_TITLE = 200;
/** Room for the last line of a message that is cut. */
const ROOM = 60;

/** The text of a message without markup. */
export const PLAIN: Markup = {
  escape: (text) => text,
  bold: (text) => text,
  code: (text) => text,
  mostCharacters: 20_000,
};

/** Renders a message, whole lines within the service's limit. */
export function renderMessage(message: Message, markup: Markup, timeZone: string): string {
  const { dropped, entries } = message;
  const notes =
    dropped === 0
      ? []
      : [`${formatCount(dropped, "event")} before this could not be sent and are dropped.`];
  const head = markup.bold(markup.escape(messageTitle(message)));
  const most = markup.mostCharacters - ROOM - head.length - (notes[0]?.length ?? 0);
  const shown: string[] = [];
  let left = most;
  for (const entry of entries) {
    const longest = entry.kind === "summary" ? MOST_SUMMARY : MOST_TEXT;
    const line = fittingText(left, longest, (mostText) =>
      entryText(entry, { markup, timeZone, mostText }),
    );
    if (line === undefined) break;
    shown.push(line);
    left -= line.length + 1;
  }
  if (shown.length < entries.length)
    notes.push(`${formatCount(entries.length - shown.length, "event")} more: the log has all.`);
  return [head, ...notes.map(markup.escape), ...shown].join("\n");
}

/** The longest form of a line that fits; undefined if none does. */
function fittingText(
  most: number,
  longest: number,
  render: (mostText: number) => string,
): string | undefined {
  return [longest, 1500, MOST_TEXT, 200, 0]
    .filter((mostText) => mostText <= longest)
    .map(render)
    .find((line) => line.length < most);
}

/** The first line of a message: how severe, which bot, and the event or the number of them. */
export function messageTitle({ severity, bot, entries }: Message): string {
  const [first] = entries;
  const what =
    entries.length === 1 && first !== undefined
      ? cut(first.title, MOST_TITLE)
      : formatCount(entries.length, "event");
  return `${severity.toUpperCase()} ${bot}: ${what}`;
}

function entryText(
  entry: MessageEntry,
  {
    markup,
    timeZone,
    mostText,
  }: { readonly markup: Markup; readonly timeZone: string; readonly mostText: number },
): string {
  const { atMs, title, text, command, more = 0 } = entry;
  const count = more === 0 ? "" : `${formatCount(more, "time")} more, last: `;
  const reason = text === undefined || mostText === 0 ? "" : `: ${cut(text, mostText)}`;
  const sentence = markup.escape(
    `${timeText(atMs, timeZone)} ${count}${cut(title, MOST_TITLE)}${reason}`,
  );
  return command === undefined ? sentence : `${sentence}\nTo lift it: ${markup.code(command)}`;
}

/** The date, and the time of day to the second. */
function timeText(atMs: number, timeZone: string): string {
  return new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "medium",
  }).format(atMs);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 3).trimEnd()}...`;
}
