/**
 * Exit codes: success, failure at run time, wrong usage or configuration, and the codes that a
 * shell gives a process ended by SIGHUP, SIGINT or SIGTERM.
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

/** The exit code after a signal, or after the end of the process that started it. */
export function exitCodeForSignal(by: string): ExitCode {
  if (by === "SIGINT") return EXIT.interrupted;
  return by === "SIGHUP" ? EXIT.hungUp : EXIT.terminated;
}
