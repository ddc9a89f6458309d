import type { ChannelConfig } from "../../bot/config/fields/notify-fields.js";
import { describeThrown } from "../../core/describe-thrown.js";
import { loadOptional, type OptionalModule } from "../../core/optional-part.js";
import type { Ms } from "../../core/units.js";
import type { Message } from "../message.js";
import { messageTitle, PLAIN, renderMessage } from "../render-message.js";
import { type Channel, DeliveryError } from "./channel.js";

const WITHIN_MS: Ms = 15_000;

/** Options of an {@link EmailChannel}. */
interface EmailOptions {
  readonly settings: NonNullable<ChannelConfig["email"]>;
  readonly password: string | undefined;
  readonly timeZone: string;
}

type Transport = ReturnType<OptionalModule<"nodemailer">["createTransport"]>;

/** E-mail through a mail server. */
export class EmailChannel implements Channel {
  readonly #options: EmailOptions;
  readonly #transport: Transport;

  private constructor(options: EmailOptions, transport: Transport) {
    this.#options = options;
    this.#transport = transport;
  }

  /** @throws RunError if the package nodemailer is not installed */
  static async open(options: EmailOptions): Promise<EmailChannel> {
    const { createTransport } = await loadOptional("nodemailer");
    const { host, port, tls, user } = options.settings;
    const transport = createTransport({
      host,
      port,
      secure: tls === "from-start",
      requireTLS: tls === "starttls",
      ignoreTLS: tls === "none",
      ...(user === undefined ? {} : { auth: { user, pass: options.password ?? "" } }),
      connectionTimeout: WITHIN_MS,
      greetingTimeout: WITHIN_MS,
      socketTimeout: WITHIN_MS,
      // A text is never a path or an address to fetch.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return new EmailChannel(options, transport);
  }

  async send(message: Message): Promise<void> {
    const { settings, timeZone } = this.#options;
    try {
      await this.#transport.sendMail({
        from: settings.from,
        to: [...settings.to],
        subject: messageTitle(message).replace(/\s+/g, " "),
        text: renderMessage(message, PLAIN, timeZone),
        messageId: `<${message.id}.${message.entries[0]?.atMs ?? 0}@marketwright>`,
      });
    } catch (cause) {
      // The cause may show the dialogue with the server: only its text goes on, masked.
      throw new DeliveryError(`cannot send (${describeThrown(cause)})`);
    }
  }

  close(): void {
    this.#transport.close();
  }
}
