/**
 * Resolves when every promise that could run has run: Node drains all microtasks between two
 * immediates. For virtual time.
 */
export function drainMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
