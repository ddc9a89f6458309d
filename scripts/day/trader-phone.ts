import { until } from "../../test/cli/until.js";
import { TelegramService } from "../../test/notify/chat-services.js";

/** The user and the chat of docs/examples/day.yaml. */
const CHAT = 123456789;

/** A phone whose chat is served on this machine in Telegram's place. */
export class TraderPhone {
  readonly #service = new TelegramService();
  #read = 0;

  static async open(): Promise<TraderPhone> {
    const phone = new TraderPhone();
    await phone.#service.open();
    return phone;
  }

  get url(): string {
    return this.#service.url;
  }

  /** The trader writes into the chat. */
  write(text: string): void {
    this.#service.write({ text, from: CHAT, chat: CHAT, date: Math.floor(Date.now() / 1000) });
  }

  /** The messages since the last call, once one of them has this text. */
  async messages(part: RegExp): Promise<readonly string[]> {
    const texts = () => this.#service.sent.slice(this.#read).map(({ text }) => plain(text));
    const shown = await until(texts, (messages) => messages.some((text) => part.test(text)));
    this.#read += shown.length;
    return shown;
  }

  close(): void {
    this.#service.close();
  }
}

/** A message as the chat shows it. */
function plain(html: string): string {
  return html
    .replaceAll(/<\/?\w+>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
