import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { RunError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import { someoneListens } from "../control/control-server.js";
import { runtimeDir } from "./running-bots.js";

/** What an account may have one of on a machine. */
export type LockedRole = "bot" | "guard";

/** The right to be an account's bot or guard on this machine, held until it is given back or the process ends. */
export interface AccountLock {
  release(): Promise<void>;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Takes the right to be the one bot, or the one guard, of an account. It is a listening socket, which the kernel lets go of
 * when the process dies by whatever signal, so a killed process leaves no stale lock: on Linux an abstract one, which has no
 * file at all.
 * @throws RunError when another process holds it.
 */
export async function lockAccount(account: Hex, env: Env, role: LockedRole = "bot"): Promise<AccountLock> {
  const address = addressOf(account, env, role);
  if (process.platform !== "linux" && !(await someoneListens(address))) rmSync(address, { force: true });
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(lockError(cause, account, role)));
    server.listen(address, resolve);
  });
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Whether a process on this machine holds it now. */
export function isLocked(account: Hex, env: Env, role: LockedRole): Promise<boolean> {
  return someoneListens(addressOf(account, env, role));
}

function addressOf(account: Hex, env: Env, role: LockedRole): string {
  const name = `marketwright-${role}-${account.toLowerCase()}`;
  return process.platform === "linux" ? `\0${name}` : join(runtimeDir(env), `${name.slice(0, 40)}.lock`);
}

function lockError(cause: Error, account: Hex, role: LockedRole): RunError {
  const held = "code" in cause && cause.code === "EADDRINUSE";
  const summary = role === "bot" ? "another bot on this machine trades this account" : "another guard on this machine watches this account";
  return new RunError(held ? summary : `cannot lock the account (${cause.message})`, {
    field: "account",
    value: account,
    expected:
      role === "bot"
        ? "one bot an account; a dry run beside it takes a key of its own, which need not be registered"
        : "one guard an account",
    cause,
  });
}
