/** Rejects at once with the signal's reason when it comes, whatever becomes of the work: for what may be left at any instant. */
export async function rejectOnAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
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
