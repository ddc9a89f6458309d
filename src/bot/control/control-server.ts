import { createHash } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { findSchemaViolation } from "../../core/config/schema-violation.js";
import { maskSecrets } from "../../core/crypto/secrets.js";
import { ConfigError, RunError } from "../../core/errors.js";
import type { Ms } from "../../core/units.js";
import { runtimeDir } from "../state/running-bots.js";
import {
  type AnsweredCommand,
  type ControlCommand,
  type ControlResponse,
  controlCommandSchema,
  controlError,
  encodeControlResponse,
  LineReader,
} from "./control-protocol.js";
import { FrameWatch, type WatchSource } from "./frame-watch.js";

/**
 * Longest path of a Unix socket on the systems that Node runs on (sockaddr_un), less its
 * terminator.
 */
const LONGEST_SOCKET_PATH = 103;

/** Most connections open at once: a command holds one for a moment. */
const MAX_CONNECTIONS = 32;
/** Longest time for which a connection may be idle. */
const IDLE_MS = 60_000;
/** Most commands of one connection that wait for earlier ones. */
const MAX_WAITING = 100;
/** Most connections that watch: one for each cockpit of this user. Each costs the bot frames. */
const MAX_WATCHES = 8;

/** A listening control socket. */
export interface ControlServer {
  readonly socketPath: string;
  close(): Promise<void>;
}

/** Executes a command. Its result is the response's data, its rejection the response's error. */
export type ControlHandler = (command: AnsweredCommand) => Promise<unknown>;

/**
 * Path of the control socket of a state directory: in it, or in the user runtime directory if the
 * path is too long for a socket.
 */
export function controlSocketPath(
  stateDir: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const inside = join(stateDir, "control.sock");
  if (Buffer.byteLength(inside) <= LONGEST_SOCKET_PATH) return inside;
  const name = createHash("sha256").update(stateDir).digest("hex").slice(0, 16);
  return join(runtimeDir(env), `${name}.sock`);
}

/**
 * Listens for commands on a Unix socket that only its owner may open (mode 0600). Replaces the
 * socket that a killed bot left behind.
 * @throws RunError if a live bot listens there, or the folder cannot be written.
 */
export async function startControlServer(
  socketPath: string,
  handler: ControlHandler,
  source?: WatchSource,
): Promise<ControlServer> {
  if (await isListening(socketPath)) {
    throw new RunError("another bot listens on this control socket", {
      field: "stateDir",
      value: socketPath,
      expected: "one bot per state directory",
    });
  }
  rmSync(socketPath, { force: true });
  const sockets = new Set<Socket>();
  const watches = new Set<FrameWatch>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serve(socket, handler, (everyMs) => watch(socket, everyMs));
  });
  const watch = (socket: Socket, everyMs: Ms): void => {
    const known = [...watches].find((one) => one.socket === socket);
    if (source === undefined)
      throw new RunError("this bot sends no frames", { field: "command", value: "watch" });
    if (known === undefined && watches.size >= MAX_WATCHES)
      throw new RunError("too many connections watch this bot", {
        field: "command",
        value: "watch",
        expected: `at most ${MAX_WATCHES}: close a cockpit`,
      });
    known?.stop();
    const begun = new FrameWatch(socket, everyMs, source, () => watches.delete(begun));
    watches.add(begun);
    begun.start();
  };
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, socketPath);
  chmodSync(socketPath, 0o600);
  return {
    socketPath,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroySoon();
      }),
  };
}

/** True if a process accepts connections on a Unix socket. */
export function isListening(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(socketPath);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    // A bot with many commands waiting has no room for one more, and listens all the same.
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "EAGAIN"));
  });
}

function serve(socket: Socket, handler: ControlHandler, watch: (everyMs: Ms) => void): void {
  const reader = new LineReader();
  let answers: Promise<void> = Promise.resolve();
  let waiting = 0;
  socket.setEncoding("utf8");
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  // A client that disconnected does not need its response; the command itself was executed.
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: string) => {
    const lines = reader.push(chunk);
    if (lines === undefined) {
      socket.end(
        encodeControlResponse(
          controlError(
            new ConfigError("line is too long", {
              field: "command",
              expected: "one JSON object per line",
            }),
          ),
        ),
      );
      return;
    }
    waiting += lines.length;
    if (waiting > MAX_WAITING) {
      socket.end(
        encodeControlResponse(
          controlError(
            new ConfigError("too many commands wait", {
              field: "command",
              expected: `at most ${MAX_WAITING}`,
            }),
          ),
        ),
      );
      return;
    }
    for (const line of lines) {
      answers = answers.then(async () => {
        const answer = await carryOut(line, handler, watch);
        waiting--;
        if (answer !== undefined && socket.writable)
          socket.write(maskSecrets(encodeControlResponse(answer)));
      });
    }
  });
}

/** Executes one line. Undefined for a `watch` that has begun: its frames are the response. */
async function carryOut(
  line: string,
  handler: ControlHandler,
  watch: (everyMs: Ms) => void,
): Promise<ControlResponse | undefined> {
  try {
    const command = parseCommand(line);
    if (command.command === "watch") {
      watch(command.everyMs);
      return undefined;
    }
    return { ok: true, data: (await handler(command)) ?? null };
  } catch (cause) {
    return controlError(cause);
  }
}

function parseCommand(line: string): ControlCommand {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new ConfigError("is not JSON", {
      field: "command",
      value: line,
      expected: 'one object such as {"command":"status"}',
      cause,
    });
  }
  const result = controlCommandSchema.safeParse(value);
  if (result.success) return result.data;
  const { path, value: held, expected } = findSchemaViolation(result.error, value);
  if (path === "" || path === "command")
    throw new ConfigError("is not a command", {
      field: "command",
      value: held,
      expected: "status, halt, resume, flatten, set, reload, watch, preview or cockpit-link",
    });
  throw new ConfigError("does not match the fields of the command", {
    field: path,
    value: held,
    expected,
  });
}

function listen(server: Server, socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) =>
      reject(
        new RunError(`cannot open the control socket (${cause.message})`, {
          field: "stateDir",
          value: socketPath,
          expected: "a folder for sockets",
          cause,
        }),
      ),
    );
    server.listen(socketPath, resolve);
  });
}
