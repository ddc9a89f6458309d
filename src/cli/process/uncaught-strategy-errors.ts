import { toUncaughtStrategyError } from "../../bot/strategy/uncaught-strategy-error.js";
import type { CliContext } from "../cli-context.js";

/**
 * Does work in which strategies are played, in this thread.
 * @param work calls what it is given now and then: it throws what a strategy has left to nobody meanwhile, so that the work ends there and clears up.
 * @throws RunError naming the strategy; whatever the work throws
 */
export async function failOnUncaughtStrategyErrors<T>(
  context: CliContext,
  work: (check: () => void) => Promise<T>,
): Promise<T> {
  let stray: Error | undefined;
  const quiet = context.onUncaught?.((error, how) => {
    const found = toUncaughtStrategyError(error, how);
    stray ??= found;
    return found !== undefined;
  });
  try {
    return await work(() => {
      if (stray !== undefined) throw stray;
    });
  } finally {
    quiet?.();
  }
}
