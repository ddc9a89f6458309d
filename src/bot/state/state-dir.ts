import { existsSync, lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ZodError } from "zod";
import { findSchemaViolation } from "../../core/config/schema-violation.js";
import { formatErrorValue, MarketwrightError, RunError } from "../../core/errors.js";
import { AsyncAtomicFile, replaceFile } from "../../core/files/atomic-file.js";
import { AppendOnlyFile, readLastLines, takeLastLines } from "../../core/files/durable-log.js";
import { NotPlainFileError, readPlainText } from "../../core/files/plain-files.js";
import { ensurePrivateFolder } from "../../core/files/private-folder.js";
import type { Hex } from "../../core/units.js";
import type { BotConfig } from "../config/config.js";
import { type SetAside, setFilesAside, takeFilesBack } from "./set-aside.js";

/**
 * Storage that survives a restart: small named texts, replaced as a whole, and append-only logs.
 */
export interface StateStore {
  /** True if nothing that is written is ever read: frequent writers can skip making their text. */
  readonly isDiscarded?: boolean;
  /** Names of all existing files. @throws RunError if they cannot be listed. */
  names(): readonly string[];
  /** The text, or undefined if it was never written. @throws RunError if it cannot be read. */
  read(name: string): string | undefined;
  /**
   * The last lines of an append-only file, at most `maxBytes`; a crash may have cut the last one
   * short. Undefined and throws as {@link read}.
   */
  readTail(name: string, maxBytes: number): string | undefined;
  /**
   * Replaces the text as a whole: after a crash it is the old one or the new one. @throws RunError
   * if it cannot be written.
   */
  write(name: string, text: string): void;
  /**
   * Writes without waiting for the disk, which takes milliseconds, or seconds if it is busy. The
   * text survives any end of this process. A power loss may leave an older text, or an empty one.
   */
  writeBehind(name: string, text: string): void;
  /**
   * Writes a text that a power loss must not leave empty, without waiting. It replaces the old one
   * once the disk has it, or when {@link close} returns. If the process is killed before, the old
   * one remains.
   * @throws RunError if it cannot be written, or if an earlier one could not be brought to the
   * disk.
   */
  writeLater(name: string, text: string): void;
  /**
   * Appends a line. When this returns, the operating system has it, so that it survives any end of
   * this process. It is on the disk itself, where it survives a power loss, a moment later and when
   * {@link close} returns.
   * @throws RunError if it cannot be written, or if an earlier line could not be brought to the
   * disk.
   */
  append(name: string, line: string): void;
  /**
   * Moves the existing ones of these files out of the way, into a folder of this name or a similar
   * one, before any of them is written.
   * @throws RunError if one cannot be moved.
   */
  setAside(folder: string, names: readonly string[]): SetAside;
  /**
   * Moves back the files that {@link setAside} moved there, unless another has the name by now;
   * returns their names. @throws RunError if one cannot be moved.
   */
  takeBack(folder: string): readonly string[];
  /**
   * Brings every line and text to the disk, and closes open files. @throws RunError if one cannot
   * be written.
   */
  close(): void;
}

/** A file of the state directory holds invalid data: the bot does not start on it. */
export class CorruptStateError extends MarketwrightError {}

/**
 * The folder of a bot's state: `stateDir`, or `.marketwright/<account>` beside the YAML. For a YAML
 * inside an installed package it is `$XDG_STATE_HOME/marketwright/<account>`, or
 * `.marketwright/<account>` in the working folder, unless an earlier version has left one beside
 * the YAML.
 */
export function stateDirFor(
  { stateDir, statesDir, path }: Pick<BotConfig, "stateDir" | "statesDir" | "path">,
  account: Hex,
): string {
  if (stateDir !== undefined) return stateDir;
  const beside = join(dirname(path), ".marketwright", account.toLowerCase());
  return statesDir === undefined || existsSync(beside)
    ? beside
    : join(statesDir, account.toLowerCase());
}

/** A folder of files, mode 0700, each file 0600. */
export class FileStateStore implements StateStore {
  readonly directory: string;
  /** Other users could write to the folder until now; they no longer can. */
  readonly wasOpen: boolean;
  readonly #logs = new Map<string, AppendOnlyFile>();
  readonly #later = new Map<string, AsyncAtomicFile>();
  readonly #ending: string;

  /**
   * Creates the folder if it is absent. If other users may write to an existing one, restricts it
   * to this user.
   * @throws RunError if it cannot be created, is a file, or stays open to other users.
   * @param ending of the temporary file that replaces a text; a process that writes beside a
   * running bot needs another one.
   */
  constructor(directory: string, ending = "new") {
    this.directory = directory;
    this.#ending = ending;
    this.wasOpen = ensurePrivateFolder(directory, "stateDir");
  }

  /** Absolute path of a named file of this store. */
  pathFor(name: string): string {
    return join(this.directory, checkedName(name));
  }

  names(): readonly string[] {
    try {
      return readdirSync(this.directory);
    } catch (cause) {
      throw cannot("list", this.directory, cause);
    }
  }

  read(name: string): string | undefined {
    const path = this.pathFor(name);
    try {
      return readPlainText(path);
    } catch (cause) {
      if (isMissing(path, cause)) return undefined;
      throw cannot("read", path, cause);
    }
  }

  readTail(name: string, maxBytes: number): string | undefined {
    const path = this.pathFor(name);
    try {
      return readLastLines(path, maxBytes);
    } catch (cause) {
      if (isMissing(path, cause)) return undefined;
      throw cannot("read", path, cause);
    }
  }

  write(name: string, text: string): void {
    this.#replace(name, text, true);
  }

  writeBehind(name: string, text: string): void {
    this.#replace(name, text, false);
  }

  writeLater(name: string, text: string): void {
    const path = this.pathFor(name);
    let later = this.#later.get(name);
    if (later === undefined) {
      later = new AsyncAtomicFile(path, `${path}.later.${this.#ending}`);
      this.#later.set(name, later);
    }
    try {
      later.replace(text);
    } catch (cause) {
      throw cannot("write", path, cause);
    }
  }

  #replace(name: string, text: string, sync: boolean): void {
    const path = this.pathFor(name);
    try {
      this.#later.get(name)?.cancel();
      this.#later.delete(name);
      replaceFile(path, text, { beside: `${path}.${this.#ending}`, sync });
    } catch (cause) {
      throw cannot("write", path, cause);
    }
  }

  append(name: string, line: string): void {
    const path = this.pathFor(name);
    try {
      let log = this.#logs.get(name);
      if (log === undefined) {
        log = AppendOnlyFile.open(path, "behind", "keep-json");
        this.#logs.set(name, log);
      }
      log.append(`${line}\n`);
    } catch (cause) {
      throw cannot("write", path, cause);
    }
  }

  setAside(folder: string, names: readonly string[]): SetAside {
    return setFilesAside(this.directory, checkedName(folder), names);
  }

  takeBack(folder: string): readonly string[] {
    return takeFilesBack(this.directory, checkedName(folder));
  }

  close(): void {
    try {
      for (const [name, { pending }] of this.#later)
        if (pending !== undefined) this.write(name, pending);
    } finally {
      this.#closeLogs();
    }
  }

  #closeLogs(): void {
    const logs = [...this.#logs];
    this.#logs.clear();
    for (const [name, log] of logs) {
      try {
        log.close();
      } catch (cause) {
        throw cannot("write", this.pathFor(name), cause);
      }
    }
  }
}

/** State in memory, for simulations and backtests. */
export class MemoryStateStore implements StateStore {
  readonly #texts: Map<string, string>;
  readonly #aside = new Map<string, string>();

  constructor(texts: Readonly<Record<string, string>> = {}) {
    this.#texts = new Map(Object.entries(texts));
  }

  names(): readonly string[] {
    return [...this.#texts.keys()];
  }

  read(name: string): string | undefined {
    return this.#texts.get(checkedName(name));
  }

  readTail(name: string, maxBytes: number): string | undefined {
    const text = this.read(name);
    return text === undefined ? undefined : takeLastLines(Buffer.from(text), maxBytes);
  }

  write(name: string, text: string): void {
    this.#texts.set(checkedName(name), text);
  }

  writeBehind(name: string, text: string): void {
    this.#texts.set(checkedName(name), text);
  }

  writeLater(name: string, text: string): void {
    this.#texts.set(checkedName(name), text);
  }

  append(name: string, line: string): void {
    this.#texts.set(checkedName(name), `${this.#texts.get(name) ?? ""}${line}\n`);
  }

  setAside(folder: string, names: readonly string[]): SetAside {
    const there = names.filter((name) => this.#texts.has(name));
    for (const name of there) {
      this.#aside.set(`${folder}/${name}`, this.#texts.get(name) ?? "");
      this.#texts.delete(name);
    }
    return { folder, names: there };
  }

  takeBack(folder: string): readonly string[] {
    const names: string[] = [];
    for (const [path, text] of this.#aside) {
      const name = path.slice(folder.length + 1);
      if (!path.startsWith(`${folder}/`) || this.#texts.has(name)) continue;
      this.#texts.set(name, text);
      this.#aside.delete(path);
      names.push(name);
    }
    return names;
  }

  close(): void {}

  /** The whole content: the files that a restarted bot would find. */
  snapshot(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#texts);
  }
}

/**
 * Reads a JSON text of the store through the caller's check.
 * @throws CorruptStateError naming the file if it is not JSON or fails the check.
 */
export function readJsonState<T>(
  store: Pick<StateStore, "read">,
  name: string,
  check: (value: unknown) => T,
): T | undefined {
  const text = store.read(name);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
    return check(value);
  } catch (cause) {
    throw corrupt(
      name,
      text,
      cause instanceof ZodError
        ? refusalWords(cause, value)
        : String(cause instanceof Error ? cause.message : cause),
      cause,
    );
  }
}

function refusalWords(error: ZodError, whole: unknown): string {
  const { path, value, expected } = findSchemaViolation(error, whole);
  // A record may be as long as the file, whose beginning is shown anyway.
  if (typeof value === "object" && value !== null)
    return `${path === "" ? "" : `${path}: `}expected ${expected}`;
  return `${path === "" ? "it" : path} is ${value === undefined ? "missing" : formatErrorValue(value)}, and should be ${expected}`;
}

function corrupt(field: string, value: string, reason: string, cause: unknown): CorruptStateError {
  return new CorruptStateError(`state is corrupt: ${reason}`, {
    field,
    value,
    expected: "a file as an earlier run wrote it; move it away to start without it",
    cause,
  });
}

function checkedName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return name;
  throw new RunError("is not a name of a state file", {
    field: "name",
    value: name,
    expected: "letters, digits, dots, dashes",
  });
}

/** True if the path does not exist. A broken link does not count: its target was written once. */
function isMissing(path: string, cause: unknown): boolean {
  return codeOf(cause) === "ENOENT" && lstatSync(path, { throwIfNoEntry: false }) === undefined;
}

function cannot(verb: string, path: string, cause: unknown): RunError {
  const why =
    cause instanceof NotPlainFileError
      ? `it ${cause.message.slice(path.length + 2)}`
      : (codeOf(cause) ?? messageOf(cause));
  return new RunError(`cannot ${verb} ${path} (${why})`, {
    field: "stateDir",
    expected: "a folder that this user may write, on a disk with room",
    cause,
  });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
}
