import { extname, relative } from "node:path";
import { isStrategyPackage } from "../../bot/config/strategy-name.js";
import { USER_FILE_ENDINGS } from "../../bot/strategy/load-user-file.js";
import { findNearestName } from "../../core/config/find-nearest-name.js";
import { ConfigError } from "../../core/errors.js";
import { builtInStrategies } from "../../strategies/built-in.js";
import type { CliContext } from "../cli-context.js";
import { jsonText } from "../process/output.js";
import { installCommand } from "./install-command.js";
import { writeStrategyRepository } from "./strategy-repository.js";

/** Folder of a repository if the user names none. */
const DEFAULT_FOLDER = "my-strategy";

/** Options that go with a new repository. */
const KNOWN = ["strategy", "json", "yes"];

/**
 * Returns the folder of the new repository that `init --strategy` is to write; undefined if the
 * option names the strategy of a bot's file.
 * @param strategy the option's value; true without one
 * @param file the argument of the command
 */
export function findRepositoryFolder(
  strategy: string | true | undefined,
  file: string | undefined,
): string | undefined {
  if (strategy === true) return file ?? DEFAULT_FOLDER;
  if (strategy === undefined || file !== undefined) return undefined;
  const names = Object.keys(builtInStrategies);
  if (isStrategyPackage(strategy) || USER_FILE_ENDINGS.includes(extname(strategy)))
    return undefined;
  // A built-in strategy, or a misspelt one.
  return findNearestName(strategy, names) === undefined && !names.includes(strategy)
    ? strategy
    : undefined;
}

/**
 * Writes a repository for a strategy of the user's own.
 * @throws ConfigError if the folder is not empty, or for an option of a bot's file
 */
export function initStrategyCommand(
  context: CliContext,
  folder: string,
  options: Readonly<Record<string, unknown>>,
): void {
  const other = Object.keys(options).find((name) => !KNOWN.includes(name));
  if (other !== undefined)
    throw new ConfigError("does not go with a new repository of a strategy", {
      field: `--${other.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      value: options[other],
      expected: "--strategy with a built-in name or a file, for a bot; or --strategy FOLDER alone",
    });
  const { folder: path, name, files } = writeStrategyRepository(folder);
  const install = installCommand();
  const seen = relative("", path);
  const next = [
    ...(seen === "" ? [] : [`cd ${seen}`]),
    install,
    "npm test",
    "npm run history && npm run backtest",
  ];
  context.stdout.write(
    options.json === true
      ? jsonText({ folder: path, name, files, next }, 2)
      : [
          `wrote ${files.length} files into ${path}: ${files.join(", ")}\n`,
          "\nType next:\n\n",
          ...next.map((command) => `  ${command}\n`),
          `\nThen ${seen === "" ? "" : `${seen}/`}README.md shows how to run it live and on paper.\n`,
        ].join(""),
  );
}
