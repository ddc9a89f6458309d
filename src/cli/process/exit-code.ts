/**
 * How the process ends: well, failed at run time, used or configured wrongly; or because it was told to before it was done, with what a shell says
 * of one that SIGHUP, SIGINT or SIGTERM has ended.
 */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code of what was told to end: by a signal, or because the process that started it is gone. */
export function exitCodeForSignal(by: string): ExitCode {
  if (by === "SIGINT") return EXIT.interrupted;
  return by === "SIGHUP" ? EXIT.hungUp : EXIT.terminated;
}
