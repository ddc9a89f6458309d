import { createLiveRuntime } from "../core/runtime/live-runtime.js";
import type { Runtime } from "../core/runtime/runtime.js";
import { onUncaught, type UncaughtHandler } from "../core/uncaught.js";
import { type Keyboard, onSuspension, openKeyboard } from "./process/keyboard.js";
import type { ProcessEnd } from "./process/process-end.js";
import type { TerminalStreams } from "./process/terminal-prompt.js";
import { promptSecret } from "./process/terminal-secret.js";
import { LoopWatchdog, type WatchedLoop } from "./watchdog/loop-watchdog.js";

/** An output stream, which reports if it is a terminal. */
export interface TextStream {
  /** Absent if it is not a descriptor of this process. */
  readonly fd?: number | undefined;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string | Uint8Array): unknown;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

/** The parts of its process that a command may use. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Only data. */
  readonly stdout: TextStream;
  /** Logs, progress and errors. */
  readonly stderr: TextStream;
  /** Prompts the user for a secret without echo. Absent without a terminal. */
  readonly promptSecret?: (prompt: string) => Promise<string>;
  /** The terminal on which a command may ask. Absent without one. */
  readonly terminal?: TerminalStreams;
  /** The keyboard for a live screen. Absent unless stdin and stdout are terminals. */
  readonly keyboard?: Keyboard | undefined;
  /** {@link onSuspension} of this process. Absent if a test runs the command. */
  readonly onSuspension?: (suspend: () => void, resume: () => void) => () => void;
  readonly runtime: Runtime;
  /** {@link onUncaught} of this process. Absent if a test runs the command. */
  readonly onUncaught?: (handler: UncaughtHandler) => () => void;
  /**
   * Resolves with the signal's name when the user stops the process, or when the process that
   * started it is gone.
   */
  readonly interrupted: () => Promise<string>;
  /** {@link ProcessEnd.setExitNote} of this process. Absent if a test runs the command. */
  readonly setExitNote?: (left: (() => string) | undefined) => void;
  /** {@link ProcessEnd.endOnSignal} of this process. Absent if a test runs the command. */
  readonly endOnSignal?: () => void;
  /** Monitors this process from another thread. Absent if a test runs the command. */
  readonly watchLoop?: (options: WatchedLoop) => LoopWatchdog;
  /** This program's own script, to start further commands. */
  readonly script: string;
}

/** The real process. */
export function processContext(
  end: Pick<ProcessEnd, "signal" | "endOnSignal" | "handleSignals" | "now"> &
    Partial<Pick<ProcessEnd, "setExitNote">>,
): CliContext {
  const runtime = createLiveRuntime();
  return {
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    ...(process.stdin.isTTY
      ? { promptSecret: (prompt: string) => promptSecret(prompt, process.stdin, process.stderr) }
      : {}),
    // Questions go to stderr: stdout holds data only.
    ...(process.stdin.isTTY && process.stderr.isTTY
      ? { terminal: { input: process.stdin, output: process.stderr } }
      : {}),
    keyboard: openKeyboard(),
    onSuspension,
    runtime,
    onUncaught,
    interrupted: () => end.signal(() => runtime.clock.monotonicMs()),
    setExitNote: (left) => end.setExitNote?.(left),
    endOnSignal: () => end.endOnSignal(),
    watchLoop: (options) => new LoopWatchdog(options, { clock: runtime.clock, signals: end }),
    script: process.argv[1] ?? "",
  };
}
