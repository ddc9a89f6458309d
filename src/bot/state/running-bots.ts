import { createHash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { RunError } from "../../core/errors.js";
import { makePrivateFolder } from "./state-dir.js";

const entrySchema = z.object({
  pid: z.int().positive(),
  config: z.string(),
  account: z.string(),
  socketPath: z.string(),
  /** Where its next start finds who halted it, and the markets that it trades; absent where it leaves no halts. */
  state: z.object({ directory: z.string(), markets: z.array(z.string()) }).optional(),
});

/** A running bot, as it has entered itself in the user's runtime folder. */
export type EnteredBot = z.output<typeof entrySchema>;

/**
 * The folder where this user's running bots enter themselves: `$XDG_RUNTIME_DIR/marketwright`, else one under the
 * system's temporary folder. @throws RunError when it is not this user's own.
 */
export function runtimeDir(env: Readonly<Record<string, string | undefined>>): string {
  const { uid } = userInfo();
  const given = env.XDG_RUNTIME_DIR;
  const directory = given === undefined || given === "" ? join(tmpdir(), `marketwright-${uid}`) : join(given, "marketwright");
  makePrivateFolder(directory);
  const { uid: owner, mode } = statSync(directory);
  if (owner !== uid || (mode & 0o077) !== 0) {
    throw new RunError("is open to other users", {
      field: "XDG_RUNTIME_DIR",
      value: directory,
      expected: "a folder of this user's with mode 0700",
    });
  }
  return directory;
}

/**
 * Enters a bot as running; the function that is returned takes it out again. There is one entry a control socket: a bot takes
 * the place of one that died at the same socket, which would seem to live again.
 */
export function enterRunningBot(bot: EnteredBot, env: Readonly<Record<string, string | undefined>>): () => void {
  const name = createHash("sha256").update(bot.socketPath).digest("hex").slice(0, 16);
  const path = join(runtimeDir(env), `${name}.json`);
  writeFileSync(path, JSON.stringify({ ...bot, config: realPath(bot.config) }), { mode: 0o600 });
  return () => rmSync(path, { force: true });
}

/**
 * The bots that have entered themselves and still answer. What a killed bot left behind is cleared away.
 * @param answers whether a control socket is alive.
 */
export async function runningBots(
  env: Readonly<Record<string, string | undefined>>,
  answers: (socketPath: string) => Promise<boolean>,
): Promise<readonly EnteredBot[]> {
  const directory = runtimeDir(env);
  const bots: EnteredBot[] = [];
  for (const name of readdirSync(directory).filter((entry) => entry.endsWith(".json"))) {
    const path = join(directory, name);
    const bot = readEntry(path);
    if (bot !== undefined && (await answers(bot.socketPath))) bots.push(bot);
    else rmSync(path, { force: true });
  }
  return bots.sort((a, b) => (a.config < b.config ? -1 : 1));
}

/** The path without links, so that two ways to one file are one bot. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** A half-written or foreign file is no running bot. */
function readEntry(path: string): EnteredBot | undefined {
  try {
    return entrySchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return undefined;
  }
}
