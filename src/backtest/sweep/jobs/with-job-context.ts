import type { Job } from "./job-player.js";

/** The same error, which is nobody else's, saying which job it was. */
export function withJobContext({ id }: Job, error: Error): Error {
  return Object.assign(error, {
    message: `${id}: ${error.message}`,
    stack: `${id}: ${error.stack}`,
  });
}
