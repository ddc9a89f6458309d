import { existsSync } from "node:fs";
import { join } from "node:path";
import { RunError } from "../../core/errors.js";
import { ensurePrivateFolder } from "../../core/files/private-folder.js";
import { ProcessLock } from "../../core/files/process-lock.js";
import type { Hex } from "../../core/units.js";
import { runtimeDir } from "./running-bots.js";

/** Roles of which an account may have one each on a machine. */
export type LockedRole = "bot" | "guard" | "notifier";

/**
 * A lock on being an account's bot or guard on this machine, held until it is released or the
 * process ends.
 */
export interface AccountLock {
  /**
   * Calls a listener once another process has taken a lock of this holder, who stood still for so
   * long that it looked dead.
   */
  whenLost(listener: (error: RunError) => void): void;
  release(): void;
}

/**
 * An account, and the two folders of its locks: the user runtime directory and the account's state
 * folder.
 */
export interface LockableAccount {
  readonly account: Hex;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stateDir: string;
}

/**
 * Locks the role of the one bot, or the one guard, of an account. A lock in the user runtime
 * directory excludes a second process from another file. A lock in the state folder excludes one
 * with another runtime directory, since a login and a service of one user may have two. No other
 * user can write to either.
 * @throws RunError if another process holds it, or a folder does not belong to this user.
 */
export async function lockAccount(
  owner: LockableAccount,
  role: LockedRole = "bot",
): Promise<AccountLock> {
  runtimeDir(owner.env);
  ensurePrivateFolder(owner.stateDir, "stateDir");
  const held: ProcessLock[] = [];
  const release = (): void => {
    for (const lock of held.splice(0)) lock.release();
  };
  try {
    for (const path of lockPaths(owner, role)) held.push(await taken(path, owner.account, role));
    return {
      release,
      whenLost(listener) {
        let isLost = false;
        for (const lock of held)
          lock.whenLost(() => {
            if (!isLost) listener(lostError(owner.account, role));
            isLost = true;
          });
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * True if a process on this machine holds it now. @throws RunError if the user runtime directory
 * does not belong to this user.
 */
export function isLocked(owner: LockableAccount, role: LockedRole): boolean {
  return lockPaths(owner, role).some(
    (path) => existsSync(path) && ProcessLock.holder(path) !== undefined,
  );
}

function lockPaths(
  { account, env, stateDir }: LockableAccount,
  role: LockedRole,
): readonly string[] {
  return [
    join(runtimeDir(env), `${role}-${account.toLowerCase()}.lock`),
    join(stateDir, `${role}.lock`),
  ];
}

async function taken(path: string, account: Hex, role: LockedRole): Promise<ProcessLock> {
  let lock: ProcessLock | number;
  try {
    lock = await ProcessLock.takeOrWait(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RunError(`cannot lock the account (${reason})`, {
      field: "account",
      value: account,
      expected: "a folder with room",
      cause,
    });
  }
  if (lock instanceof ProcessLock) return lock;
  throw heldError(account, role, lock);
}

function lostError(account: Hex, role: LockedRole): RunError {
  return new RunError(`this ${role} stood still, and another ${role} of its account has started`, {
    field: "account",
    value: account,
    expected: `one ${role} per account`,
  });
}

function heldError(account: Hex, role: LockedRole, pid: number): RunError {
  const which = {
    bot: "another bot on this machine trades this account",
    guard: "another guard on this machine watches this account",
    notifier: "another process on this machine sends this account's events",
  }[role];
  return new RunError(`${which} (process ${pid})`, {
    field: "account",
    value: account,
    expected:
      role === "bot"
        ? "one bot per account; a dry run beside it needs its own key, which need not be registered"
        : role === "guard"
          ? "one guard per account"
          : "one sender per account: a guard sends too",
  });
}
