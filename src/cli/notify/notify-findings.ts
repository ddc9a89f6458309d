import type { BotConfig } from "../../bot/config/config.js";
import type { Finding } from "../../bot/run/check/finding.js";
import { describeThrown } from "../../core/describe-thrown.js";
import { channelKind } from "../../notify/channels/open-channel.js";
import type { CliContext } from "../cli-context.js";
import { openChannels, readTotpKey } from "./open-channels.js";

/** Checks the channels of a bot's file and their secrets. Nothing is sent. */
export async function notifyFindings(
  { notify }: Pick<BotConfig, "notify">,
  context: Pick<CliContext, "env" | "runtime">,
): Promise<readonly Finding[]> {
  if (notify === undefined) return [];
  const { channels, problems } = await openChannels(notify, context);
  for (const channel of channels.values()) channel.close();
  const wrong = new Map(problems.map(({ name, error }) => [name, describeThrown(error)]));
  const findings = Object.entries(notify.channels).map(([name, config]): Finding => {
    const subject = `notify.channels.${name}`;
    const problem = wrong.get(name);
    if (problem !== undefined) return { level: "error", subject, text: problem };
    const text = `${channelKind(config)}, from ${config.from}: marketwright notify --test sends to it`;
    return { level: "ok", subject, text };
  });
  try {
    readTotpKey(notify, context.env);
  } catch (error) {
    findings.push({ level: "error", subject: "notify.control", text: describeThrown(error) });
  }
  return findings;
}
