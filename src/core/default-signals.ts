const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

/**
 * Runs work during which a signal ends the process at once, by the system's default: for foreign
 * code that leaves nothing to clean up and may never return. A listener would have to wait for it.
 * Earlier listeners are restored afterwards.
 */
export async function withDefaultSignals<T>(work: () => Promise<T>): Promise<T> {
  const listenersBySignal = SIGNALS.map((signal) => ({
    signal,
    listeners: process.listeners(signal),
  }));
  for (const { signal, listeners } of listenersBySignal)
    for (const listener of listeners) process.off(signal, listener);
  try {
    return await work();
  } finally {
    for (const { signal, listeners } of listenersBySignal)
      for (const listener of listeners) process.on(signal, listener);
  }
}
