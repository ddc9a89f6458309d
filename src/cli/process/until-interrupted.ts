import type { CliContext } from "../cli-context.js";
import { Interrupted } from "./exit.js";

export { rejectOnAbort } from "../../core/runtime/reject-on-abort.js";

/**
 * Runs work that a person, or the process that started this one, may interrupt. The work receives
 * an abort signal.
 * @param left returns the text about the part that is done by then.
 * @throws Interrupted once the work has stopped; any error of the work
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
