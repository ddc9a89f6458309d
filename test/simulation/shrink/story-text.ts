import { formatCount } from "#core/format-count.js";
import type { Ms } from "#core/units.js";
import type { FaultKind, FaultStrike } from "#simulation/faults.js";
import type { Violation } from "../violation.js";
import type { RunSize } from "./shrink-plan.js";
import type { Story } from "./story.js";
import { isInstant, isWindow } from "./story-mode.js";
import { storyModeNamed } from "./story-modes.js";

/** The effect of a strike on the request or the frame that it names. */
const STRIKES: Readonly<Partial<Record<FaultKind, (strike: FaultStrike) => string>>> = {
  "request-lost": () => "is lost on its way to the exchange",
  "answer-lost": () => "gets no answer, since that is lost",
  "request-delayed": (strike) => `reaches the exchange ${lateText(strike)} late`,
  "request-duplicated": (strike) => `reaches the exchange again ${lateText(strike)} later`,
  "answer-delayed": (strike) => `is answered ${lateText(strike)} late`,
  "storm-429": () => "is refused with HTTP 429",
  "storm-418": () => "is refused with HTTP 418",
  "storm-5xx": ({ coin }) =>
    `is answered with HTTP 503, ${coin === true ? "after the exchange has processed it" : "and does not reach the exchange"}`,
  "connection-lost": ({ coin }) =>
    `loses its connection, ${coin === true ? "after it has reached the exchange" : "and does not reach the exchange"}`,
  "stream-dropped": () => "is lost, and its stream is closed",
  "stream-stalled": () => "is lost while its stream stays open",
  "frame-lost": () => "is lost",
  "frames-swapped": () => "arrives after the next one",
  "frame-repeated": () => "arrives twice",
  "snapshot-late": (strike) => `arrives ${lateText(strike)} late`,
};

/** Formats a story as its events in order, and the violation. */
export function formatStory(story: Story, violations: readonly Violation[]): string {
  const { startMs } = storyModeNamed(story.mode).shape;
  const since = (atMs: Ms): string => `${((atMs - startMs) / 1_000).toFixed(3)} s`.padStart(11);
  const rows = listRows(story).sort((one, other) => one.atMs - other.atMs);
  return [
    `${titleFor(story)}\n`,
    ...rows.map(({ atMs, text }) => `${since(atMs)}  ${text}\n`),
    ...violations
      .slice(0, 1)
      .map(({ atMs, rule, text }) => `${since(atMs)}  violation of ${rule}: ${text}\n`),
  ].join("");
}

/** The size of a run in words. */
export function formatRunSize({ windows, strikes, passedMs, events }: RunSize): string {
  const seconds = `${(passedMs / 1_000).toFixed(1)} s`;
  return [
    formatCount(windows, "window"),
    formatCount(strikes, "strike"),
    seconds,
    formatCount(events, "event"),
  ].join(", ");
}

function titleFor({ mode, break: breakName, from }: Story): string {
  const broken = storyModeNamed(mode).breaks.find(({ name }) => name === breakName);
  const what = broken === undefined ? "" : `, with ${broken.name}: ${broken.what}`;
  return `${mode}, seed ${from.seed}${what}`;
}

interface EventRow {
  readonly atMs: Ms;
  readonly text: string;
}

function listRows({ mode, plan }: Story): EventRow[] {
  const { lists, scripted, startMs } = storyModeNamed(mode).shape;
  const fields = plan as unknown as Readonly<Record<string, readonly unknown[] | undefined>>;
  const entries = (list: string): readonly unknown[] => fields[list] ?? [];
  const timeText = (ms: Ms): string => `${((ms - startMs) / 1_000).toFixed(3)} s`;
  return [
    ...scripted.flatMap(({ strikes }) =>
      entries(strikes).map((entry) => {
        const strike = entry as FaultStrike;
        const { kind, subject, nth, atMs } = strike;
        const venue = String(strikes) === "hedgeStrikes" ? " at the hedge venue" : "";
        return {
          atMs,
          text: `the ${ordinal(nth)} ${subject}${venue} ${STRIKES[kind]?.(strike) ?? `has ${kind}`}`,
        };
      }),
    ),
    ...lists.flatMap((list) =>
      entries(list).map((entry) => {
        const atMs = isWindow(entry) ? entry.fromMs : isInstant(entry) ? entry.atMs : startMs;
        const until = isWindow(entry) ? `, until ${timeText(entry.untilMs)}` : "";
        return { atMs, text: `${String(list)}: ${fieldsText(entry as object)}${until}` };
      }),
    ),
  ];
}

/** The fields of an entry without its times. */
function fieldsText(entry: object): string {
  return Object.entries(entry)
    .filter(([key]) => !["fromMs", "untilMs", "atMs"].includes(key))
    .map(([key, value]) => (key === "kind" ? String(value) : `${key} ${valueText(value)}`))
    .join(", ");
}

/** Of several values only those that are not zero. */
function valueText(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const parts = Object.entries(value).filter(([, part]) => part !== 0);
  return parts.map(([key, part]) => `${key} ${String(part)}`).join(" ");
}

function lateText({ lateMs = 0 }: FaultStrike): string {
  return `${(lateMs / 1_000).toFixed(3)} s`;
}

function ordinal(nth: number): string {
  const tens = nth % 100;
  if (tens >= 11 && tens <= 13) return `${nth}th`;
  return `${nth}${["th", "st", "nd", "rd"][nth % 10] ?? "th"}`;
}
