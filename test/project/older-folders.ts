import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type BotStatus, buildBotStatus } from "#bot/bot-status.js";
import { loadBotConfig } from "#bot/config.js";
import { readCountedTransfers } from "#bot/equity-monitor.js";
import { HEARTBEAT_FILE, parseHeartbeat } from "#bot/heartbeat.js";
import { LatchStore } from "#bot/latch-store.js";
import { ManualHaltStore } from "#bot/manual-halt-store.js";
import { startBot } from "#bot/run-bot.js";
import type { RunningBot } from "#bot/running-bot.js";
import { readBuiltHashes } from "#bot/server-built-hashes.js";
import { FileStateStore } from "#bot/state-dir.js";
import { claimedExchange } from "#bot/state-owner.js";
import { readStoredTakeovers } from "#bot/stored-takeovers.js";
import { readNewestRecorded } from "#bot/trade-log.js";
import { FileTransactionStore } from "#chain/file-transaction-store.js";
import { loadExchangeConfig } from "#cli/load-exchange-config.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Hex } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { decodeLedger } from "#liquidator/ledger-lines.js";
import { LIQUIDATIONS_FILE } from "#liquidator/liquidation-ledger.js";
import { createLog } from "#monitoring/log.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { openConfiguredExchange } from "#simulator/configured-exchange.js";

/** The account of every folder here: the second one of the phrase that all test chains share. */
export const ACCOUNT: Hex = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
/** Its key. */
export const KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";

/** Copies a folder, and unpacks the files in it that end with `.gz`. */
export function copyUnpacked(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".gz") || entry.name.endsWith(".ndjson.gz"))
      continue;
    const packed = join(entry.parentPath, entry.name);
    writeFileSync(packed.slice(0, -".gz".length), gunzipSync(readFileSync(packed)), {
      mode: 0o600,
    });
    rmSync(packed);
  }
}

/** All that a bot's state directory says, as a bot and its tools read it. */
export function readState(directory: string): unknown {
  const store = new FileStateStore(directory);
  const lanes = new FileTransactionStore(join(directory, "transactions.jsonl"), {
    chainId: 31337,
    account: ACCOUNT,
  });
  try {
    return plain({
      names: [...store.names()].sort(),
      exchange: claimedExchange(store),
      halts: new ManualHaltStore(store, ACCOUNT).read(),
      latches: new LatchStore(store, ACCOUNT).read(),
      takeovers: readStoredTakeovers(store, new Map()),
      builtOrders: readBuiltHashes(store),
      newestFills: readNewestRecorded(store),
      transfers: readCountedTransfers(store),
      heartbeat: parseHeartbeat(store.read(HEARTBEAT_FILE) ?? ""),
      liquidations: decodeLedger(store.readTail(LIQUIDATIONS_FILE, 1_000_000) ?? ""),
      transactions: lanes.load(),
    });
  } finally {
    lanes.close();
    store.close();
  }
}

/**
 * The state from which an exchange resumes, at the instant of its end: no time has passed, so that
 * nothing has come due.
 * @param folder of its `exchange.yaml` and its `dataDir`.
 */
export async function readDataDir(folder: string, endedAtMs: number): Promise<unknown> {
  const { chain, exchange, close, config } = await openDataDir(folder, endedAtMs);
  try {
    return plain({
      head: chain?.chain.head,
      balances: exchange.balances(ACCOUNT),
      openOrders: exchange.openOrders(ACCOUNT).map(({ terms, openLots }) => ({
        id: terms.id,
        hash: terms.hash,
        side: terms.side,
        openLots,
      })),
      positions: Object.keys(config.markets).map((id) => exchange.positionLots(ACCOUNT, id)),
      audit: exchange.audit(),
    });
  } finally {
    await close();
  }
}

/**
 * Runs a bot for two seconds of virtual time on its state directory and the exchange that it left,
 * as the next start of the same commands does, without its liquidator.
 * @returns its status at the end.
 */
export async function runOn(folder: string, endedAtMs: number): Promise<BotStatus> {
  const { exchange, close, waitUntilSettled, runtime } = await openDataDir(folder, endedAtMs);
  const { clock } = runtime;
  const quickest = { uniform: () => 0, uint64: () => 0n };
  const network = new FaultyNetwork(exchange, clock, new FaultSource([], quickest), "10.0.0.1");
  const passes = async (ms: number): Promise<void> => {
    await clock.runFor(ms);
    await waitUntilSettled();
  };
  exchange.start();
  const starting = startBot({
    config: loadBotConfig(join(folder, "bot.yaml"), { MARKETWRIGHT_KEY: KEY }),
    privateKey: KEY,
    runtime,
    store: new FileStateStore(join(folder, "state")),
    log: createLog({ write: () => {} }, { level: "warn", clock }),
    transport: network,
    withoutLiquidator: true,
  });
  let running: RunningBot | undefined;
  starting.then(
    (started) => {
      running = started;
    },
    () => {},
  );
  try {
    for (let tenths = 0; tenths < 20 || (running === undefined && tenths < 100); tenths++)
      await passes(100);
    const { bot } = await starting;
    return buildBotStatus(bot);
  } finally {
    running?.close();
    await close();
  }
}

async function openDataDir(folder: string, endedAtMs: number) {
  const config = loadExchangeConfig(join(folder, "exchange.yaml"));
  const runtime = { clock: new VirtualClock(endedAtMs), random: seededRandom("older folders") };
  const open = await openConfiguredExchange(
    { ...config, chain: config.chain && { ...config.chain, rpc: null } },
    runtime,
    { baseFolder: folder, createFlow: () => null },
  );
  return { ...open, runtime, config };
}

/** As JSON holds it: bigints by their digits, maps and sets as lists. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, held: unknown) => {
      if (typeof held === "bigint") return `${held}n`;
      return held instanceof Map || held instanceof Set ? [...held] : held;
    }),
  );
}
