import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { privateKeyIn } from "../bot/config/account-key.js";
import type { BotConfig } from "../bot/config/config.js";
import { PEAK_FILE } from "../bot/equity-watch.js";
import { UNTOLD_FILE } from "../bot/run/earlier-trades.js";
import type { RunSummary } from "../bot/run/run-summary.js";
import { isHaltFile } from "../bot/state/halt-memory.js";
import { HEARTBEAT_FILE } from "../bot/state/heartbeat.js";
import { FileStateStore, stateDirOf } from "../bot/state/state-dir.js";
import { OWNER_FILE } from "../bot/state/state-owner.js";
import { RECORD_BEGINS_FILE } from "../bot/state/trade-log.js";
import { TAKEOVERS_FILE } from "../bot/unwind/unwind-memory.js";
import { LANES_FILE } from "../chain/lanes/lane-store.js";
import { ConfigError } from "../core/errors.js";
import { randomKey } from "../core/keystore.js";
import { pathKind } from "../core/path-kind.js";
import { protectSecret } from "../core/secrets.js";
import { ecdsaScheme } from "../core/signing.js";
import { LIQUIDATIONS_FILE } from "../liquidator/ledger/liquidation-ledger.js";
import type { CliContext } from "./cli-context.js";

/** The key of a started bot's account. */
const KEY_FILE = "key";
/** Written when a start is over and its account has no open order, or never had one: its folder may go. */
const ENDED_FILE = "start-ended";

/** The account of one `marketwright start`. */
export interface StartAccount {
  /** The environment, with the account's key in the variable that the bot's file names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: FileStateStore;
  readonly keyPath: string;
  /**
   * The start is over; the next one may clear its state away when no order can be open: the exchange has said so, or no bot ran.
   * @param summary of the bot's run, where there was one to its end.
   */
  readonly over: (summary: RunSummary | undefined) => void;
}

/**
 * A key that nobody has had before, in the state directory of its own account. What earlier starts from the same file left there is
 * cleared away, but never the key of an account that may have open orders.
 * @throws ConfigError when the bot's key comes from a keystore; RunError when the folder cannot be written.
 */
export function freshAccount({ env: given, seam }: CliContext, config: BotConfig): StartAccount {
  const { keyEnv } = config.account;
  if (keyEnv === undefined) {
    throw new ConfigError("start trades a fresh account of its own, never a keystore's", {
      field: "account.keystore",
      value: config.account.keystore?.file,
      expected: "account.keyEnv, the variable that start hands the fresh key on in (marketwright run trades a keystore's account)",
    });
  }
  const privateKey = randomKey(seam.random);
  protectSecret(privateKey);
  const env = { ...given, [keyEnv]: privateKey };
  const { address } = ecdsaScheme.signer(privateKey);
  const directory = stateDirOf(config, address);
  if (config.stateDir === undefined) clearEndedStarts(dirname(directory));
  const store = new FileStateStore(directory);
  setFormerAside(store);
  store.write(KEY_FILE, `${privateKey}\n`);
  return {
    env,
    store,
    keyPath: store.pathOf(KEY_FILE),
    over: (summary) => {
      const isFlat = summary !== undefined && summary.ordersLeft.length === 0 && summary.openOrdersLeft === 0;
      if (isFlat || store.read(HEARTBEAT_FILE) === undefined) store.write(ENDED_FILE, "");
    },
  };
}

/** The folders that starts made for their accounts, beside each other. */
function clearEndedStarts(above: string): void {
  if (pathKind(above) !== "folder") return;
  for (const name of readdirSync(above)) {
    const folder = join(above, name);
    const isEnded = /^0x[0-9a-f]{40}$/.test(name) && [KEY_FILE, ENDED_FILE].every((file) => pathKind(join(folder, file)) === "file");
    if (isEnded) rmSync(folder, { recursive: true, force: true });
  }
}

/** In a `stateDir` that the file names, every start finds what the one before it left: the peak of an account that is not its own. */
function setFormerAside(store: FileStateStore): void {
  const former = store.read(KEY_FILE);
  if (former !== undefined && store.read(ENDED_FILE) === undefined) {
    const { address } = ecdsaScheme.signer(privateKeyIn(former, { field: "stateDir", name: store.pathOf(KEY_FILE), kind: "file" }));
    store.write(`${KEY_FILE}-${address.toLowerCase()}`, former);
  }
  for (const file of former === undefined
    ? []
    : [
        OWNER_FILE,
        ENDED_FILE,
        PEAK_FILE,
        RECORD_BEGINS_FILE,
        UNTOLD_FILE,
        HEARTBEAT_FILE,
        TAKEOVERS_FILE,
        LANES_FILE,
        LIQUIDATIONS_FILE,
        ...store.names().filter(isHaltFile),
      ])
    rmSync(store.pathOf(file), { force: true });
}
