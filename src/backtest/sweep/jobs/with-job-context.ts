import type { Job } from "./job-player.js";

/** Adds the job's name to an error, which must have no other owner. */
export function withJobContext({ id }: Job, error: Error): Error {
  return Object.assign(error, {
    message: `${id}: ${error.message}`,
    stack: `${id}: ${error.stack}`,
  });
}
