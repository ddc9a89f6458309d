import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parsePrivateKey } from "../../bot/config/account-key.js";
import { MISSING_TRADES_FILE } from "../../bot/run/trade-backfill.js";
import { PEAK_FILE } from "../../bot/safety/equity-monitor.js";
import { HEARTBEAT_FILE } from "../../bot/state/heartbeat.js";
import { isHaltFile } from "../../bot/state/manual-halt-store.js";
import type { FileStateStore } from "../../bot/state/state-dir.js";
import { OWNER_FILE } from "../../bot/state/state-owner.js";
import { RECORD_BEGINS_FILE } from "../../bot/state/trade-log.js";
import { TAKEOVERS_FILE } from "../../bot/unwind/stored-takeovers.js";
import { TRANSACTIONS_FILE } from "../../chain/transactions/store/transaction-store.js";
import { ecdsaScheme } from "../../core/crypto/signing.js";
import { readPathKind } from "../../core/files/path-kind.js";
import { LIQUIDATIONS_FILE } from "../../liquidator/ledger/liquidation-ledger.js";
import { ENDED_FILE, KEY_FILE } from "./start-files.js";

/** Folder for the previous start's files until this start has traded. */
const ASIDE = "former-start";

const FILES: ReadonlySet<string> = new Set([
  KEY_FILE,
  OWNER_FILE,
  ENDED_FILE,
  PEAK_FILE,
  RECORD_BEGINS_FILE,
  MISSING_TRADES_FILE,
  HEARTBEAT_FILE,
  TAKEOVERS_FILE,
  TRANSACTIONS_FILE,
  LIQUIDATIONS_FILE,
]);

const isOfStart = (name: string): boolean => FILES.has(name) || isHaltFile(name);

/**
 * The previous start in a `stateDir` that the file names: its peak belongs to another account. Its
 * files are set aside until this start has traded, and are restored when it fails before that.
 */
export class PreviousStart {
  readonly #store: FileStateStore;
  readonly #aside: string;
  /** The former key beside the new one, if its account may have open orders. */
  #keptKey: string | undefined;

  private constructor(store: FileStateStore) {
    this.#store = store;
    this.#aside = join(store.directory, ASIDE);
  }

  static setAside(store: FileStateStore): PreviousStart {
    const former = new PreviousStart(store);
    // After a killed start: if it had traded, it is itself the previous one now.
    if (store.read(HEARTBEAT_FILE) === undefined) former.restore();
    else former.discard();
    former.#setAside();
    return former;
  }

  /** Restores the previous start's files, and removes those of this one. */
  restore(): void {
    if (readPathKind(this.#aside) !== "folder") return;
    for (const name of this.#store.names().filter(isOfStart))
      rmSync(this.#store.pathFor(name), { force: true });
    for (const name of readdirSync(this.#aside))
      renameSync(join(this.#aside, name), this.#store.pathFor(name));
    if (this.#keptKey !== undefined) rmSync(this.#store.pathFor(this.#keptKey), { force: true });
    this.discard();
  }

  /**
   * Called once this start has traded: removes the previous one's files, but keeps its key if its
   * account may have open orders.
   */
  discard(): void {
    rmSync(this.#aside, { recursive: true, force: true });
  }

  #setAside(): void {
    const store = this.#store;
    const key = store.read(KEY_FILE);
    if (key === undefined) return;
    if (store.read(ENDED_FILE) === undefined) {
      const { address } = ecdsaScheme.signer(
        parsePrivateKey(key, { field: "stateDir", name: store.pathFor(KEY_FILE), kind: "file" }),
      );
      this.#keptKey = `${KEY_FILE}-${address.toLowerCase()}`;
      store.write(this.#keptKey, key);
    }
    mkdirSync(this.#aside, { mode: 0o700 });
    for (const name of store.names().filter(isOfStart))
      renameSync(store.pathFor(name), join(this.#aside, name));
  }
}
