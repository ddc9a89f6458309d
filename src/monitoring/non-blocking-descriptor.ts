import { constants, fstatSync, openSync } from "node:fs";

const { O_WRONLY, O_APPEND, O_NOCTTY, O_NONBLOCK } = constants;

/**
 * Opens the terminal or pipe of a descriptor a second time, so that a write that would block fails
 * with EAGAIN. A terminal after Ctrl-S, or behind a stalled connection, must not hold up a process
 * that has orders to manage. The descriptor itself stays unchanged, because the shell and others
 * write to it too.
 * @returns undefined if that is impossible: for a file, which has no reader to wait for, a socket,
 * another user's terminal, or without `/proc`.
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

/** Returns true if a write to such a descriptor failed because its buffer is full. */
export function isWouldBlockError(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}
