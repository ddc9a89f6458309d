import { ConfigError } from "../../core/errors.js";
import { instantText } from "../../history/day.js";
import type { PlayedHistory } from "./played-history.js";

/**
 * @throws ConfigError where a warm-up is as long as the history, microseconds since 1970. Such a
 * run would end with a profit of zero, better than many real ones
 */
export function requireReported(
  warmupMs: number,
  { startUs, endUs }: Pick<PlayedHistory, "startUs" | "endUs">,
): void {
  if (startUs + warmupMs * 1000 < endUs) return;
  throw new ConfigError("is as long as the history and leaves nothing to report", {
    field: "warmupMs",
    value: warmupMs,
    expected: `less than the ${Math.floor((endUs - startUs) / 1000)} ms from ${instantText(Math.floor(startUs / 1000))} to ${instantText(Math.floor(endUs / 1000))}`,
  });
}
