import { z } from "zod";
import { TRANSACTIONS_FILE } from "../../chain/transactions/store/transaction-store.js";
import type { Hex, Ms } from "../../core/units.js";
import { DAYS_FOLDER } from "../../ledger/days/day-folder.js";
import { LIQUIDATIONS_FILE } from "../../liquidator/ledger/liquidation-ledger.js";
import type { Log } from "../../monitoring/log.js";
import { CONTRACTS_FILE } from "../market/traded-contracts.js";
import { PEAK_FILE } from "../safety/equity-monitor.js";
import { CONTRACT_CHANGE_HALTS_FILE } from "../state/contract-change-halt-store.js";
import { LATCH_FILE } from "../state/latch-store.js";
import { BUILT_FILE } from "../state/server-built-hashes.js";
import { readJsonState, type StateStore } from "../state/state-dir.js";
import { FILLS_FILE, LEDGER_BALANCES_FILE, RECORD_BEGINS_FILE } from "../state/trade-log.js";
import { TAKEOVERS_FILE } from "../unwind/stored-takeovers.js";
import { MISSING_TRADES_FILE } from "./trade-backfill.js";

/**
 * The file that names the exchange instance, and its chain, of the other files in the state
 * directory.
 */
export const LIFE_FILE = "exchange-life.json";

/**
 * Files and folders that only mean something for one instance of the account: after a reset its
 * trades and money start again. Manual halts belong to the account itself, and stay.
 */
const ACCOUNT_FILES = [
  PEAK_FILE,
  LATCH_FILE,
  CONTRACT_CHANGE_HALTS_FILE,
  CONTRACTS_FILE,
  BUILT_FILE,
  FILLS_FILE,
  RECORD_BEGINS_FILE,
  LEDGER_BALANCES_FILE,
  MISSING_TRADES_FILE,
  TAKEOVERS_FILE,
  DAYS_FOLDER,
];

/**
 * Files that only mean something for one chain: another chain does not know these transactions. An
 * account that is created again on the same chain still has them.
 */
const CHAIN_FILES = [TRANSACTIONS_FILE, LIQUIDATIONS_FILE];

const hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const accountSchema = z.strictObject({
  createdAtMs: z.int().min(0).optional(),
  genesis: hash.optional(),
});
const fileSchema = z.strictObject({
  version: z.literal(1),
  account: accountSchema,
  chain: z.strictObject({ genesis: hash.optional() }),
});

type KnownLife = Omit<z.output<typeof fileSchema>, "version">;

/**
 * Identity of the exchange instance and its chain. An absent field was not reported, which does not
 * mean another instance.
 */
export interface ExchangeInstance {
  /** Exchange time at which it created the account. */
  readonly createdAtMs?: Ms | undefined;
  /** The hash of the chain's first block, in lower case. */
  readonly genesis?: Hex | undefined;
  /** The exchange did not know the account before this start. */
  readonly isNewAccount: boolean;
}

/** The state directory to check, and the log to report to. */
export interface ExchangeInstanceDeps {
  readonly store: StateStore;
  readonly log: Log;
  /** Wall time of this machine. */
  readonly nowMs: Ms;
}

/**
 * Compares the exchange instance with the one that the state belongs to. An exchange that was reset
 * has forgotten the account: its peak would halt the bot, its fills are of other trades, its
 * transactions of another chain. All of that is set aside, and restored if that instance comes
 * back. Call it before any of these files is read. @throws CorruptStateError for a corrupt file;
 * RunError if one cannot be moved or written.
 */
export function adoptExchangeInstance(
  life: ExchangeInstance,
  { store, log, nowMs }: ExchangeInstanceDeps,
): void {
  const known: KnownLife = readJsonState(store, LIFE_FILE, knownOf) ?? { account: {}, chain: {} };
  const { createdAtMs, genesis, isNewAccount } = life;
  // If the exchange itself identifies the account, one RPC that reports another chain must not lift
  // a halt of the account.
  const areTimesKnown = known.account.createdAtMs !== undefined && createdAtMs !== undefined;
  const isOtherAccount =
    isNewAccount ||
    (areTimesKnown
      ? known.account.createdAtMs !== createdAtMs
      : differs(known.account.genesis, genesis));
  const isOtherChain = differs(known.chain.genesis, genesis);
  const found = {
    ...(createdAtMs === undefined ? {} : { createdAtMs }),
    ...(genesis === undefined ? {} : { genesis }),
  };
  const account = isOtherAccount ? found : { ...known.account, ...found };
  const chain = genesis === undefined ? known.chain : { genesis };

  const setAside = [
    ...(isOtherAccount ? [store.setAside(accountFolder(known.account, nowMs), ACCOUNT_FILES)] : []),
    ...(isOtherChain ? [store.setAside(chainFolder(known.chain), CHAIN_FILES)] : []),
  ].filter(({ names }) => names.length > 0);
  const takenBack = [
    ...(isOtherAccount && account.createdAtMs !== undefined
      ? store.takeBack(accountFolder(account, nowMs))
      : []),
    ...(isOtherChain ? store.takeBack(chainFolder(chain)) : []),
  ];
  const text = JSON.stringify({ version: 1, account, chain });
  if (text !== store.read(LIFE_FILE)) store.write(LIFE_FILE, text);

  if (setAside.length > 0) {
    const folders = setAside.map(({ folder }) => folder);
    log.warn(
      {
        folders,
        files: setAside.flatMap(({ names }) => names),
        was: known,
        is: { account, chain },
      },
      `the exchange was reset since this state was written. The bot starts fresh, and ${folders.join(" and ")} in the state directory keeps the earlier state. Manual halts stay`,
    );
  }
  if (takenBack.length > 0)
    log.warn({ files: takenBack }, "the earlier exchange is back: the bot restored its state");
}

/**
 * The exchange time at which the account of a state was created; undefined if it is not known. Its
 * day files may also have rows of an account of before that.
 */
export function readAccountCreatedMs(store: StateStore): Ms | undefined {
  return readJsonState(store, LIFE_FILE, knownOf)?.account.createdAtMs;
}

function knownOf(value: unknown): KnownLife {
  const { account, chain } = fileSchema.parse(value);
  return { account, chain };
}

function differs<T>(known: T | undefined, found: T | undefined): boolean {
  return known !== undefined && found !== undefined && known !== found;
}

/** Folder for the state of one account instance while the exchange runs another one. */
function accountFolder({ createdAtMs, genesis }: KnownLife["account"], nowMs: Ms): string {
  const chain = genesis === undefined ? "" : `-${genesis.slice(2, 18)}`;
  return `earlier-account-${createdAtMs ?? `until-${nowMs}`}${chain}`;
}

function chainFolder({ genesis = "" }: KnownLife["chain"]): string {
  return `earlier-chain-${genesis.slice(2, 18)}`;
}
