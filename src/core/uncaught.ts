/** How an error came to be nobody's: thrown where no caller is left, or the reason of a promise that nobody awaits. */
export type Uncaught = "thrown" | "rejected";

/** Hears of an error that nobody caught. False where it is none of its own: the one before it is asked then. */
export type UncaughtHandler = (error: unknown, how: Uncaught) => boolean;

const handlers: UncaughtHandler[] = [];

/**
 * Tells a handler of what nobody catches in this thread, until what it returns is called: the newest handler first. What none of them takes ends the
 * thread, as Node does where there is no handler.
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
