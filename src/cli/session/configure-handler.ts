import { findChangeableKey } from "../../bot/config/changeable-keys.js";
import { parseConfigPath } from "../../bot/config/config-path.js";
import { changeRunningConfig } from "../../bot/configure/change-running-config.js";
import { applyChange, previewChange } from "../../bot/configure/change-values.js";
import type { ConfigDifference } from "../../bot/configure/config-difference.js";
import type { ConfigFile } from "../../bot/configure/config-file.js";
import { prepareChange } from "../../bot/configure/prepare-change.js";
import type { ConfigureCommand } from "../../bot/control/configure-request.js";
import type { RunningBot } from "../../bot/run/running-bot.js";
import { ConfigError, MarketwrightError, RunError } from "../../core/errors.js";

/**
 * Changes values of a running bot: all that the command names, or none. It runs without a pause, so
 * that two commands at once are one after the other.
 * @throws ConfigError for a value that is not allowed, RunError if a file cannot be written
 */
export function configureBot(
  running: RunningBot,
  file: ConfigFile,
  command: ConfigureCommand,
): ConfigDifference {
  const { bot } = running;
  const { context } = bot;
  const isSaved = command.command === "set" && command.save;
  const change = prepareChange(context, nextConfig(running, file, command));
  if (command.preview)
    return withFile(running, file, { ...previewChange(bot, change), saved: false });
  // Whatever can be refused is refused before anything is done.
  const prepared = isSaved ? file.prepareSave(change.values) : undefined;
  const difference = applyChange(bot, change, running.command);
  if (command.command === "reload") file.noteReloaded(change.values);
  // A bot that failed at the values is ending: its file must not have them at the next start.
  if (prepared !== undefined && !running.hasFailed()) save(prepared.write);
  return withFile(running, file, {
    ...difference,
    saved: isSaved,
    ...(prepared === undefined ? {} : { written: prepared.written }),
  });
}

function nextConfig({ bot }: RunningBot, file: ConfigFile, command: ConfigureCommand) {
  const { config } = bot.context;
  if (command.command === "reload") return file.reloaded(config);
  const { changes, save: isSaved } = command;
  if (changes.length === 0 && !isSaved)
    throw new ConfigError("names no value", {
      field: "changes",
      expected: "a change such as markets.btcusdc.params.halfSpreadBps=5",
    });
  return changeRunningConfig(
    bot.context,
    changes.map(({ path, value }) => ({ path: parseConfigPath(path), value })),
  );
}

function save(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof MarketwrightError)) throw error;
    throw new RunError(`the values are in force, but not saved: ${error.message}`, {
      cause: error,
    });
  }
}

/** Says what a restart would do to the values. */
function withFile(
  { bot }: RunningBot,
  file: ConfigFile,
  difference: ConfigDifference,
): ConfigDifference {
  if (difference.state === "preview") return difference;
  const { differences, problem } = file.compare(bot.context.config);
  const notes = [...difference.notes];
  if (problem !== undefined) notes.push(`The file cannot be compared: ${problem}`);
  // A key that needs a restart is the business of whoever edited the file.
  const count = differences.filter(
    ({ path }) => findChangeableKey(parseConfigPath(path))?.whileRunning === true,
  ).length;
  if (count > 0)
    notes.push(
      `${count === 1 ? "One value differs" : `${count} values differ`} from ${file.path}: after a restart the file's apply. set --save writes what was set, reload takes the file's.`,
    );
  return { ...difference, notes };
}
