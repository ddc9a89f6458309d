import type { TurnBound, TurnRange } from "../../bot/bisect/turn-range.js";
import { ConfigError } from "../../core/errors.js";
import { parseInstant } from "../../history/day.js";

/**
 * Parses the options `--from` and `--to` of a journal: turns, or UTC times.
 * @throws ConfigError if one is neither, or if `--from` is after `--to`
 */
export function parseRange(from: string | undefined, to: string | undefined): TurnRange {
  const range = { from: parseTurnBound(from, "--from"), to: parseTurnBound(to, "--to") };
  if (isAfter(range.from, range.to))
    throw new ConfigError("is after --to", {
      field: "--from",
      value: from,
      expected: `a turn or a time up to ${to}`,
    });
  return range;
}

/**
 * Parses the number of a turn, or of turns.
 * @param most upper limit; none by default
 * @throws ConfigError unless it is from 1 to that
 */
export function parseTurn(text: string, field: string, most = Number.MAX_SAFE_INTEGER): number {
  const turn = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (turn >= 1 && turn <= most) return turn;
  throw new ConfigError("is not a number of turns", {
    field,
    value: text,
    expected: most === Number.MAX_SAFE_INTEGER ? "a turn, counted from 1" : `1 to ${most}`,
  });
}

function parseTurnBound(text: string | undefined, field: string): TurnBound | undefined {
  if (text === undefined) return undefined;
  return /^\d{1,11}$/.test(text)
    ? { turn: parseTurn(text, field) }
    : { atMs: parseInstant(text, field) };
}

/** A turn and a time cannot be compared before the journal is read. */
function isAfter(from: TurnBound | undefined, to: TurnBound | undefined): boolean {
  if (from === undefined || to === undefined) return false;
  if ("turn" in from) return "turn" in to && from.turn > to.turn;
  return "atMs" in to && from.atMs > to.atMs;
}
