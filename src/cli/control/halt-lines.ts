import type { MarketId } from "../../core/units.js";
import { DAILY_LOSS } from "../../risk/halt.js";
import { alignedTable } from "./aligned-table.js";
import { oneLine } from "./one-line.js";

/** A halt as it is shown: in force for a running bot, or for the next start. */
export interface ShownHalt {
  readonly name: string;
  /** null or absent for a halt of the whole account. */
  readonly marketId?: MarketId | null | undefined;
  readonly why?: string | undefined;
  readonly endsByItself?: boolean | undefined;
}

/**
 * Formats halts as a table with the way in which each ends, in at most `mostLines` lines.
 * @param resume the command that resumes the bot
 */
export function haltLines(halts: readonly ShownHalt[], resume: string, mostLines: number): string {
  // One line for the headings, and one for the number of those that are left out.
  const most = halts.length + 1 <= mostLines ? halts.length : Math.max(0, mostLines - 2);
  const shown = halts.slice(0, most);
  const lines = alignedTable([
    { heading: "halt", cells: shown.map(({ name }) => name) },
    { heading: "where", cells: shown.map(({ marketId }) => marketId ?? "account") },
    { heading: "ends", cells: shown.map((halt) => endText(halt, resume)) },
    { heading: "reason", cells: shown.map(({ why = "" }) => oneLine(why)) },
  ]);
  const left = halts.length - shown.length;
  return left === 0 ? lines : `${lines}${left} more halts: --json lists all\n`;
}

/** Most halts that a sentence names. */
const MOST_NAMED = 3;
/** The reason of a halt from a chat has the user's number, of up to ten digits. */
const NAMED_REASON_CHARACTERS = 40;

/** Names halts in one phrase, such as `manual (news), stale-book of btcusdc`. */
export function haltNames(halts: readonly ShownHalt[]): string {
  const more = halts.length - MOST_NAMED;
  const named = halts
    .slice(0, MOST_NAMED)
    .map(({ name, marketId, why }) => {
      const where = marketId === null || marketId === undefined ? "" : ` of ${marketId}`;
      return name === "manual" && why !== undefined
        ? `${name}${where} (${oneLine(why, NAMED_REASON_CHARACTERS)})`
        : `${name}${where}`;
    })
    .join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}

function endText({ name, marketId, endsByItself }: ShownHalt, resume: string): string {
  const command =
    marketId === null || marketId === undefined ? resume : `${resume} --market ${marketId}`;
  switch (name) {
    case DAILY_LOSS:
      return `with the day, or ${command}`;
    case "domain-mismatch":
      return "when the exchange signs as the bot does";
    case "exchange-info-changed":
      return `${command}, or a restart`;
    default:
      return endsByItself === true ? "by itself" : command;
  }
}
