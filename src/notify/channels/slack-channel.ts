import type { Message } from "../message.js";
import { type Markup, renderMessage } from "../render-message.js";
import type { Channel } from "./channel.js";
import { deliveryErrorFor, type JsonPoster } from "./json-poster.js";

/** Slack's mrkdwn (https://docs.slack.dev/messaging/formatting-message-text). */
const MRKDWN: Markup = {
  escape: escapeMrkdwn,
  bold: (text) => `*${text.replaceAll("*", "\u2217")}*`,
  code: (text) => `\`${escapeMrkdwn(text).replaceAll("`", "'")}\``,
  mostCharacters: 4000,
};

/** An incoming webhook of Slack. */
export class SlackChannel implements Channel {
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
    const text = renderMessage(message, MRKDWN, this.#timeZone);
    const body = { text, unfurl_links: false, unfurl_media: false };
    const result = await this.#poster.post(this.#address, JSON.stringify(body));
    if (result.status !== 200 || result.text.trim() !== "ok") throw deliveryErrorFor(result);
  }

  close(): void {
    this.#poster.close();
  }
}

/** The three characters that Slack reads as control characters. */
function escapeMrkdwn(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
