import { z } from "zod";
import { SEVERITIES } from "./notice.js";

/** The schema of a {@link MessageEntry}. */
export const messageEntrySchema = z.object({
  /** Unique in its channel: a receiver may drop a repetition. */
  id: z.string(),
  atMs: z.number(),
  severity: z.enum(SEVERITIES),
  kind: z.string(),
  title: z.string(),
  text: z.string().optional(),
  marketId: z.string().optional(),
  command: z.string().optional(),
  /** Repetitions that this entry stands for. */
  more: z.int().optional(),
});

/** One event in a message. */
export type MessageEntry = Readonly<z.output<typeof messageEntrySchema>>;

/** One message to a channel. */
export interface Message {
  readonly id: string;
  /** Name of the bot's file. */
  readonly bot: string;
  readonly severity: MessageEntry["severity"];
  readonly entries: readonly MessageEntry[];
  /** Events that were dropped before this message. */
  readonly dropped: number;
}
