import { accountSigner, readAccountKey } from "../bot/config/account-key.js";
import { loadBotOrders } from "../bot/config/config.js";
import type { ControlCommand } from "../bot/control/control-protocol.js";
import { isLocked, lockAccount } from "../bot/state/account-lock.js";
import { HaltMemory, type KeptHalt } from "../bot/state/halt-memory.js";
import { LatchMemory } from "../bot/state/latch-memory.js";
import { FileStateStore, type StateStore, stateDirOf } from "../bot/state/state-dir.js";
import { claimState } from "../bot/state/state-owner.js";
import { ConfigError, RunError } from "../core/errors.js";
import type { Hex, MarketId, Ms } from "../core/units.js";
import type { CliContext } from "./cli-context.js";

/** What a bot finds when it is started. */
export interface UnstartedBot {
  readonly phase: "not running" | "starting" | "ending";
  readonly account: string;
  /** Halts by hand, and rungs of the risk ladder that stay, that are in force; empty when it will quote. */
  readonly halts: readonly KeptHalt[];
}

type Told = Extract<ControlCommand, { readonly command: "halt" | "resume" }>;

/**
 * Carries out a halt or a resume on the state of a bot that does not run: whoever halts while a supervisor is between two starts shall find the
 * next one halted. Any number of halts may come at once. A resume has the account to itself: none starts meanwhile that is halted by what it takes back.
 * @throws ConfigError for a market that the file does not have, or a state of another account; RunError when the account's bot runs after all,
 * or the state cannot be written; CorruptStateError when what was kept is broken.
 */
export async function tellStoppedBot({ env, seam }: CliContext, file: string, command: Told): Promise<UnstartedBot> {
  const config = loadBotOrders(file, env);
  const account = accountSigner(config.account, readAccountKey(config.account, env)).address;
  const stateDir = stateDirOf(config, account);
  const tell = (): UnstartedBot => {
    const store = new FileStateStore(stateDir, `${process.pid}.new`);
    claimState({ store, directory: store.directory, account });
    const state = { markets: Object.keys(config.markets), store, account, nowMs: seam.clock.nowMs() };
    return { phase: "not running", account, halts: changeHalts(state, command) };
  };
  if (command.command === "resume") {
    const lock = await lockAccount({ account, env, stateDir });
    try {
      return tell();
    } finally {
      lock.release();
    }
  }
  const told = tell();
  // One that locks the account from here on reads its state behind this.
  if (!isLocked({ account, env, stateDir }, "bot")) return told;
  throw new RunError(
    "another process on this machine has this account, and may have read its halts before: the halt is written down for the next start",
    {
      field: "account",
      value: account,
      expected: "the same halt once more, when it runs or has ended",
    },
  );
}

/** The state that a bot will be started with. */
export interface UnstartedState {
  readonly markets: readonly MarketId[];
  readonly store: StateStore;
  readonly account: Hex;
  readonly nowMs: Ms;
}

/**
 * Halts or resumes in a state directory; returns the halts that are in force after it.
 * @throws ConfigError for a market that the file does not have; RunError when it cannot be written, CorruptStateError when it is broken.
 */
export function changeHalts({ markets, store, account, nowMs }: UnstartedState, command: Told): readonly KeptHalt[] {
  const { marketId } = command;
  if (marketId !== undefined && !markets.includes(marketId)) {
    const expected = `one of ${markets.join(", ")}`;
    throw new ConfigError("is no market of this bot", { field: "marketId", value: marketId, expected });
  }
  const memory = new HaltMemory(store, account);
  memory.read();
  const ladder = new LatchMemory(store, account);
  ladder.read();
  if (command.command === "resume") {
    memory.forget((kept) => marketId === undefined || kept.marketId === marketId);
    ladder.resume(marketId);
  } else memory.keep({ marketId, why: command.reason, atMs: Math.round(nowMs) });
  const unwritten = memory.unwritten ?? ladder.unwritten;
  if (unwritten === undefined) {
    const rungs = ladder.read().rungs.map(({ measure, action, ...kept }) => ({ ...kept, why: `${measure}, ${action}: ${kept.why}` }));
    return [...memory.read(), ...rungs];
  }
  throw new RunError(`not written down: ${unwritten}`, { field: "stateDir", expected: "a folder that can be written" });
}
