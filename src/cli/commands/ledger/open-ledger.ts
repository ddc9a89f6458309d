import { hedgeRecordFile, isHedgeFile } from "../../../bot/hedge/market-hedges.js";
import { readAccountCreatedMs } from "../../../bot/run/exchange-instance.js";
import { type FileStateStore, readJsonState, stateDirFor } from "../../../bot/state/state-dir.js";
import { FILLS_FILE, LEDGER_BALANCES_FILE } from "../../../bot/state/trade-log.js";
import { ConfigError, RunError } from "../../../core/errors.js";
import { ExchangeClient } from "../../../exchange/client/exchange-client.js";
import { decodeHedgeRecord, type HedgeRecord } from "../../../hedge/hedge-record.js";
import { storedHedgeSchema } from "../../../hedge/stored-hedge.js";
import { parseInstant } from "../../../history/day.js";
import { AccountLedger, type LedgerPeriod } from "../../../ledger/account-ledger.js";
import {
  type BalanceCheckpoint,
  checkpointFor,
  decodeCheckpoint,
  encodeCheckpoint,
  unitsFromCheckpoints,
} from "../../../ledger/balance-checkpoint.js";
import { DAYS_FOLDER } from "../../../ledger/days/day-folder.js";
import { readDayIncomes } from "../../../ledger/sources/day-incomes.js";
import type { ExchangeStatement } from "../../../ledger/sources/exchange-statement.js";
import { readFileFills } from "../../../ledger/sources/file-fills.js";
import { readFileTakeovers } from "../../../ledger/sources/file-takeovers.js";
import { type HedgeEvents, hedgeEvents } from "../../../ledger/sources/hedge-events.js";
import { readJsonLines } from "../../../ledger/sources/json-lines.js";
import { readStatement } from "../../../ledger/sources/read-statement.js";
import { LIQUIDATIONS_FILE } from "../../../liquidator/ledger/liquidation-ledger.js";
import type { CliContext } from "../../cli-context.js";
import { type BotAccess, openBot, withExchange } from "../../exchange-access.js";
import { openExistingState } from "../../halts/existing-state.js";

/** Options that all commands over the ledger have. */
export interface LedgerOptions {
  readonly from?: string;
  readonly to?: string;
  readonly offline?: boolean;
}

/** An account's ledger, and what it was made of. */
export interface OpenedLedger {
  readonly ledger: AccountLedger;
  readonly statement: ExchangeStatement | undefined;
  /** Undefined if no bot has run for the account. */
  readonly store: FileStateStore | undefined;
}

/**
 * The period of the options.
 * @throws ConfigError for an invalid instant, or an end that is not after the beginning
 */
export function ledgerPeriod({ from, to }: LedgerOptions): LedgerPeriod {
  const fromMs = from === undefined ? undefined : parseInstant(from, "--from");
  const toMs = to === undefined ? undefined : parseInstant(to, "--to");
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
    throw new ConfigError("is not after --from", {
      field: "--to",
      value: to,
      expected: "a time after --from",
    });
  return { fromMs, toMs };
}

/**
 * Reads an account's files, then the exchange, and does work with the ledger of both.
 * @throws ConfigError for the bot's file; RunError if the exchange cannot be reached
 */
export async function withLedger(
  context: CliContext,
  file: string,
  { offline }: LedgerOptions,
  work: (opened: OpenedLedger) => Promise<void>,
): Promise<void> {
  const access = openBot(context, file);
  const store = openExistingState(stateDirFor(access.config, access.signer.address));
  // The files first: whatever a running bot records meanwhile, the exchange lists it too.
  const files = await readFiles(store);
  if (offline === true) {
    access.close();
    const units = offlineUnits(files);
    const incomes =
      store === undefined
        ? undefined
        : await readDayIncomes(
            store.pathFor(DAYS_FOLDER),
            units.creditDecimals,
            readAccountCreatedMs(store),
          );
    const ledger = new AccountLedger({ ...files, incomes, units, statement: undefined }, []);
    return work({ ledger, statement: undefined, store });
  }
  await withExchange(access, async () => {
    const client = readingClient(context, access);
    try {
      await client.syncClock();
      const statement = await readStatement(client);
      const { units } = statement;
      const ledger = new AccountLedger({ ...files, units, statement }, files.checkpoints);
      await work({ ledger, statement, store });
    } finally {
      client.close();
    }
  });
}

/** Stores the balances of an export, so that a later difference has a beginning. */
export function rememberBalances({ statement, store }: OpenedLedger): void {
  if (statement === undefined || store === undefined || !statement.isStable) return;
  store.append(LEDGER_BALANCES_FILE, encodeCheckpoint(checkpointFor(statement)));
  store.close();
}

function readingClient({ runtime }: CliContext, access: BotAccess): ExchangeClient {
  const { transport, signer, config } = access;
  const { requestTimeoutMs: timeoutMs } = config.exchange;
  return new ExchangeClient({ transport, runtime, signer, account: signer.address, timeoutMs });
}

async function readFiles(store: FileStateStore | undefined) {
  if (store === undefined) {
    const file = { fills: new Map(), unreadableLines: 0 };
    return { file, takeovers: [], outside: [], fileFindings: [], checkpoints: [] };
  }
  const { takeovers, gas } = readFileTakeovers(store.read(LIQUIDATIONS_FILE) ?? "");
  const hedges = await readHedges(store);
  const checkpoints: BalanceCheckpoint[] = [];
  for await (const line of readJsonLines(store.pathFor(LEDGER_BALANCES_FILE))) {
    const checkpoint = decodeCheckpoint(line);
    if (checkpoint !== undefined) checkpoints.push(checkpoint);
  }
  const file = await readFileFills(store.pathFor(FILLS_FILE));
  return {
    file,
    takeovers,
    outside: [...gas, ...hedges.flatMap(({ events }) => events)],
    fileFindings: hedges.flatMap(({ findings }) => findings),
    checkpoints,
  };
}

async function readHedges(store: FileStateStore): Promise<readonly HedgeEvents[]> {
  const hedges: HedgeEvents[] = [];
  for (const name of store.names().filter(isHedgeFile)) {
    // The totals first: a running bot appends to the record before it writes them.
    const stored = readJsonState(store, name, (value) => storedHedgeSchema.parse(value));
    const marketId = name.slice("hedge-".length, -".json".length);
    if (stored === undefined) continue;
    const records: HedgeRecord[] = [];
    for await (const line of readJsonLines(store.pathFor(hedgeRecordFile(marketId)))) {
      const record = decodeHedgeRecord(line);
      if (record !== undefined) records.push(record);
    }
    hedges.push(hedgeEvents(marketId, stored, records));
  }
  return hedges;
}

function offlineUnits({ checkpoints }: Awaited<ReturnType<typeof readFiles>>) {
  const units = unitsFromCheckpoints(checkpoints);
  if (units !== undefined) return units;
  throw new RunError("the units of the markets are not in the bot's files yet", {
    field: "--offline",
    expected: `one earlier export with the exchange, which stores them in ${LEDGER_BALANCES_FILE}`,
  });
}
