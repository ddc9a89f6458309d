import { z } from "zod";

/** Most values of one command. */
const MOST_CHANGES = 200;

const preview = z.boolean().default(false);

/** The origin of a command, for the audit file: the command line if absent. */
export const via = z.enum(["command-line", "screen", "cockpit", "chat"]).optional();

/** `set`: other values for keys of the bot's file, all of them or none. */
export const setRequest = z.strictObject({
  command: z.literal("set"),
  changes: z
    .array(
      z
        .strictObject({
          /** Keys joined by dots: `markets.btcusdc.params.halfSpreadBps`. */
          path: z.string().min(1).max(500),
          /** As the file would have it; null removes the key, so that its default applies. */
          value: z.unknown(),
        })
        .refine(({ value }) => value !== undefined, {
          path: ["value"],
          message: "a value; null removes the key",
        }),
    )
    .max(MOST_CHANGES),
  /** Only shows what would change. */
  preview,
  /** Writes the values that differ back to the file. */
  save: z.boolean().default(false),
  via,
});

/** `reload`: the values of the file as it is now. */
export const reloadRequest = z.strictObject({ command: z.literal("reload"), preview, via });

/** A checked command that changes values of a running bot. */
export type ConfigureCommand = z.output<typeof setRequest> | z.output<typeof reloadRequest>;
