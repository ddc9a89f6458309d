import { createHash } from "node:crypto";
import { unlink } from "node:fs/promises";
import { createConnection, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RunError } from "../core/errors.js";
import type { Clock } from "../core/seam.js";
import type { Hex } from "../core/units.js";

/** Whose lock it is. */
export interface AccountLockOptions {
  readonly account: Hex;
  /** `host:port` of the exchange's REST address: the same account on another exchange is another account. */
  readonly exchangeHost: string;
  /** Bounds the question who holds the lock, when that process does not answer. */
  readonly clock: Clock;
  /** Where the lock lives: the kernel's abstract names (the default on Linux), or a socket file in the machine's temporary folder. */
  readonly place?: "abstract" | "file";
}

/** The lock, held until it is released or the process ends, however it ends. */
export interface AccountLock {
  release(): Promise<void>;
}

const ASK_HOLDER_MS = 500;

/**
 * Makes this process the only bot of the account on this machine.
 *
 * The lock is a listening Unix socket. The kernel closes it with the process, a `kill -9` included, so that no stale lock can be left
 * and no process id has to be believed. On Linux its name is abstract: it belongs to no folder and no user, so that two bots with
 * different state directories still meet. Elsewhere it is a socket file, found stale by connecting to it.
 *
 * Its limits: two processes that find the same stale file in the same instant could both take it (files alone: an abstract name cannot be
 * stale); an abstract name is seen within one network namespace (two containers do not see each other), and a file within one
 * temporary folder; it says nothing about other machines; and any local user could take the name first, which stops the bot but harms
 * no order.
 *
 * @throws RunError when another process holds it, or the socket cannot be made.
 */
export async function acquireAccountLock(options: AccountLockOptions): Promise<AccountLock> {
  const { account, exchangeHost } = options;
  const inFile = (options.place ?? (process.platform === "linux" ? "abstract" : "file")) === "file";
  const name = `marketwright-${digestOf(`${account.toLowerCase()}@${exchangeHost.toLowerCase()}`)}`;
  const path = inFile ? join(tmpdir(), `${name}.lock`) : `\0${name}`;
  // A second attempt follows the one stale file that a dead process may have left.
  for (let attempt = 1; ; attempt++) {
    const server = createServer((socket) => {
      // Who asks may be gone before the answer: that is no concern of the lock.
      socket.on("error", () => socket.destroy());
      socket.end(String(process.pid));
    });
    const failure = await listen(server, path);
    if (failure === undefined) {
      server.unref();
      return { release: () => new Promise((resolve) => server.close(() => resolve())) };
    }
    if (failure.code !== "EADDRINUSE") {
      throw new RunError("the account's lock cannot be made", { field: "lock", value: path.replace("\0", "@"), cause: failure });
    }
    const holder = await askHolder(path, options.clock);
    if (holder === "nobody" && inFile && attempt === 1) {
      await unlink(path).catch((cause: NodeJS.ErrnoException) => {
        if (cause.code !== "ENOENT") throw new RunError("a stale lock cannot be removed", { field: "lock", value: path, cause });
      });
      continue;
    }
    throw new RunError(`another bot of this account runs on this machine${/^\d+$/.test(holder) ? `, process ${holder}` : ""}`, {
      field: "account",
      value: account,
      expected: `one bot an account on ${exchangeHost}; stop the other first`,
    });
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 40);
}

function listen(server: Server, path: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    server.once("error", resolve);
    server.listen(path, () => {
      server.removeListener("error", resolve);
      resolve(undefined);
    });
  });
}

/** The process id that the holder tells, "nobody" when nothing listens, or "silent" when something listens and does not answer. */
function askHolder(path: string, clock: Clock): Promise<string> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    let told = "";
    let isConnected = false;
    const timer = clock.setTimer(ASK_HOLDER_MS, () => finish("silent"));
    const finish = (holder: string) => {
      timer.cancel();
      socket.destroy();
      resolve(holder);
    };
    socket.on("connect", () => {
      isConnected = true;
    });
    socket.on("data", (chunk) => {
      told = (told + chunk.toString("latin1")).slice(0, 20);
    });
    socket.on("end", () => finish(told));
    socket.on("error", () => finish(isConnected ? "silent" : "nobody"));
  });
}
