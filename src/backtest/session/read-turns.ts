import { join } from "node:path";
import { type FileLine, readFileLines } from "../../bot/journal/journal-lines.js";
import type { VenueOrder } from "../../exchange/records.js";
import { hashFile } from "../../history/file-hash.js";
import { HistoryError } from "../../history/history-errors.js";
import { decodeRecordedTurn } from "./recorded-turns.js";
import { SESSION_FILES, type Session } from "./session-file.js";

/**
 * The turns of a session, line by line.
 * @throws HistoryError when the file does not match its session
 */
export async function* recordedTurns(
  folder: string,
  { turns }: Pick<Session, "turns">,
): AsyncGenerator<FileLine> {
  const path = join(folder, SESSION_FILES.turns);
  const sha256 = await hashFile(path);
  if (sha256 !== turns.sha256)
    throw new HistoryError(path, "has changed since it was recorded: its SHA-256 differs", {
      value: sha256,
      expected: turns.sha256,
    });
  yield* readFileLines(path, true);
}

/**
 * Reads which orders of the account were open when a session began, in all markets: the first
 * answer of the exchange to the query for open orders.
 * @returns undefined where the session never received one
 * @throws HistoryError as {@link recordedTurns} does; FormatError naming a line that is broken
 */
export async function readOpenOrdersAtStart(
  folder: string,
  session: Pick<Session, "turns">,
): Promise<readonly VenueOrder[] | undefined> {
  for await (const { number, text } of recordedTurns(folder, session)) {
    // Decoding every turn of a long session would take minutes.
    if (number === 1 || !text.includes('"openOrders"')) continue;
    const { input } = decodeRecordedTurn(text, number);
    if (input.kind !== "event" || input.event.type !== "answer") continue;
    const { outcome } = input.event;
    if (outcome.result === "answered" && outcome.ask === "openOrders") return outcome.data;
  }
  return undefined;
}
