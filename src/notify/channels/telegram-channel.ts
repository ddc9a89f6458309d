import { maskSecrets } from "../../core/crypto/secrets.js";
import type { Message } from "../message.js";
import { type Markup, renderMessage } from "../render-message.js";
import type { Channel } from "./channel.js";
import type { JsonPoster } from "./json-poster.js";
import { TelegramApi } from "./telegram-api.js";

/** Telegram's HTML (https://core.telegram.org/bots/api#html-style). */
const HTML: Markup = {
  escape: escapeHtml,
  bold: (text) => `<b>${text}</b>`,
  code: (text) => `<code>${escapeHtml(text)}</code>`,
  mostCharacters: 4096,
};

/** Options of a {@link TelegramChannel}. */
interface TelegramOptions {
  readonly url: string;
  readonly token: string;
  readonly chatId: number;
  readonly timeZone: string;
}

/** A chat of a Telegram bot. */
export class TelegramChannel implements Channel {
  /** The interface, for a chat that reads commands over the same connections. */
  readonly api: TelegramApi;
  readonly #poster: JsonPoster;
  readonly #options: TelegramOptions;

  constructor(options: TelegramOptions, poster: JsonPoster) {
    this.#options = options;
    this.#poster = poster;
    this.api = new TelegramApi(poster, options);
  }

  async send(message: Message): Promise<void> {
    const { timeZone } = this.#options;
    await this.#sendText(renderMessage(message, HTML, timeZone), { parse_mode: "HTML" });
  }

  /** Sends a text as it is, cut to the longest message. @throws DeliveryError */
  async reply(text: string): Promise<void> {
    await this.#sendText(maskSecrets(text).slice(0, HTML.mostCharacters));
  }

  close(): void {
    this.#poster.close();
  }

  async #sendText(text: string, form: { readonly parse_mode?: "HTML" } = {}): Promise<void> {
    const { chatId } = this.#options;
    await this.api.call("sendMessage", {
      chat_id: chatId,
      text,
      ...form,
      link_preview_options: { is_disabled: true },
    });
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
