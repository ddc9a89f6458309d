import type { NotifyConfig } from "../../bot/config/fields/notify-fields.js";
import { maskVariableName } from "../../core/crypto/secrets.js";
import { ConfigError, FormatError } from "../../core/errors.js";
import type { Channel } from "../../notify/channels/channel.js";
import { openChannel } from "../../notify/channels/open-channel.js";
import { readSecret } from "../../notify/channels/read-secrets.js";
import { decodeTotpSecret } from "../../notify/chat/totp.js";
import type { CliContext } from "../cli-context.js";

/** The channels of a file that could be opened, and why the others could not. */
interface OpenedChannels {
  readonly channels: ReadonlyMap<string, Channel>;
  readonly problems: readonly { readonly name: string; readonly error: unknown }[];
}

/** Opens the channels of a bot's file. One that cannot be opened does not keep others from it. */
export async function openChannels(
  notify: NotifyConfig,
  { env, runtime: { clock } }: Pick<CliContext, "env" | "runtime">,
): Promise<OpenedChannels> {
  const channels = new Map<string, Channel>();
  const problems: { name: string; error: unknown }[] = [];
  for (const [name, config] of Object.entries(notify.channels)) {
    try {
      channels.set(name, await openChannel(name, config, { notify, env, clock }));
    } catch (error) {
      problems.push({ name, error });
    }
  }
  return { channels, problems };
}

/**
 * Reads the key of the one-time passwords; undefined unless a chat may flatten.
 * @throws ConfigError if the secret is missing or not valid
 */
export function readTotpKey(
  { control, totpSecretEnv }: Pick<NotifyConfig, "control" | "totpSecretEnv">,
  env: CliContext["env"],
): Buffer | undefined {
  if (!control || totpSecretEnv === undefined) return undefined;
  const field = "notify.totpSecretEnv";
  const holds = "the secret of one-time passwords, at least 26 characters of base32";
  const text = readSecret(env, { field, name: totpSecretEnv, holds });
  try {
    return decodeTotpSecret(text);
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new ConfigError("names a variable whose content (not shown) is no such secret", {
      field,
      value: maskVariableName(totpSecretEnv),
      expected: holds,
    });
  }
}
