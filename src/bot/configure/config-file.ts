import { chmodSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { stringify } from "yaml";
import type { ConfigPath } from "../../core/config/config-yaml.js";
import { editYaml, type YamlEdit } from "../../core/config/edit-yaml.js";
import { isSecretField, maskSecrets, NOT_SHOWN } from "../../core/crypto/secrets.js";
import { ConfigError, MarketwrightError, RunError } from "../../core/errors.js";
import { renameDurably, writeNewFile } from "../../core/files/atomic-file.js";
import { type BotConfig, isQuantity, loadBotConfig } from "../config/config.js";
import {
  checkRestartKeys,
  type DifferentValue,
  findDifferentValues,
} from "../config/config-change.js";
import { formatConfigPath, valueAtPath } from "../config/config-path.js";
import {
  isSameJson,
  type RunningValues,
  toRunningValues,
  withRunningValues,
} from "../config/running-values.js";
import { toChangedValue, valueText } from "./change-values.js";
import type { ChangedValue, DifferentFromFile } from "./config-difference.js";

/** How a running bot differs from its file. */
export interface FileComparison {
  readonly differences: readonly DifferentFromFile[];
  /** Why the file cannot be compared: it is gone, or no longer valid. Undefined if it can. */
  readonly problem: string | undefined;
}

/** Running values that are ready to be written to the file. */
export interface PreparedSave {
  /** Only values that the file does not have yet. */
  readonly written: readonly ChangedValue[];
  /** @throws RunError if the file cannot be written */
  readonly write: () => void;
}

/** Values of these sections may contain addresses with keys, or name them. */
const CONFIDENTIAL = ["account", "chain"];

/** The file that a running bot was started from, and may be written back to. */
export class ConfigFile {
  readonly path: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  /** The file as it was at the start: what needs a restart is compared with it. */
  readonly #atStart: BotConfig;
  /** The running values of the file as they were last read or written. */
  #known: RunningValues;
  #comparison: { readonly stamp: string; readonly result: FileComparison } | undefined;

  /** @param config the config that the bot starts with: its file's, or made from it */
  constructor(config: BotConfig, env: Readonly<Record<string, string | undefined>>) {
    this.path = config.path;
    this.#env = env;
    this.#atStart = this.#readOr(config);
    this.#known = toRunningValues(config);
  }

  /**
   * The file as it is now.
   * @throws ConfigError if it is gone, or not valid
   */
  read(path = this.path): BotConfig {
    return loadBotConfig(path, this.#env, { key: "unused" });
  }

  /**
   * The config that the bot would have after a reload: the file's running values. The rest of the
   * file must be as it was at the start.
   * @throws ConfigError if it is gone or not valid, or if another value needs a restart
   */
  reloaded(running: BotConfig): BotConfig {
    const file = this.read();
    checkRestartKeys(this.#atStart, withRunningValues(file, toRunningValues(this.#atStart)));
    return withRunningValues(running, toRunningValues(file));
  }

  /** The file has been taken over as it is. */
  noteReloaded(values: RunningValues): void {
    this.#known = values;
  }

  /** Where the bot differs from the file as it is now. The file is read only if it changed. */
  compare(running: BotConfig): FileComparison {
    const values = toRunningValues(running);
    const stamp = `${this.#stamp()} ${JSON.stringify(values)}`;
    if (this.#comparison?.stamp !== stamp)
      this.#comparison = { stamp, result: this.#compareNow(values) };
    return this.#comparison.result;
  }

  /**
   * Writes running values back, where they are not the file's. Comments, order and spelling of the
   * rest stay.
   * @returns the values that the file will have anew, and a function that writes; until it is
   * called, nothing has changed
   * @throws ConfigError if the file is not valid, or has another value for the same key than the
   * bot last read there; RunError from the function if the file cannot be written
   */
  prepareSave(values: RunningValues): PreparedSave {
    const path = realpathSync(this.path);
    const text = readFileSync(path, "utf8");
    const file = this.read();
    const now = toRunningValues(file);
    const changes = findDifferentValues(this.#known, values).map((difference) => ({
      difference,
      edits: this.#editFor(difference, now),
    }));
    const edits = changes.flatMap(({ edits: some }) => some);
    const edited = editYaml(text, edits);
    return {
      written: changes
        .filter(({ edits: some }) => some.length > 0)
        .map(({ difference }) => toChangedValue(difference)),
      write: () => {
        this.#replace(path, { text, edited, values: edits.length === 0 ? undefined : values });
        this.#known = values;
      },
    };
  }

  #editFor({ path, before, after }: DifferentValue, now: RunningValues): readonly YamlEdit[] {
    const held = valueAtPath(now, path);
    if (isSameJson(held, after)) return [];
    if (isSameJson(held, before))
      return [{ path, text: after === undefined ? undefined : yamlText(path, after) }];
    throw new ConfigError("was changed in the file since the bot read it: nothing was done", {
      field: formatConfigPath(path),
      value: held,
      expected: `${before === undefined ? "no such key" : valueText(before)} there, as the bot read it; reload takes the file's value, or edit the file`,
    });
  }

  /** @throws RunError if it cannot be written, or was changed meanwhile */
  #replace(
    path: string,
    {
      text,
      edited,
      values,
    }: {
      readonly text: string;
      readonly edited: string;
      readonly values: RunningValues | undefined;
    },
  ): void {
    if (values === undefined) return;
    const beside = join(dirname(path), `.${process.pid}-next${extname(path)}`);
    const fail = (summary: string, cause?: unknown): RunError =>
      new RunError(summary, {
        field: "--save",
        value: this.path,
        expected: "a file that this user may write, and that is not edited meanwhile",
        cause,
      });
    try {
      rmSync(beside, { force: true });
      writeNewFile(beside, edited);
      chmodSync(beside, statSync(path).mode & 0o777);
      const written = toRunningValues(this.read(beside));
      const [wrong] = findDifferentValues(values, written).filter(
        ({ path: at }) => !isSameJson(valueAtPath(values, at), valueAtPath(this.#known, at)),
      );
      if (wrong !== undefined)
        throw fail(
          `would not have ${formatConfigPath(wrong.path)} as it runs: edit the file by hand`,
        );
      if (readFileSync(path, "utf8") !== text) throw fail("was edited at the same moment");
      renameDurably(beside, path);
    } catch (error) {
      rmSync(beside, { force: true });
      if (error instanceof MarketwrightError) throw error;
      throw fail(`cannot be written (${codeOf(error)})`, error);
    }
  }

  #readOr(config: BotConfig): BotConfig {
    try {
      return this.read();
    } catch (error) {
      if (!(error instanceof MarketwrightError)) throw error;
      // It was valid a moment ago, when the bot was started from it.
      return config;
    }
  }

  #stamp(): string {
    try {
      const { mtimeMs, size, ino } = statSync(this.path);
      return `${mtimeMs} ${size} ${ino}`;
    } catch (error) {
      return codeOf(error);
    }
  }

  #compareNow(values: RunningValues): FileComparison {
    try {
      const running = withRunningValues(this.#atStart, values);
      const differences = findDifferentValues(running, this.read()).map(
        ({ path, before, after }) => ({
          path: formatConfigPath(path),
          running: shownText(path, before),
          file: shownText(path, after),
        }),
      );
      return { differences, problem: undefined };
    } catch (error) {
      if (!(error instanceof MarketwrightError)) throw error;
      return { differences: [], problem: maskSecrets(error.message) };
    }
  }
}

function shownText(path: ConfigPath, value: unknown): string {
  if (value === undefined) return "";
  const isConfidential =
    CONFIDENTIAL.includes(String(path[0])) || path.some((key) => isSecretField(String(key)));
  return isConfidential ? NOT_SHOWN : maskSecrets(valueText(value));
}

/** A value as YAML on one line. Quantities are written as the digits that they are. */
function yamlText(path: ConfigPath, value: unknown): string {
  if (typeof value === "string" && isQuantity(path)) return value;
  return stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trim();
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
