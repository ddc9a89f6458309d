import { createHmac } from "node:crypto";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Message } from "../message.js";
import type { Channel } from "./channel.js";
import { deliveryErrorFor, type JsonPoster } from "./json-poster.js";

/** Options of a {@link WebhookChannel}. */
interface WebhookOptions {
  readonly address: string;
  /** The key of the signatures. */
  readonly key: Buffer;
  readonly clock: Clock;
}

/**
 * Any server that takes a signed POST of JSON. The signature is that of Standard Webhooks
 * (https://www.standardwebhooks.com), so that its libraries verify it.
 */
export class WebhookChannel implements Channel {
  readonly #options: WebhookOptions;
  readonly #poster: JsonPoster;

  constructor(options: WebhookOptions, poster: JsonPoster) {
    this.#options = options;
    this.#poster = poster;
  }

  async send({ id, bot, severity, entries, dropped }: Message): Promise<void> {
    const { address, key, clock } = this.#options;
    const json = JSON.stringify({ version: 1, id, bot, severity, events: entries, dropped });
    const timestamp = String(Math.floor(clock.nowMs() / 1000));
    const signature = createHmac("sha256", key)
      .update(`${id}.${timestamp}.${json}`)
      .digest("base64");
    const result = await this.#poster.post(address, json, {
      headers: {
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,${signature}`,
      },
    });
    if (result.status < 200 || result.status > 299) throw deliveryErrorFor(result);
  }

  close(): void {
    this.#poster.close();
  }
}

/** The key in a secret: base64 after `whsec_`, as Standard Webhooks writes it, or the text. */
export function webhookKey(secret: string): Buffer {
  return secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret, "utf8");
}
