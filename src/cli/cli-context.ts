import { liveSeam } from "../core/runtime/live-seam.js";
import type { Seam } from "../core/runtime/seam.js";
import { onUncaught, type UncaughtHandler } from "../core/uncaught.js";
import type { ProcessEnd } from "./process/process-end.js";
import { promptSecret } from "./process/terminal-secret.js";
import { LoopWatchdog, type WatchedLoop } from "./watchdog/loop-watchdog.js";

/** Where text goes; a terminal says so. */
export interface TextStream {
  /** Absent where it is no descriptor of this process. */
  readonly fd?: number | undefined;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string | Uint8Array): unknown;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

/** What a command may touch of the process that it runs in. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Data alone. */
  readonly stdout: TextStream;
  /** Logs, progress and errors. */
  readonly stderr: TextStream;
  /** Asks the user for a secret, which is not shown. Absent where nobody sits at a terminal. */
  readonly promptSecret?: (prompt: string) => Promise<string>;
  readonly runtime: Seam;
  /** {@link onUncaught} of this process. Absent where a test runs the command. */
  readonly onUncaught?: (handler: UncaughtHandler) => () => void;
  /** Resolves with the signal's name when the user asks the process to end, or when the process that started it is gone. */
  readonly interrupted: () => Promise<string>;
  /** {@link ProcessEnd.setExitNote} of this process. Absent where a test runs the command. */
  readonly setExitNote?: (left: (() => string) | undefined) => void;
  /** {@link ProcessEnd.endOnSignal} of this process. Absent where a test runs the command. */
  readonly endOnSignal?: () => void;
  /** Watches this process from a thread beside it. Absent where a test runs the command. */
  readonly watchLoop?: (options: WatchedLoop) => LoopWatchdog;
  /** This program's own script, for starting further commands of it. */
  readonly script: string;
}

/** The real process. */
export function processContext(
  end: Pick<ProcessEnd, "signal" | "endOnSignal" | "handleSignals" | "now"> &
    Partial<Pick<ProcessEnd, "setExitNote">>,
): CliContext {
  const seam = liveSeam();
  return {
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    ...(process.stdin.isTTY
      ? { promptSecret: (prompt: string) => promptSecret(prompt, process.stdin, process.stderr) }
      : {}),
    runtime: seam,
    onUncaught,
    interrupted: () => end.signal(() => seam.clock.monotonicMs()),
    setExitNote: (left) => end.setExitNote?.(left),
    endOnSignal: () => end.endOnSignal(),
    watchLoop: (options) => new LoopWatchdog(options, { clock: seam.clock, signals: end }),
    script: process.argv[1] ?? "",
  };
}
