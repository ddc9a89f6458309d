import { createAccountSigner, readAccountKey } from "../../bot/config/account-key.js";
import { loadBotOrders } from "../../bot/config/config.js";
import type { ControlCommand } from "../../bot/control/control-protocol.js";
import { writeTradedContracts } from "../../bot/market/traded-contracts.js";
import { isLocked, lockAccount } from "../../bot/state/account-lock.js";
import { appendAudit } from "../../bot/state/audit-log.js";
import {
  type ContractChangeHalt,
  readContractChangeHalts,
  writeContractChangeHalts,
} from "../../bot/state/contract-change-halt-store.js";
import { LatchStore } from "../../bot/state/latch-store.js";
import { type ManualHalt, ManualHaltStore } from "../../bot/state/manual-halt-store.js";
import { FileStateStore, type StateStore, stateDirFor } from "../../bot/state/state-dir.js";
import { claimState } from "../../bot/state/state-owner.js";
import { ConfigError, RunError } from "../../core/errors.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import type { LadderMeasure, Latch } from "../../risk/risk-ladder.js";
import type { CliContext } from "../cli-context.js";

/**
 * A halt that applies at the next start: a person's, a loss limit or rung, or one that a run found
 * and no person has resumed.
 */
type PendingHalt =
  | ({ readonly name: "manual" } & ManualHalt)
  | ({ readonly name: LadderMeasure } & Omit<Latch, "measure">)
  | ContractChangeHalt;

/** The state that a bot finds at its start. */
export interface StoppedBotStatus {
  readonly phase: "not running" | "starting" | "ending";
  readonly account: string;
  /**
   * Halts in force for the next start, the oldest first; empty if only a new finding could halt it.
   */
  readonly halts: readonly PendingHalt[];
  /** The halts that a resume ended. */
  readonly resumed?: readonly PendingHalt[];
  /** Why the command is not in the audit file; absent if it is. */
  readonly auditError?: string;
}

type HaltCommand<Name extends "halt" | "resume" = "halt" | "resume"> = Extract<
  ControlCommand,
  { readonly command: Name }
>;

/**
 * Applies a halt or a resume to the state of a bot that does not run. A halt between two starts by
 * a supervisor applies to the next start. Any number of halts may run at once. A resume has the
 * account to itself, so no start happens meanwhile with a halt that it removes.
 * @throws ConfigError for a market that the file does not have, or a state of another account;
 * RunError when the account's bot runs after all, or the state cannot be written; CorruptStateError
 * when the stored state is broken.
 */
export async function commandStoppedBot(
  { env, runtime }: CliContext,
  file: string,
  command: HaltCommand,
): Promise<StoppedBotStatus> {
  const config = loadBotOrders(file, env);
  const account = createAccountSigner(config.account, readAccountKey(config.account, env)).address;
  const stateDir = stateDirFor(config, account);
  const tell = (): StoppedBotStatus => {
    const store = new FileStateStore(stateDir, `${process.pid}.new`);
    claimState({ store, directory: store.directory, account });
    const state = {
      markets: Object.keys(config.markets),
      store,
      account,
      nowMs: runtime.clock.nowMs(),
    };
    const done =
      command.command === "halt"
        ? { halts: haltState(state, command) }
        : resumeState(state, command);
    const { via = "command-line", ...written } = command;
    const auditError = appendAudit(store.directory, {
      atMs: state.nowMs,
      via,
      command: written,
      outcome: "ok",
    });
    return {
      phase: "not running",
      account,
      ...done,
      ...(auditError === undefined ? {} : { auditError }),
    };
  };
  if (command.command === "resume") {
    const lock = await lockAccount({ account, env, stateDir });
    try {
      return tell();
    } finally {
      lock.release();
    }
  }
  const result = tell();
  // A bot that locks the account from here on reads its state after this.
  if (!isLocked({ account, env, stateDir }, "bot")) return result;
  throw new RunError(
    "another process on this machine runs this account, and may have read its halts earlier: the halt is stored for the next start",
    {
      field: "account",
      value: account,
      expected: "the same halt once more, when it runs or has ended",
    },
  );
}

/** The state that a bot will start with. */
interface StoppedBotState {
  readonly markets: readonly MarketId[];
  readonly store: StateStore;
  readonly account: Hex;
  readonly nowMs: Ms;
}

/**
 * Stores a halt in a state directory; returns the halts that are in force after it.
 * @throws ConfigError for a market that the file does not have; RunError when it cannot be written,
 * CorruptStateError when it is broken.
 */
export function haltState(
  state: StoppedBotState,
  { marketId, reason }: HaltCommand<"halt">,
): readonly PendingHalt[] {
  const memory = memoryOf(state, marketId);
  memory.save({ marketId, why: reason, atMs: Math.round(state.nowMs) });
  requireWritten(memory);
  return waitingHalts(state, memory);
}

/**
 * Ends every halt in a state directory that the next start would begin with, or those of one
 * market. These are a person's halts, loss limits and rungs, whose loss is accepted as the running
 * bot accepts it, and a contract that changed since the last run. Conditions that a start checks
 * again need no resume.
 * @throws as {@link haltState}
 */
export function resumeState(
  state: StoppedBotState,
  { marketId }: HaltCommand<"resume">,
): Required<Pick<StoppedBotStatus, "halts" | "resumed">> {
  const { store, account } = state;
  const memory = memoryOf(state, marketId);
  const before = waitingHalts(state, memory);
  const isMeant = (halt: { readonly marketId?: MarketId | undefined }): boolean =>
    marketId === undefined || halt.marketId === marketId;
  memory.remove(isMeant);
  requireWritten(memory);
  const ladder = new LatchStore(store, account);
  ladder.resume(marketId);
  requireWritten(ladder);
  const found = readContractChangeHalts(store, account);
  const accepted = found.filter(isMeant);
  // A kill in between leaves the halt: repeating the resume ends it.
  for (const halt of accepted)
    writeTradedContracts(store, [{ marketId: halt.marketId, rules: halt }]);
  if (accepted.length > 0)
    writeContractChangeHalts(
      store,
      account,
      found.filter((halt) => !accepted.includes(halt)),
    );
  return { halts: waitingHalts(state, memory), resumed: before.filter(isMeant) };
}

/**
 * @throws ConfigError for a market that the file does not have; CorruptStateError when the stored
 * state is broken
 */
function memoryOf(
  { markets, store, account }: StoppedBotState,
  marketId: MarketId | undefined,
): ManualHaltStore {
  if (marketId !== undefined && !markets.includes(marketId)) {
    const expected = `one of ${markets.join(", ")}`;
    throw new ConfigError("is not a market of this bot", {
      field: "marketId",
      value: marketId,
      expected,
    });
  }
  const memory = new ManualHaltStore(store, account);
  memory.read();
  return memory;
}

/** @throws RunError when a change could not be written */
function requireWritten({ writeError }: Pick<ManualHaltStore | LatchStore, "writeError">): void {
  if (writeError === undefined) return;
  throw new RunError(`the change was not stored: ${writeError}`, {
    field: "stateDir",
    expected: "a folder that this user may write",
  });
}

function waitingHalts(
  { store, account }: StoppedBotState,
  memory: ManualHaltStore,
): readonly PendingHalt[] {
  const manual = memory.read().map((halt) => ({ name: "manual" as const, ...halt }));
  const { rungs } = new LatchStore(store, account).read();
  const losses = rungs.map(({ measure: name, ...latch }) => ({ name, ...latch }));
  return [...manual, ...losses, ...readContractChangeHalts(store, account)].sort(
    (one, other) => one.atMs - other.atMs,
  );
}
