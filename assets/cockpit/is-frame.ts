import type { Frame } from "./frame.js";

/** True if a frame has all that the page shows: a bot of another version may send less. */
export function isFrame({ status, markets, notices }: Partial<Frame>): boolean {
  return (
    status !== undefined &&
    markets !== undefined &&
    Array.isArray(notices) &&
    [status.ladderRungs, status.streams, status.differsFromFile, status.activeHalts].every(
      Array.isArray,
    ) &&
    status.guard !== undefined &&
    status.eventLoopDelayMs !== undefined &&
    Object.values(status.markets).every(
      ({ quotes, markouts, quoting }) =>
        Array.isArray(quotes) && Array.isArray(markouts) && quoting !== undefined,
    )
  );
}
