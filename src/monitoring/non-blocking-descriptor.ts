import { constants, fstatSync, openSync } from "node:fs";

const { O_WRONLY, O_APPEND, O_NOCTTY, O_NONBLOCK } = constants;

/**
 * Opens the terminal or the pipe of a descriptor once more, so that a write which would have to wait for its reader fails with EAGAIN: a terminal after
 * Ctrl-S, or behind a connection that hangs, must not hold up a process that has orders to answer for. The descriptor itself stays as it is, since the
 * shell and others write to it too.
 * @returns undefined where that cannot be: of a file, which has no reader to wait for, of a socket, of another user's terminal, without `/proc`.
 */
export function openNonBlocking(descriptor: number): number | undefined {
  try {
    const opened = fstatSync(descriptor);
    if (!opened.isFIFO() && !opened.isCharacterDevice()) return undefined;
    return openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK);
  } catch {
    return undefined;
  }
}

/** Whether a write to such a descriptor failed because its reader has left no room. */
export function isWouldBlockError(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}
