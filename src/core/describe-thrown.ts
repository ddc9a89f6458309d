import { maskSecrets } from "./crypto/secrets.js";

/** Longer words of somebody else's are cut: they go into logs, halts and answers. */
const MOST_CHARACTERS = 1_000;

/** What foreign code threw, in words. It may throw anything, also what cannot be made a text of, or a text of megabytes. */
export function describeThrown(thrown: unknown): string {
  try {
    // Masked before it is cut: half a secret is not recognised any more.
    const text = maskSecrets(thrown instanceof Error ? `${thrown.message}` : String(thrown));
    return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 3)}...` : text;
  } catch {
    return "it threw what has no words";
  }
}
