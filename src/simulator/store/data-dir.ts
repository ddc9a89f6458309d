import { createHash } from "node:crypto";
import { readdirSync, realpathSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { ConfigError, RunError } from "../../core/errors.js";
import { makeFolder } from "../../core/make-folder.js";
import { LmdbRecords } from "./lmdb-records.js";
import type { RecordStore } from "./record-store.js";

/** A folder with an exchange's state, which nobody else uses meanwhile. */
export interface DataDir {
  readonly records: RecordStore;
  /** Closes the state, whole, and lets another process have it. */
  close(): Promise<void>;
}

/**
 * Opens the folder of an exchange's state, or makes it.
 * @throws ConfigError when it is no folder of ours, or another process uses it; RunError when it cannot be opened
 */
export async function openDataDir(path: string): Promise<DataDir> {
  const folder = made(path);
  const lock = await locked(folder);
  try {
    const records = await LmdbRecords.open(folder);
    return {
      records,
      close: async () => {
        await records.close();
        await released(lock);
      },
    };
  } catch (error) {
    await released(lock);
    throw error;
  }
}

function made(path: string): string {
  try {
    makeFolder(path);
    const folder = realpathSync(path);
    const strangers = readdirSync(folder).filter((name) => !name.startsWith("exchange."));
    if (strangers.length > 0) {
      throw new ConfigError(`holds other files (${strangers.slice(0, 3).join(", ")})`, {
        field: "dataDir",
        value: path,
        expected: "a folder of the exchange's own, or one that is empty or not there yet",
      });
    }
    return folder;
  } catch (cause) {
    if (cause instanceof ConfigError) {
      throw cause;
    }
    const expected = `a folder that can be made and written (${cause instanceof Error ? cause.message : String(cause)})`;
    throw new ConfigError("cannot be used", { field: "dataDir", value: path, expected, cause });
  }
}

/**
 * A listening socket, which the kernel lets go of when the process dies by whatever signal, so that a killed process leaves
 * no stale lock: on Linux an abstract one, which has no file at all.
 */
async function locked(folder: string): Promise<Server> {
  const name = `marketwright-exchange-${createHash("sha256").update(folder).digest("hex").slice(0, 32)}`;
  const address = process.platform === "linux" ? `\0${name}` : join(folder, "exchange.lock");
  if (process.platform !== "linux" && !(await someoneListens(address))) {
    rmSync(address, { force: true });
  }
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(lockError(cause, folder)));
    server.listen(address, resolve);
  });
  server.unref();
  return server;
}

function released(lock: Server): Promise<void> {
  return new Promise((resolve) => lock.close(() => resolve()));
}

function someoneListens(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

function lockError(cause: Error, folder: string): Error {
  if ("code" in cause && cause.code === "EADDRINUSE") {
    return new ConfigError("is in use by another exchange", {
      field: "dataDir",
      value: folder,
      expected: "a folder of its own for each",
      cause,
    });
  }
  return new RunError("cannot be locked", { field: "dataDir", value: folder, expected: cause.message, cause });
}
