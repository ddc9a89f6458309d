import { basename, join } from "node:path";
import type { NotifyConfig } from "../../bot/config/fields/notify-fields.js";
import { FileStateStore } from "../../bot/state/state-dir.js";
import type { Ms } from "../../core/units.js";
import { DAYS_FOLDER } from "../../ledger/days/day-folder.js";
import type { Log } from "../../monitoring/log.js";
import type { Channel } from "../../notify/channels/channel.js";
import { Notifier } from "../../notify/notifier.js";
import type { CliContext } from "../cli-context.js";
import { BotOfFile } from "./commanded-bot.js";

/** The bot whose events are sent. */
interface NotifiedBot {
  /** Absolute path of its YAML. */
  readonly path: string;
  readonly notify: NotifyConfig;
  readonly stateDir: string;
  readonly deadAfterMs: Ms;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly totpKey: Buffer | undefined;
  /** The fate of a dead bot's orders, as a phrase. */
  readonly afterDeath: string;
}

/** Creates the sender of a bot's events, which has the account's lock. */
export function openNotifier(context: CliContext, bot: NotifiedBot, log: Log): Notifier {
  const { path, stateDir } = bot;
  // A name of its own for half-written texts: the bot and the guard write in the same folder.
  const store = new FileStateStore(stateDir, "notifier.new");
  const commanded = new BotOfFile(context, path, store.directory);
  return new Notifier({
    ...bot,
    bot: basename(path),
    directory: store.directory,
    store,
    commanded,
    summariseDay: (day) => summaryText(join(store.directory, DAYS_FOLDER), day),
    runtime: context.runtime,
    log,
  });
}

/** The summary of a day as `report --daily` prints it; its modules are loaded once a day. */
async function summaryText(folder: string, day: string): Promise<string> {
  const { summariseDay } = await import("../../ledger/days/day-summary.js");
  const { formatDaySummary } = await import("../../ledger/days/day-summary-text.js");
  return formatDaySummary(await summariseDay(folder, day));
}
