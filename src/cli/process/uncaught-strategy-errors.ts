import { toUncaughtStrategyError } from "../../bot/strategy/uncaught-strategy-error.js";
import type { CliContext } from "../cli-context.js";

/**
 * Runs work that calls strategies in this thread.
 * @param work calls its argument now and then: it throws a strategy's uncaught error, so that the
 * work stops there and cleans up.
 * @throws RunError naming the strategy; any error of the work
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
