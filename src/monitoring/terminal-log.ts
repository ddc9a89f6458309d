import { maskSecrets } from "../core/crypto/secrets.js";
import type { Ms } from "../core/units.js";

/** Options of a {@link TerminalLog}. */
export interface TerminalLogOptions {
  readonly color: boolean;
  /** IANA name of the time zone; the machine's when left out. */
  readonly timeZone?: string | undefined;
}

/** A line of the log: the fields of every line, and those of this one. */
interface LogEntry {
  readonly level: string;
  readonly time: Ms;
  readonly msg: string;
  readonly [field: string]: unknown;
}

const LEVEL_WIDTH = 5;
/** Most messages fit; a longer one pushes its fields to the right. */
const MESSAGE_WIDTH = 28;
const LEVEL_COLORS: Readonly<Record<string, string>> = {
  debug: "\x1b[2m",
  info: "\x1b[32m",
  warn: "\x1b[33m",
  error: "\x1b[31m",
  fatal: "\x1b[1;31m",
};
const DIM = "\x1b[2m";
const RESET = "\x1b[0m";

/**
 * Formats the JSON lines of a log for a person at a terminal: local time, level, message, and the
 * fields as `name value`. Traces stand below their line. A line with the date comes at midnight.
 */
export class TerminalLog {
  readonly #color: boolean;
  readonly #clock: Intl.DateTimeFormat;
  readonly #day: Intl.DateTimeFormat;
  #lastDay: string | undefined;

  constructor({ color, timeZone }: TerminalLogOptions) {
    this.#color = color;
    this.#clock = new Intl.DateTimeFormat("en-GB", {
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      fractionalSecondDigits: 3,
      hourCycle: "h23",
      timeZone,
    });
    this.#day = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone });
  }

  /** Formats one JSON line; the text ends with a line feed. A line of another form stays. */
  format(line: string): string {
    const entry = parseEntry(line);
    if (entry === undefined) return line;
    const { level, time, msg, ...fields } = entry;
    const below: string[] = [];
    const shown = Object.entries(fields).map(
      ([name, value]) => `${this.#paint(DIM, printable(name))} ${valueText(value, below)}`,
    );
    const [head = "", ...rest] = msg.split("\n");
    const message = printable(head);
    const text = [
      this.#paint(DIM, this.#clock.format(time)),
      this.#paint(LEVEL_COLORS[level] ?? "", level.padEnd(LEVEL_WIDTH)),
      [shown.length === 0 ? message : message.padEnd(MESSAGE_WIDTH), ...shown].join("  "),
    ].join("  ");
    const traces = [...rest, ...below].map((trace) => `    ${printable(trace.trim())}\n`);
    // Secrets that JSON had escaped are whole again only here.
    return maskSecrets(`${this.#newDay(time)}${text}\n${traces.join("")}`);
  }

  /** The date, when it is another one than that of the line before. */
  #newDay(time: Ms): string {
    const day = this.#day.format(time);
    const isNew = this.#lastDay !== undefined && this.#lastDay !== day;
    this.#lastDay = day;
    return isNew ? `${this.#paint(DIM, day)}\n` : "";
  }

  #paint(color: string, text: string): string {
    return this.#color && color !== "" ? `${color}${text}${RESET}` : text;
  }
}

/** Undefined for a line that masking, or a field of the same name, has given another form. */
function parseEntry(line: string): LogEntry | undefined {
  let entry: Partial<LogEntry>;
  try {
    entry = JSON.parse(line) as Partial<LogEntry>;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const { level, time, msg } = entry;
  return typeof level === "string" && typeof time === "number" && typeof msg === "string"
    ? { ...entry, level, time, msg }
    : undefined;
}

/** @param below receives the further lines of a text with several. */
function valueText(value: unknown, below: string[]): string {
  if (value === null) return "none";
  if (typeof value === "string") {
    const [head = "", ...rest] = value.split("\n");
    below.push(...rest);
    return printable(head) || '""';
  }
  if (isError(value)) return errorText(value, below);
  if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
    return value.length === 0 ? "none" : value.map((item) => printable(String(item))).join(", ");
  return printable(typeof value === "object" ? JSON.stringify(value) : String(value));
}

interface SerializedError {
  readonly type: string;
  readonly message: string;
  readonly stack: string;
}

/** True for an error as pino writes it. */
function isError(value: unknown): value is SerializedError {
  return (
    typeof value === "object" &&
    value !== null &&
    ["type", "message", "stack"].every(
      (name) => name in value && typeof value[name as keyof typeof value] === "string",
    )
  );
}

function errorText({ type, message, stack }: SerializedError, below: string[]): string {
  const lines = stack.split("\n");
  const first = lines.findIndex((line) => /^\s+at /.test(line));
  below.push(...(first < 0 ? [] : lines.slice(first)));
  return printable(message === "" ? type : message.replaceAll("\n", " "));
}

/**
 * A text whose control characters are escaped: a text of the exchange or of a strategy must not
 * move the cursor, colour the terminal or begin a line.
 */
function printable(text: string): string {
  return text.replaceAll(
    /\p{Cc}/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
