import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { BotConfig } from "../../bot/config/config.js";
import { decodeLine, encodeJournal } from "../../bot/journal/journal.js";
import { ConfigError, FormatError } from "../../core/errors.js";
import { readPlainText } from "../../core/files/plain-files.js";
import type { VenueRules } from "../../exchange/records.js";

/** The format of a recorded session; a reader refuses any other. */
const SESSION_FORMAT = 3;
/** The files of a recorded session, in its folder. */
export const SESSION_FILES = {
  session: "session.json",
  unfinished: "session.unfinished.json",
  intents: "intents.ndjson",
  turns: "turns.ndjson.gz",
  history: "history",
} as const;

const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const microseconds = z.int().nonnegative();

const lines = z.strictObject({ count: z.int().nonnegative(), sha256: z.string() });

const sessionShape = z.strictObject({
  session: z.literal(SESSION_FORMAT),
  version: z.string(),
  /**
   * Orders went to the exchange (`live`), were filled here (`paper`), or were only planned
   * (`no-fills`).
   */
  mode: z.enum(["live", "paper", "no-fills"]),
  exchange: z.string(),
  account: z.string(),
  startedUs: microseconds,
  endedUs: microseconds,
  rules: z.looseObject({ markets: z.record(z.string(), z.unknown()) }),
  config: z.looseObject({ markets: z.record(z.string(), z.unknown()) }),
  /** Latency and fill models of paper orders. */
  paper: z
    .strictObject({
      queue: z.string(),
      orderLatencyMs: z.number(),
      responseLatencyMs: z.number(),
      creditQuote: z.string(),
    })
    .optional(),
  /** At the first decision; null where there was none. */
  start: z
    .strictObject({ equityQuote: decimal, positionsBase: z.record(z.string(), decimal) })
    .nullable(),
  end: z.strictObject({
    positionsBase: z.record(z.string(), decimal),
    profitQuote: z.record(z.string(), decimal),
    /** Deposits minus withdrawals since the first decision. */
    transfersQuote: decimal,
  }),
  intents: lines,
  /** All inputs of the bot, turn by turn. */
  turns: lines,
});

/** The description of a recorded session. Instants are whole microseconds of the bot's clock. */
export type Session = Omit<z.infer<typeof sessionShape>, "session" | "rules" | "config"> & {
  readonly rules: VenueRules;
  /** As it ran, without any key. */
  readonly config: BotConfig;
};

/** The text of a session's file. */
export function sessionText(session: Session): string {
  return `${encodeJournal({ session: SESSION_FORMAT, ...session })}\n`;
}

/**
 * Reads the description of a session from its folder.
 * @throws ConfigError for a folder without a session, or with one that was not ended
 */
export function readSession(folder: string): Session {
  const path = join(folder, SESSION_FILES.session);
  if (!existsSync(path)) {
    const isUnfinished = existsSync(join(folder, SESSION_FILES.unfinished));
    throw new ConfigError(
      isUnfinished
        ? "was not ended: its process was killed, so its recording may be incomplete"
        : "holds no recorded session",
      {
        field: "session",
        value: folder,
        expected: "the folder of a marketwright run --record that stopped normally",
      },
    );
  }
  try {
    const read = sessionShape.safeParse(decodeLine(readPlainText(path).trim(), 1));
    if (read.success) {
      const { session: _format, ...session } = read.data;
      return session as unknown as Session;
    }
    throw new FormatError("has another format than this version reads", {
      field: read.error.issues[0]?.path.join(".") ?? "",
      expected: `session ${SESSION_FORMAT}`,
    });
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new ConfigError(`is not a recorded session: ${cause.message}`, {
      field: "session",
      value: path,
      expected: "a file that marketwright run --record wrote",
      cause,
    });
  }
}
