import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { RunError } from "../core/errors.js";
import type { Hex } from "../core/units.js";
import { someoneListens } from "./control-server.js";
import { runtimeDir } from "./running-bots.js";

/** The right to trade an account on this machine, held until it is given back or the process ends. */
export interface AccountLock {
  release(): Promise<void>;
}

/**
 * Takes the right to trade an account. It is a listening socket, which the kernel lets go of when the process dies
 * by whatever signal, so a killed bot leaves no stale lock: on Linux an abstract one, which has no file at all.
 * @throws RunError when another bot holds it.
 */
export async function lockAccount(account: Hex, env: Readonly<Record<string, string | undefined>>): Promise<AccountLock> {
  const name = `marketwright-${account.toLowerCase()}`;
  const address = process.platform === "linux" ? `\0${name}` : join(runtimeDir(env), `${name.slice(0, 34)}.lock`);
  if (process.platform !== "linux" && !(await someoneListens(address))) rmSync(address, { force: true });
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(lockError(cause, account)));
    server.listen(address, resolve);
  });
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

function lockError(cause: Error, account: Hex): RunError {
  const held = "code" in cause && cause.code === "EADDRINUSE";
  return new RunError(held ? "another bot on this machine trades this account" : `cannot lock the account (${cause.message})`, {
    field: "account",
    value: account,
    expected: "one bot an account",
    cause,
  });
}
