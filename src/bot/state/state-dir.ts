import { closeSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { MarketwrightError, RunError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import type { BotConfig } from "../config/config.js";

/** What survives a restart: small named texts, replaced whole, and logs that only grow. */
export interface StateStore {
  /** The text, or undefined when it was never written. @throws RunError when it cannot be read. */
  read(name: string): string | undefined;
  /** Replaces the text as a whole: after a crash it is the old one or the new one. @throws RunError when it cannot be written. */
  write(name: string, text: string): void;
  /** Adds a line, on disk when this returns. @throws RunError when it cannot be written. */
  append(name: string, line: string): void;
  /** Lets go of what is open. */
  close(): void;
}

/** A file of the state directory holds what it cannot hold: the bot does not start on it. */
export class CorruptStateError extends MarketwrightError {}

/** Where a bot keeps its state: `stateDir`, or `.marketwright/<account>` beside the YAML. */
export function stateDirOf(config: BotConfig, account: Hex): string {
  return config.stateDir ?? join(dirname(config.path), ".marketwright", account.toLowerCase());
}

/** A folder of files, mode 0700, each file 0600. */
export class FileStateStore implements StateStore {
  readonly directory: string;
  readonly #logs = new Map<string, number>();

  /** Makes the folder where it is not there. @throws RunError when it cannot be made or is a file. */
  constructor(directory: string) {
    this.directory = directory;
    makePrivateFolder(directory);
  }

  /** Absolute path of a named file of this store. */
  pathOf(name: string): string {
    return join(this.directory, checkedName(name));
  }

  read(name: string): string | undefined {
    const path = this.pathOf(name);
    try {
      return readFileSync(path, "utf8");
    } catch (cause) {
      if (codeOf(cause) === "ENOENT") return undefined;
      throw cannot("read", path, cause);
    }
  }

  write(name: string, text: string): void {
    const path = this.pathOf(name);
    const beside = `${path}.new`;
    try {
      rmSync(beside, { force: true });
      const file = openSync(beside, "wx", 0o600);
      try {
        writeAll(file, text);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(beside, path);
      syncFolder(this.directory);
    } catch (cause) {
      throw cannot("write", path, cause);
    }
  }

  append(name: string, line: string): void {
    const path = this.pathOf(name);
    try {
      const file = this.#logs.get(name) ?? this.#openLog(name, path);
      writeAll(file, `${line}\n`);
      fsyncSync(file);
    } catch (cause) {
      throw cannot("write", path, cause);
    }
  }

  close(): void {
    for (const file of this.#logs.values()) closeSync(file);
    this.#logs.clear();
  }

  /** A line that a crash cut short was never confirmed: it is cut off, so that the next one stands alone. */
  #openLog(name: string, path: string): number {
    const file = openSync(path, "a", 0o600);
    this.#logs.set(name, file);
    const tail = tornTail(path);
    if (tail.kind === "complete") writeAll(file, "\n");
    if (tail.kind === "torn") ftruncateSync(file, tail.length);
    return file;
  }
}

/** State in memory, for simulations and backtests. */
export class MemoryStateStore implements StateStore {
  readonly #texts: Map<string, string>;

  constructor(texts: Readonly<Record<string, string>> = {}) {
    this.#texts = new Map(Object.entries(texts));
  }

  read(name: string): string | undefined {
    return this.#texts.get(checkedName(name));
  }

  write(name: string, text: string): void {
    this.#texts.set(checkedName(name), text);
  }

  append(name: string, line: string): void {
    this.#texts.set(checkedName(name), `${this.#texts.get(name) ?? ""}${line}\n`);
  }

  close(): void {}

  /** Everything held: what a restarted bot would find. */
  snapshot(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#texts);
  }
}

/**
 * Reads a JSON text of the store through a check of the caller's.
 * @throws CorruptStateError naming the file when it is no JSON or fails the check.
 */
export function readJsonState<T>(store: Pick<StateStore, "read">, name: string, check: (value: unknown) => T): T | undefined {
  const text = store.read(name);
  if (text === undefined) return undefined;
  try {
    return check(JSON.parse(text));
  } catch (cause) {
    throw corrupt(name, text, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/**
 * Reads a log of JSON lines through a check of the caller's. A last line that a crash cut short is left out;
 * a broken line before it is an error.
 * @throws CorruptStateError naming file and line.
 */
export function readJsonLines<T>(store: StateStore, name: string, check: (value: unknown) => T): readonly T[] {
  const lines = (store.read(name) ?? "").split("\n");
  const records: T[] = [];
  lines.forEach((line, index) => {
    if (line === "" || (index === lines.length - 1 && !isJson(line))) return;
    try {
      records.push(check(JSON.parse(line)));
    } catch (cause) {
      throw corrupt(`${name} line ${index + 1}`, line, cause instanceof Error ? cause.message : String(cause), cause);
    }
  });
  return records;
}

/** Makes a folder that only its owner may enter. @throws RunError when it cannot be made or is a file. */
export function makePrivateFolder(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (!statSync(directory).isDirectory()) throw new Error("not a folder");
  } catch (cause) {
    throw cannot("make", directory, cause);
  }
}

function corrupt(field: string, value: string, reason: string, cause: unknown): CorruptStateError {
  return new CorruptStateError(`state is corrupt: ${reason}`, {
    field,
    value,
    expected: "what an earlier run wrote; move the file away to start without it",
    cause,
  });
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function checkedName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return name;
  throw new RunError("is no name of a state file", { field: "name", value: name, expected: "letters, digits, dots, dashes" });
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

function syncFolder(directory: string): void {
  const folder = openSync(directory, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** How a log ends: with a whole line, with one that lacks only its line feed, or in the middle of one. */
function tornTail(path: string): { readonly kind: "whole" | "complete" } | { readonly kind: "torn"; readonly length: number } {
  const bytes = readFileSync(path);
  const length = bytes.lastIndexOf(0x0a) + 1;
  if (length === bytes.length) return { kind: "whole" };
  return isJson(bytes.subarray(length).toString("utf8")) ? { kind: "complete" } : { kind: "torn", length };
}

function cannot(verb: string, path: string, cause: unknown): RunError {
  return new RunError(`cannot ${verb} ${path} (${codeOf(cause) ?? String(cause)})`, {
    field: "stateDir",
    expected: "a folder that this user may write",
    cause,
  });
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
}
