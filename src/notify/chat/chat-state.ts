import { z } from "zod";

/** The schema of a {@link ChatState}. */
export const chatStateSchema = z.object({
  /** Of each Telegram channel, the number of the next update. */
  offsets: z.record(z.string(), z.int()).default({}),
  /** The newest time step whose one-time password was accepted. */
  lastStep: z.int().default(0),
  /** Times of the wrong codes since the last right one. */
  wrongAtMs: z.array(z.number()).default([]),
  lockedUntilMs: z.number().default(0),
});

/** The part of the sender's state that chats need after a restart. */
export type ChatState = z.output<typeof chatStateSchema>;
