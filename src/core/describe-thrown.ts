import { maskSecrets } from "./crypto/secrets.js";

/** Longer foreign messages are cut: they go into logs, halts and responses. */
const MOST_CHARACTERS = 1_000;

/**
 * Describes a value that foreign code threw. It may be anything, also a value without a text form,
 * or a text of megabytes.
 */
export function describeThrown(thrown: unknown): string {
  try {
    // Masked before it is cut: half a secret would not be recognised.
    const text = maskSecrets(thrown instanceof Error ? `${thrown.message}` : String(thrown));
    return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 3)}...` : text;
  } catch {
    return "it threw a value that has no text";
  }
}
