import type { CliContext } from "./cli-context.js";
import { Interrupted } from "./exit.js";

/**
 * Does work that a person, or whoever started this process, may end before its time. The work hears of it by the signal that it is given.
 * @param left what is to be said of what is done by then.
 * @throws Interrupted once the work has given up; whatever the work throws
 */
export async function untilInterrupted<T>(context: CliContext, left: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
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

/** Rejects at once when the signal comes, whatever becomes of the work: for what may be left at any instant. */
export async function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
    // What it comes to interests nobody any more.
    work.catch(() => undefined);
  }
}
