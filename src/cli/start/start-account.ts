import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { BotConfig } from "../../bot/config/config.js";
import type { RunSummary } from "../../bot/run/monitor/run-summary.js";
import { HEARTBEAT_FILE } from "../../bot/state/heartbeat.js";
import { FileStateStore, stateDirFor } from "../../bot/state/state-dir.js";
import { randomKey } from "../../core/crypto/keystore.js";
import { protectSecret } from "../../core/crypto/secrets.js";
import { ecdsaScheme } from "../../core/crypto/signing.js";
import { ConfigError } from "../../core/errors.js";
import { readPathKind } from "../../core/files/path-kind.js";
import type { CliContext } from "../cli-context.js";
import { PreviousStart } from "./previous-start.js";
import { ENDED_FILE, KEY_FILE } from "./start-files.js";
import { lockStartFolder } from "./start-lock.js";

/** The account of one `marketwright start`. */
interface StartAccount {
  /** The environment, with the account's key in the variable that the bot's file names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: FileStateStore;
  readonly keyPath: string;
  /**
   * Ends the start. A later one may remove its state when no order can be open: the exchange has
   * confirmed that, or no bot ran.
   * @param summary of the bot's run, if it completed one.
   */
  readonly finish: (summary: Pick<RunSummary, "ordersLeft" | "openOrdersLeft"> | undefined) => void;
}

/** The bot of a start, or the one that competes with it: only the first removes earlier starts. */
type StartRole = "bot" | "competitor";

/**
 * Creates a new key, in the state directory of its own account. Earlier starts from the same file
 * that never traded are removed at once. Those that ended without open orders are removed once this
 * one has traded to its end. The key of an account that may have open orders stays.
 * @throws ConfigError when the bot's key comes from a keystore; RunError when the folder cannot be
 * written, or belongs to another start now.
 */
export async function createFreshAccount(
  { env: given, runtime }: CliContext,
  config: BotConfig,
  role: StartRole = "bot",
): Promise<StartAccount> {
  const { keyEnv } = config.account;
  if (keyEnv === undefined) {
    throw new ConfigError("start trades a fresh account, never that of a keystore", {
      field: "account.keystore",
      value: config.account.keystore?.file,
      expected:
        "account.keyEnv, the variable that start hands the fresh key on in (marketwright run trades a keystore's account)",
    });
  }
  const privateKey = randomKey(runtime.random);
  protectSecret(privateKey);
  const env = { ...given, [keyEnv]: privateKey };
  const { address } = ecdsaScheme.signer(privateKey);
  const directory = stateDirFor(config, address);
  const store = new FileStateStore(directory);
  const hasTraded = (): boolean => store.read(HEARTBEAT_FILE) !== undefined;
  const finish = await finisherFor(config, store, role);
  store.write(KEY_FILE, `${privateKey}\n`);
  return {
    env,
    store,
    keyPath: store.pathFor(KEY_FILE),
    finish: (summary) => {
      const isFlat =
        summary !== undefined && summary.ordersLeft.length === 0 && summary.openOrdersLeft === 0;
      const traded = hasTraded();
      if (isFlat || !traded) store.write(ENDED_FILE, "");
      finish(summary !== undefined || traded);
    },
  };
}

/**
 * Handles earlier starts at the end of one. @param traded true if its bot ran: one that failed
 * before that replaces nothing
 */
type FinishStart = (traded: boolean) => void;

async function finisherFor(
  { stateDir }: BotConfig,
  store: FileStateStore,
  role: StartRole,
): Promise<FinishStart> {
  if (stateDir !== undefined) return inOneFolder(store);
  return role === "bot" ? besideOthers(store.directory) : () => {};
}

/** Each start has its own folder, beside those of the others. */
function besideOthers(directory: string): FinishStart {
  const above = dirname(directory);
  clearEndedStarts(above, (folder) => readPathKind(join(folder, HEARTBEAT_FILE)) === undefined);
  return (traded) => {
    if (traded) clearEndedStarts(above, (folder) => basename(folder) !== basename(directory));
  };
}

/** In a `stateDir` that the file names, every start finds the previous one's files. */
async function inOneFolder(store: FileStateStore): Promise<FinishStart> {
  const unlock = await lockStartFolder(store.directory);
  const former = PreviousStart.setAside(store);
  return (traded) => {
    if (traded) former.discard();
    else former.restore();
    unlock();
  };
}

function clearEndedStarts(above: string, mayGo: (folder: string) => boolean): void {
  for (const name of readdirSync(above)) {
    const folder = join(above, name);
    const isEnded =
      /^0x[0-9a-f]{40}$/.test(name) &&
      [KEY_FILE, ENDED_FILE].every((file) => readPathKind(join(folder, file)) === "file");
    if (isEnded && mayGo(folder)) rmSync(folder, { recursive: true, force: true });
  }
}
