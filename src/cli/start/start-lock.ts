import { join } from "node:path";
import { runtimeDir } from "../../bot/state/running-bots.js";
import { RunError } from "../../core/errors.js";
import { ProcessLock } from "../../core/files/process-lock.js";
import type { ExchangeConfig } from "../../simulator/config/config.js";
import type { CliContext } from "../cli-context.js";

/**
 * Acquires the right to be the one `marketwright start` with an exchange at an address. A start on
 * any free port needs none.
 * @throws RunError that names the process of the other start
 */
export async function lockStartAddress(
  { env }: CliContext,
  { host, port }: ExchangeConfig,
): Promise<() => void> {
  if (port === 0) return () => {};
  return lockStart(
    join(runtimeDir(env), `start-${host}-${port}.lock`),
    `has the exchange at ${host}:${port}`,
  );
}

/** The same for a state folder that the bot's file names. */
export function lockStartFolder(directory: string): Promise<() => void> {
  return lockStart(join(directory, "start.lock"), `has the state folder ${directory}`);
}

async function lockStart(path: string, what: string): Promise<() => void> {
  // A container that restarts right after a kill finds its own lock a moment old.
  const lock = await ProcessLock.takeOrWait(path);
  if (lock instanceof ProcessLock) return () => lock.release();
  throw new RunError(`another start is running: process ${lock} ${what}`, {
    expected:
      "one start at a time, or another file and other ports: --port, --rpc-port, --metrics-port, --cockpit-port",
  });
}
