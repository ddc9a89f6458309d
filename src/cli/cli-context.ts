import { liveSeam } from "../core/live-seam.js";
import type { Seam } from "../core/seam.js";

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
  readonly seam: Seam;
  /** Resolves with the signal's name when the user asks the process to end. */
  readonly interrupted: () => Promise<string>;
}

/** The real process. */
export function processContext(): CliContext {
  return { env: process.env, stdout: process.stdout, stderr: process.stderr, seam: liveSeam(), interrupted: untilSignal };
}

/**
 * Waits for SIGINT or SIGTERM. What waits then ends in good order; a second signal ends the process at once, with the
 * exit code of a failure.
 */
function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    const take = (signal: NodeJS.Signals): void => {
      process.once("SIGINT", () => process.exit(1));
      process.once("SIGTERM", () => process.exit(1));
      resolve(signal);
    };
    let taken = false;
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        if (taken) return;
        taken = true;
        take(signal);
      });
    }
  });
}
