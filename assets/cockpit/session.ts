/** Sent with every POST: another site's form cannot add it. */
export const POST_HEADERS = {
  "content-type": "application/json",
  "x-marketwright": "1",
} as const;

/** The command that prints a fresh link. */
export const NEW_LINK = "marketwright cockpit FILE";

/** Sentences of a page that gets no session. */
interface SessionTexts {
  /** While the server does not answer. */
  readonly silent: string;
  /** How to get a fresh link. */
  readonly newLink: string;
}

const COCKPIT_TEXTS: SessionTexts = {
  silent: "The cockpit does not answer. Is its bot running?",
  newLink: `Get a fresh one with: ${NEW_LINK}`,
};

/**
 * Exchanges the token of the page's address for a session, and removes the token from the address
 * so that it is neither copied nor kept in the history.
 * @returns a sentence if the token was refused; undefined otherwise, also without a token.
 */
export async function openSession({
  silent,
  newLink,
}: SessionTexts = COCKPIT_TEXTS): Promise<string | undefined> {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return undefined;
  history.replaceState(null, "", location.pathname);
  let response: Response;
  try {
    response = await fetch("/session", {
      method: "POST",
      headers: POST_HEADERS,
      body: JSON.stringify({ token }),
    });
  } catch {
    return silent;
  }
  if (response.ok) return undefined;
  return sentenceIn(await response.text(), `The link is used up or wrong. ${newLink}`);
}

/** The sentence of an answer, which may be plain text or JSON with a message. */
export function sentenceIn(body: string, otherwise: string): string {
  let text = body.trim();
  try {
    const value: unknown = JSON.parse(text);
    text = messageOf(value) ?? "";
  } catch {
    // Plain text is the sentence itself; a page of HTML is not.
    if (text.startsWith("<")) text = "";
  }
  return text === "" ? otherwise : text;
}

function messageOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return undefined;
  for (const key of ["message", "error"]) {
    const inner = messageOf((value as Record<string, unknown>)[key]);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
