import { z } from "zod";
import type { Message } from "../message.js";
import { type Markup, renderMessage } from "../render-message.js";
import type { Channel } from "./channel.js";
import { boundedPauseMs, deliveryErrorFor, type JsonPoster } from "./json-poster.js";

/** Discord's Markdown. */
const MARKDOWN: Markup = {
  escape: (text) => text.replace(/[\\*_~`|>#[\]()<-]/g, "\\$&"),
  bold: (text) => `**${text}**`,
  code: (text) => `\`${text.replaceAll("`", "'")}\``,
  mostCharacters: 2000,
};

const limitedSchema = z.object({ retry_after: z.number() });

/** A webhook of a Discord channel (https://docs.discord.com/developers/resources/webhook). */
export class DiscordChannel implements Channel {
  readonly #address: string;
  readonly #timeZone: string;
  readonly #poster: JsonPoster;

  constructor(
    { address, timeZone }: { readonly address: string; readonly timeZone: string },
    poster: JsonPoster,
  ) {
    this.#address = address;
    this.#timeZone = timeZone;
    this.#poster = poster;
  }

  async send(message: Message): Promise<void> {
    // No text of an event may mention anybody.
    const body = {
      content: renderMessage(message, MARKDOWN, this.#timeZone),
      allowed_mentions: { parse: [] },
    };
    const result = await this.#poster.post(this.#address, JSON.stringify(body));
    if (result.status === 204 || result.status === 200) return;
    const retryAfterMs =
      result.status === 429 ? (bodyPauseMs(result.text) ?? result.retryAfterMs) : undefined;
    throw deliveryErrorFor({ ...result, retryAfterMs });
  }

  close(): void {
    this.#poster.close();
  }
}

/** The pause in the body of a 429, which is finer than that of its header. */
function bodyPauseMs(text: string): number | undefined {
  try {
    return boundedPauseMs(limitedSchema.parse(JSON.parse(text)).retry_after * 1000);
  } catch {
    return undefined;
  }
}
