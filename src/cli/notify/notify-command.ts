import { basename } from "node:path";
import { createAccountSigner, readAccountKey } from "../../bot/config/account-key.js";
import { loadBotNotify, loadBotOrders } from "../../bot/config/config.js";
import type { NotifyConfig } from "../../bot/config/fields/notify-fields.js";
import { lockAccount } from "../../bot/state/account-lock.js";
import { FileStateStore, stateDirFor } from "../../bot/state/state-dir.js";
import { claimState } from "../../bot/state/state-owner.js";
import { describeThrown } from "../../core/describe-thrown.js";
import { ConfigError } from "../../core/errors.js";
import { shellWord } from "../../core/files/shell-word.js";
import { openLog } from "../../monitoring/log.js";
import { channelKind } from "../../notify/channels/open-channel.js";
import type { CliContext } from "../cli-context.js";
import { ReportedFailure } from "../process/exit.js";
import { jsonText, table } from "../process/output.js";
import { openChannels, readTotpKey } from "./open-channels.js";
import { openNotifier } from "./open-notifier.js";

export interface NotifyCommandOptions {
  readonly test?: boolean;
  readonly json?: boolean;
}

/** Sends a bot's events until a signal arrives; with `--test`, one message to each channel. */
export async function notifyCommand(
  context: CliContext,
  file: string,
  { test = false, json = false }: NotifyCommandOptions,
): Promise<void> {
  const { env, runtime } = context;
  const notify = loadBotNotify(file, env);
  if (notify === undefined)
    throw new ConfigError("is missing: the bot's file names no channel", {
      field: "notify",
      expected: "notify with at least one channel: docs/reference/notify.md",
    });
  if (test) return testChannels(context, file, notify, json);
  if (json)
    throw new ConfigError("needs --test", { field: "--json", expected: "--test beside it" });
  const config = loadBotOrders(file, env);
  const account = createAccountSigner(config.account, readAccountKey(config.account, env)).address;
  const stateDir = stateDirFor(config, account);
  const interrupted = context.interrupted();
  const { channels, problems } = await openChannels(notify, context);
  const totpKey = readTotpKey(notify, env);
  if (problems[0] !== undefined) throw problems[0].error;
  const lock = await lockAccount({ account, env, stateDir }, "notifier");
  const log = openLog({
    level: config.logLevel,
    clock: runtime.clock,
    fields: { process: "notify" },
  });
  try {
    const store = new FileStateStore(stateDir, "notifier.new");
    claimState({ store, directory: store.directory, account });
    const notifier = openNotifier(
      context,
      {
        path: config.path,
        notify,
        stateDir,
        deadAfterMs: config.guard.deadAfterMs,
        channels,
        totpKey,
        afterDeath: `its orders may be open: marketwright cancel-all ${shellWord(config.path)}`,
      },
      log,
    );
    notifier.start();
    log.info({ channels: [...channels.keys()] }, "sending the bot's events");
    const signal = await interrupted;
    log.info({ signal }, "the sender is stopping");
    await notifier.stop();
  } finally {
    lock.release();
    log.close();
  }
}

/** Sends one message to each channel. @throws ReportedFailure if one does not take it */
async function testChannels(
  context: CliContext,
  file: string,
  notify: NotifyConfig,
  json: boolean,
): Promise<void> {
  const { clock } = context.runtime;
  const { channels, problems } = await openChannels(notify, context);
  const reasons = new Map(problems.map(({ name, error }) => [name, describeThrown(error)]));
  const atMs = clock.nowMs();
  await Promise.all(
    [...channels].map(async ([name, channel]) => {
      const title = "a test of this channel";
      const event = { id: `test-${atMs}`, atMs, severity: "info", kind: "test", title } as const;
      try {
        await channel.send({
          id: event.id,
          bot: basename(file),
          severity: "info",
          entries: [event],
          dropped: 0,
        });
      } catch (error) {
        reasons.set(name, describeThrown(error));
      } finally {
        channel.close();
      }
    }),
  );
  const results = Object.entries(notify.channels).map(([name, config]) => ({
    channel: name,
    service: channelKind(config),
    arrived: !reasons.has(name),
    ...(reasons.has(name) ? { reason: reasons.get(name) } : {}),
  }));
  context.stdout.write(
    json
      ? jsonText({ channels: results }, 2)
      : table(
          results.map(({ channel, service, arrived, reason }) => [
            channel,
            service,
            arrived ? "arrived" : `failed: ${reason}`,
          ]),
        ),
  );
  if (reasons.size > 0) throw new ReportedFailure();
}
