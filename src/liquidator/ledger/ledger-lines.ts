import { FormatError } from "../../core/errors.js";
import type { Opportunity } from "./opportunity.js";

const BIGINT = /^-?\d+n$/;

/** Encodes an opportunity as one line of JSON. A bigint is written as its digits and an `n`. */
export function encodeOpportunity(opportunity: Opportunity): string {
  return JSON.stringify(opportunity, (_key, held: unknown) =>
    typeof held === "bigint" ? `${held}n` : held,
  );
}

/**
 * Decodes a ledger's text: every opportunity in its newest state, oldest first. Leaves out a last
 * line that was cut short when the process ended.
 * @throws FormatError naming the line that is not an opportunity.
 */
export function decodeLedger(text: string): Opportunity[] {
  const newest = new Map<string, Opportunity>();
  const lines = text.split("\n");
  lines.forEach((line, i) => {
    if (line === "") return;
    const found = decoded(line);
    if (found === undefined && i === lines.length - 1) return;
    if (found === undefined)
      throw new FormatError("cannot be read as an opportunity", {
        field: `line ${i + 1}`,
        expected: "a line that an earlier run of the bot wrote",
      });
    newest.delete(found.id);
    newest.set(found.id, found);
  });
  return [...newest.values()];
}

function decoded(line: string): Opportunity | undefined {
  try {
    const value: unknown = JSON.parse(line, (_key, held: unknown) =>
      typeof held === "string" && BIGINT.test(held) ? BigInt(held.slice(0, -1)) : held,
    );
    return isOpportunity(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isOpportunity(value: unknown): value is Opportunity {
  if (typeof value !== "object" || value === null) return false;
  const held = value as Readonly<Record<string, unknown>>;
  return (
    ["id", "victim", "perp", "marketId", "outcome"].every((key) => typeof held[key] === "string") &&
    typeof held.atMs === "object" &&
    held.atMs !== null
  );
}
