import { createHash } from "node:crypto";
import { lstatSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { RunError } from "../../core/errors.js";
import { replaceFile } from "../../core/files/atomic-file.js";
import { readPlainText } from "../../core/files/plain-files.js";
import { ensurePrivateFolder } from "../../core/files/private-folder.js";

const entrySchema = z.object({
  pid: z.int().positive(),
  config: z.string(),
  account: z.string(),
  socketPath: z.string(),
  /**
   * The state directory and the markets, where the next start finds its halts; absent for a bot
   * that leaves no halts.
   */
  state: z.object({ directory: z.string(), markets: z.array(z.string()) }).optional(),
});

/** The entry of a running bot in the user runtime directory. */
export type RunningBotEntry = z.output<typeof entrySchema>;

/**
 * The user runtime directory, for this user's locks and the entries of this user's running bots:
 * `$XDG_RUNTIME_DIR/marketwright`, else `marketwright-<uid>` under the system's temporary folder,
 * or in the home folder if another user has taken that name. It is created if absent, mode 0700.
 * @throws RunError if it cannot be created, or does not belong to this user.
 */
export function runtimeDir(env: Readonly<Record<string, string | undefined>>): string {
  const uid = process.getuid?.();
  const directory = runtimePath(env, uid);
  const found = statSync(directory, { throwIfNoEntry: false });
  if (
    found !== undefined &&
    uid !== undefined &&
    (found.uid !== uid || (found.mode & 0o077) !== 0)
  ) {
    const isOwn = found.uid === uid;
    throw new RunError(isOwn ? "is open to other users" : "belongs to another user", {
      field: RUNTIME_VARIABLE,
      value: directory,
      expected: isOwn
        ? "a folder of this user's with mode 0700"
        : "a folder of this user's with mode 0700, or the command run as the bot's user",
    });
  }
  ensurePrivateFolder(directory, RUNTIME_VARIABLE);
  return directory;
}

const RUNTIME_VARIABLE = "XDG_RUNTIME_DIR";

function runtimePath(
  { XDG_RUNTIME_DIR: given, HOME: home }: Readonly<Record<string, string | undefined>>,
  uid: number | undefined,
): string {
  if (given !== undefined && given !== "") return join(given, "marketwright");
  const temporary = join(tmpdir(), `marketwright-${uid ?? "user"}`);
  const owner = lstatSync(temporary, { throwIfNoEntry: false })?.uid;
  const isTaken = owner !== undefined && uid !== undefined && owner !== uid;
  return isTaken && home !== undefined && home !== "" ? join(home, ".marketwright-run") : temporary;
}

/**
 * Adds the entry of a running bot; the returned function removes it. There is one entry per control
 * socket: a bot replaces the entry of one that died at the same socket, which would seem to live
 * again.
 */
export function addRunningBotEntry(
  bot: RunningBotEntry,
  env: Readonly<Record<string, string | undefined>>,
): () => void {
  const name = createHash("sha256").update(bot.socketPath).digest("hex").slice(0, 16);
  const path = join(runtimeDir(env), `${name}.json`);
  // A command that reads a half of it would take it for garbage, and remove it.
  const text = JSON.stringify({ ...bot, config: realPath(bot.config) });
  replaceFile(path, text, { beside: `${path}.${process.pid}`, sync: false });
  return () => rmSync(path, { force: true });
}

/**
 * The bots that have an entry and still answer. Entries of killed bots are removed.
 * @param answers true if a control socket is alive.
 */
export async function findRunningBots(
  env: Readonly<Record<string, string | undefined>>,
  answers: (socketPath: string) => Promise<boolean>,
): Promise<readonly RunningBotEntry[]> {
  const directory = runtimeDir(env);
  const bots: RunningBotEntry[] = [];
  for (const name of readdirSync(directory).filter((entry) => entry.endsWith(".json"))) {
    const path = join(directory, name);
    const text = readText(path);
    const bot = text === undefined ? undefined : parseEntry(text);
    if (bot !== undefined && (await answers(bot.socketPath))) bots.push(bot);
    // Meanwhile a bot may have started at the socket of the one that died.
    else if (readText(path) === text) rmSync(path, { force: true });
  }
  return bots.sort((a, b) => (a.config < b.config ? -1 : 1));
}

/** The path without links, so that two paths to one file select one bot. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** A foreign file is not a running bot. */
function parseEntry(text: string): RunningBotEntry | undefined {
  try {
    return entrySchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Undefined for a file that is gone or cannot be read. */
function readText(path: string): string | undefined {
  try {
    return readPlainText(path);
  } catch {
    return undefined;
  }
}
