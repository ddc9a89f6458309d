import { liveSeam } from "../core/live-seam.js";
import type { Clock, Seam } from "../core/seam.js";
import { askSecret } from "./terminal-secret.js";

/** Where text goes; a terminal says so. */
export interface TextStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string): unknown;
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
  readonly askSecret?: (prompt: string) => Promise<string>;
  readonly seam: Seam;
  /** Calls `handler` with every error that nobody caught, until what it returns is called. Absent where a test runs the command. */
  readonly onCrash?: (handler: (error: unknown) => void) => () => void;
  /** Resolves with the signal's name when the user asks the process to end, or when the process that started it is gone. */
  readonly interrupted: () => Promise<string>;
  /** This program's own script, for starting further commands of it. */
  readonly script: string;
}

/** The real process. */
export function processContext(): CliContext {
  const seam = liveSeam();
  return {
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    ...(process.stdin.isTTY ? { askSecret: (prompt: string) => askSecret(prompt, process.stdin, process.stderr) } : {}),
    seam,
    onCrash: onUncaught,
    interrupted: () => untilSignal(seam.clock),
    script: process.argv[1] ?? "",
  };
}

/** A terminal's Ctrl-C may come twice: from the terminal itself, and from npm, which passes it on. */
const SAME_SIGNAL_MS = 1000;

/**
 * Waits for SIGINT or SIGTERM. What waits then ends in good order; another signal, later than the same one can arrive by
 * two ways, ends the process at once with the exit code of a failure.
 */
function untilSignal(clock: Clock): Promise<string> {
  return new Promise((resolve) => {
    let firstAtMs: number | undefined;
    const take = (signal: NodeJS.Signals): void => {
      if (firstAtMs === undefined) {
        firstAtMs = clock.monotonicMs();
        resolve(signal);
      } else if (clock.monotonicMs() - firstAtMs > SAME_SIGNAL_MS) process.exit(1);
    };
    if (process.connected) {
      process.once("disconnect", () => resolve("the process that started this one is gone"));
      // Listening alone must not keep a process alive that has nothing else to do.
      process.channel?.unref();
    }
    process.on("SIGINT", take);
    process.on("SIGTERM", take);
  });
}

function onUncaught(handler: (error: unknown) => void): () => void {
  process.on("uncaughtException", handler);
  process.on("unhandledRejection", handler);
  return () => {
    process.off("uncaughtException", handler);
    process.off("unhandledRejection", handler);
  };
}
