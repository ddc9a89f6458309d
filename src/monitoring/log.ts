import { closeSync, fchmodSync } from "node:fs";
import { isatty } from "node:tty";
import { pino } from "pino";
import { maskSecrets, SECRET_MARK } from "../core/crypto/secrets.js";
import { RunError } from "../core/errors.js";
import { openPlainFile } from "../core/files/plain-files.js";
import type { Clock, Timer } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";
import { isColorWanted } from "./color-wanted.js";
import { isWouldBlockError, openNonBlocking } from "./non-blocking-descriptor.js";
import { TerminalLog } from "./terminal-log.js";

/** How severe a line is; `silent` logs nothing. */
type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** One level's method: structured fields first, then the sentence. */
type LogLine = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Log of all layers: lines with fields. */
export interface Log {
  /**
   * True if lines of level debug are written. Check it before computing fields for one on a hot
   * path.
   */
  readonly writesDebug: boolean;
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
  readonly fatal: LogLine;
  /** Returns the same log with these fields on every line. */
  child(fields: Readonly<Record<string, unknown>>): Log;
}

/** A log that can be closed. */
export interface OpenLog extends Log {
  /** Destination of the lines: `stderr` or a path. */
  readonly destination: string;
  close(): void;
}

/** Options of a log. */
interface LogOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  /** A file (mode 0600) instead of stderr: while a live screen is up. */
  readonly file?: string;
  /** Fields on every line. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Sink of finished lines; pino's own destinations fit. */
interface LogSink {
  write(line: string): void;
}

/**
 * Most bytes buffered while a log cannot be written, as on a full disk or to a terminal after
 * Ctrl-S. Buffered lines are written once it can; later lines are lost.
 */
const MOST_WAITING = 1024 * 1024;
const STDERR = 2;
/** Interval of retries for buffered lines, even without new ones. */
const TRY_AGAIN_MS: Ms = 250;
/** Retries when a log is closed, a tenth of a second apart: its reader may be slow. */
const LAST_TRIES = 20;

const SECRET_FIELDS = ["key", "privateKey", "secret", "password", "mnemonic", "passphrase"];

/**
 * Opens the log of a process on stderr or in a file: one JSON object a line, or text for a person
 * where stderr is a terminal. If it can no longer be written, as on a full disk or to a stalled
 * reader, it neither throws nor blocks: the caller may have orders to manage.
 * @throws RunError when the file cannot be written.
 */
export function openLog(options: LogOptions): OpenLog {
  if (options.file !== undefined) ensurePrivate(options.file);
  let triesLeft = 0;
  const destination = pino.destination({
    dest: options.file ?? openNonBlocking(STDERR) ?? STDERR,
    sync: true,
    append: true,
    maxLength: MOST_WAITING,
    retryEAGAIN: () => triesLeft-- > 0,
    ...(options.file === undefined ? {} : { mode: 0o600 }),
  });
  let why: unknown;
  let retry: Timer | undefined;
  const tryAgain = (): void => {
    retry = undefined;
    destination.write("");
  };
  destination.on("error", (error: unknown) => {
    why = error;
    if (isWouldBlockError(error)) retry ??= options.clock.setTimer(TRY_AGAIN_MS, tryAgain);
  });
  destination.on("write", () => {
    why = undefined;
  });
  return {
    ...createLog(options.file === undefined ? forStderr(destination) : destination, options),
    destination: options.file ?? "stderr",
    close: () => {
      retry?.cancel();
      if (why === undefined) destination.flushSync();
      else if (isWouldBlockError(why)) {
        triesLeft = LAST_TRIES;
        // Not flushSync, which retries forever if the reader is gone by now.
        destination.write("");
      }
      if (options.file === undefined) return;
      if (why === undefined) destination.end();
      else destination.destroy();
    },
  };
}

/** The sink of JSON lines for stderr, which shows them as text where it is a terminal. */
function forStderr(destination: LogSink): LogSink {
  if (!isatty(STDERR)) return destination;
  const terminal = new TerminalLog({ color: isColorWanted(process.env) });
  return { write: (line) => destination.write(terminal.format(line)) };
}

/** A log that writes to `sink`, with the secrets of this process masked. */
export function createLog(
  sink: LogSink,
  { level, clock, fields = {} }: Omit<LogOptions, "file">,
): Log {
  const logger = pino(
    {
      level,
      base: fields,
      timestamp: () => `,"time":${clock.nowMs()}`,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor: SECRET_MARK,
      },
      serializers: { error: pino.stdSerializers.err },
    },
    { write: (line: string) => sink.write(maskSecrets(line)) },
  );
  return wrap(logger);
}

/** A log that keeps nothing. */
export const silentLog: Log = {
  writesDebug: false,
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  fatal: ignore,
  child: () => silentLog,
};

function ignore(): void {}

function wrap(logger: pino.Logger): Log {
  const line = (level: "debug" | "info" | "warn" | "error" | "fatal"): LogLine => {
    // Decided once: a disabled level costs the hot path nothing.
    if (!logger.isLevelEnabled(level)) return ignore;
    return (fields, message) => logger[level](plain(fields), message);
  };
  return {
    writesDebug: logger.isLevelEnabled("debug"),
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    fatal: line("fatal"),
    child: (fields) => wrap(logger.child(plain(fields))),
  };
}

/** JSON has no bigint, and a line that cannot be serialised would be lost. */
function plain(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const held: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) held[name] = plainValue(value, 0);
  return held;
}

function plainValue(value: unknown, depth: number): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null || value instanceof Error || depth > 6)
    return value;
  if (Array.isArray(value)) return value.map((item) => plainValue(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, plainValue(item, depth + 1)]),
  );
}

function ensurePrivate(file: string): void {
  try {
    const descriptor = openPlainFile(file, "a", 0o600);
    try {
      fchmodSync(descriptor, 0o600);
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    throw new RunError("cannot write the log", {
      field: "stateDir",
      value: file,
      expected: "a file that this user may write",
      cause,
    });
  }
}
