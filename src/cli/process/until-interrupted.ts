import type { CliContext } from "../cli-context.js";
import { Interrupted } from "./exit.js";

export { rejectOnAbort } from "../../core/runtime/reject-on-abort.js";

/**
 * Does work that a person, or whoever started this process, may end before its time. The work hears of it by the signal that it is given.
 * @param left what is to be said of what is done by then.
 * @throws Interrupted once the work has given up; whatever the work throws
 */
export async function untilInterrupted<T>(
  context: CliContext,
  left: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  let by: string | undefined;
  void context.interrupted().then((signal) => {
    by = signal;
    abort.abort();
  });
  try {
    return await work(abort.signal);
  } catch (error) {
    throw by === undefined ? error : new Interrupted(by, left);
  }
}
