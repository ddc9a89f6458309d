import type { PageRequest, PageResponse } from "./frame.js";
import { NEW_LINK, POST_HEADERS, sentenceIn } from "./session.js";

/** Sends commands of the page to the cockpit's server. */
export interface CockpitClient {
  /** Asks what a command would do; nothing is done. */
  preview(id: string, request: PageRequest): Promise<PageResponse>;
  /** @param confirm the market's name, or `all` for all markets. */
  command(id: string, request: PageRequest, confirm: string): Promise<PageResponse>;
}

/** The client of the server that this page comes from. */
export const cockpitClient: CockpitClient = {
  preview: (id, request) =>
    post("/preview", { id, request }, "the cockpit did not answer; nothing was done"),
  command: (id, request, confirm) =>
    post(
      "/command",
      { id, request, confirm },
      "the cockpit did not answer. The command may have been done all the same: look at the state before you repeat it",
    ),
};

async function post(path: string, body: unknown, unanswered: string): Promise<PageResponse> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, {
      method: "POST",
      headers: POST_HEADERS,
      body: JSON.stringify(body),
    });
    text = await response.text();
  } catch {
    return failure(unanswered);
  }
  if (response.status === 401)
    return failure(sentenceIn(text, `the session has ended. Get a fresh link with: ${NEW_LINK}`));
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && "ok" in value) return value as PageResponse;
  } catch {
    // A sentence that is no JSON is shown as it is.
  }
  return failure(sentenceIn(text, `the cockpit answered with HTTP ${response.status}`));
}

function failure(message: string): PageResponse {
  return { ok: false, error: { name: "Error", message } };
}
