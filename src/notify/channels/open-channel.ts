import {
  CHANNEL_KINDS,
  type ChannelConfig,
  type NotifyConfig,
} from "../../bot/config/fields/notify-fields.js";
import { ConfigError } from "../../core/errors.js";
import { requireInstalled } from "../../core/optional-part.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Channel } from "./channel.js";
import { DiscordChannel } from "./discord-channel.js";
import { EmailChannel } from "./email-channel.js";
import { JsonPoster } from "./json-poster.js";
import { type Env, readSecret, readWebhookAddress } from "./read-secrets.js";
import { SlackChannel } from "./slack-channel.js";
import { TelegramChannel } from "./telegram-channel.js";
import { WebhookChannel, webhookKey } from "./webhook-channel.js";

/** Fewest bytes of a key: fewer could be guessed. */
const LEAST_KEY_BYTES = 16;

/** Access of the channels to the program. */
export interface ChannelDeps {
  readonly notify: Pick<NotifyConfig, "timeZone">;
  readonly env: Env;
  readonly clock: Clock;
}

/** The service of a channel. */
export function channelKind(channel: ChannelConfig): (typeof CHANNEL_KINDS)[number] {
  return CHANNEL_KINDS.find((kind) => channel[kind] !== undefined) ?? "webhook";
}

/**
 * Opens one channel of a bot's file, with its secrets from the environment. Nothing is sent.
 * @throws ConfigError if a secret is missing or has the wrong form; RunError if a package is not
 * installed
 */
export async function openChannel(
  name: string,
  config: ChannelConfig,
  { notify: { timeZone }, env, clock }: ChannelDeps,
): Promise<Channel> {
  const at = `notify.channels.${name}`;
  const { telegram, slack, discord, webhook, email } = config;
  if (telegram !== undefined) {
    const token = readSecret(env, {
      field: `${at}.telegram.tokenEnv`,
      name: telegram.tokenEnv,
      holds: "the token of a Telegram bot, as 123456:ABC-def",
      form: /^\d{3,20}:[A-Za-z0-9_-]{20,}$/,
    });
    return new TelegramChannel({ ...telegram, token, timeZone }, new JsonPoster(clock));
  }
  if (slack !== undefined)
    return new SlackChannel(
      { address: address(env, `${at}.slack`, slack.urlEnv), timeZone },
      new JsonPoster(clock),
    );
  if (discord !== undefined)
    return new DiscordChannel(
      { address: address(env, `${at}.discord`, discord.urlEnv), timeZone },
      new JsonPoster(clock),
    );
  if (webhook !== undefined) {
    const field = `${at}.webhook.secretEnv`;
    const secret = readSecret(env, {
      field,
      name: webhook.secretEnv,
      holds: "the secret of the signatures",
    });
    const key = webhookKey(secret);
    if (key.length < LEAST_KEY_BYTES)
      throw new ConfigError("names a secret that is too short (not shown)", {
        field,
        expected: `at least ${LEAST_KEY_BYTES} bytes, such as whsec_ and the output of openssl rand -base64 32`,
      });
    const options = { address: address(env, `${at}.webhook`, webhook.urlEnv), key, clock };
    return new WebhookChannel(options, new JsonPoster(clock));
  }
  if (email === undefined) throw new ConfigError("names no service", { field: at });
  const { passwordEnv } = email;
  const password =
    passwordEnv === undefined
      ? undefined
      : readSecret(env, {
          field: `${at}.email.passwordEnv`,
          name: passwordEnv,
          holds: "the password of the mail server's user",
        });
  requireInstalled(["nodemailer"]);
  return EmailChannel.open({ settings: email, password, timeZone });
}

function address(env: Env, field: string, name: string): string {
  return readWebhookAddress(env, { field: `${field}.urlEnv`, name });
}
