/**
 * Origin of an uncaught error: thrown where no caller is left, or the reason of a promise that is
 * not awaited.
 */
export type Uncaught = "thrown" | "rejected";

/**
 * Called with an uncaught error. Returns false if it does not handle it; the previous handler is
 * called then.
 */
export type UncaughtHandler = (error: unknown, how: Uncaught) => boolean;

const handlers: UncaughtHandler[] = [];

/**
 * Registers a handler for uncaught errors of this thread, until the returned function is called.
 * The newest handler comes first. An error that none handles ends the thread, as Node does without
 * a handler.
 */
export function onUncaught(handler: UncaughtHandler): () => void {
  if (handlers.length === 0) {
    process.on("uncaughtException", thrown);
    process.on("unhandledRejection", rejected);
  }
  handlers.push(handler);
  return () => {
    const at = handlers.indexOf(handler);
    if (at >= 0) handlers.splice(at, 1);
    if (handlers.length > 0) return;
    process.off("uncaughtException", thrown);
    process.off("unhandledRejection", rejected);
  };
}

function thrown(error: unknown): void {
  notifyHandlers(error, "thrown");
}

function rejected(reason: unknown): void {
  notifyHandlers(reason, "rejected");
}

function notifyHandlers(error: unknown, how: Uncaught): void {
  for (const handler of [...handlers].reverse()) if (handler(error, how)) return;
  throw error;
}
