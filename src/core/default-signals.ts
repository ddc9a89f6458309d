const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

/**
 * Runs work during which a signal ends the process as the system itself does, at once: for code of somebody else's that
 * leaves nothing behind and may never return. A listener would wait for it. What listened before listens again afterwards.
 */
export async function withDefaultSignals<T>(work: () => Promise<T>): Promise<T> {
  const heard = SIGNALS.map((signal) => ({ signal, listeners: process.listeners(signal) }));
  for (const { signal, listeners } of heard)
    for (const listener of listeners) process.off(signal, listener);
  try {
    return await work();
  } finally {
    for (const { signal, listeners } of heard)
      for (const listener of listeners) process.on(signal, listener);
  }
}
