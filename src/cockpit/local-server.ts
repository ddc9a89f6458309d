import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { RunError } from "../core/errors.js";
import { HTTP_BOUNDS } from "../core/http/http-bounds.js";
import type { Ms } from "../core/units.js";
import { HttpRefusal, sendJson } from "./http-answers.js";
import { checkOrigin } from "./request-checks.js";

/** The only address that it listens on. */
const HOST = "127.0.0.1";
/** From the first byte of a request to its last. */
const REQUEST_MS: Ms = 10_000;
/** Longest time that an idle connection is kept. */
const KEEP_ALIVE_MS: Ms = 5_000;

/** The answers of a server. */
interface Site {
  /** Answers a request; an {@link HttpRefusal} is answered with its status and its message. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends what it has begun, such as streams. */
  close?(): void;
}

/** A server of pages for this machine alone. */
interface LocalServer<T extends Site> {
  readonly port: number;
  readonly site: T;
  /** Closes it, and each connection. */
  close(): Promise<void>;
}

/** Options of {@link serveLocally}. */
interface LocalServerOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** Key or option that has the port, for errors. */
  readonly portField: string;
  readonly maxConnections: number;
}

/**
 * Listens on 127.0.0.1, and refuses requests for another host or of another site.
 * @param create makes the site once the port is known
 * @throws RunError if the port is taken, or may not be used
 */
export async function serveLocally<T extends Site>(
  { port, portField, maxConnections }: LocalServerOptions,
  create: (port: number) => T,
): Promise<LocalServer<T>> {
  const server = createServer({
    ...HTTP_BOUNDS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  server.maxConnections = maxConnections;
  server.timeout = HTTP_BOUNDS.timeout;
  await listen(server, port, portField);
  const address = server.address();
  const opened = typeof address === "object" && address !== null ? address.port : port;
  const site = create(opened);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    checkOrigin(request, opened);
    await site.answer(request, response);
  };
  server.on("request", (request, response) => {
    answer(request, response).catch((cause: unknown) => refuse(request, response, cause));
  });
  return {
    port: opened,
    site,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        site.close?.();
        server.closeAllConnections();
      }),
  };
}

/** Answers a request that failed. */
function refuse(request: IncomingMessage, response: ServerResponse, cause: unknown): void {
  if (response.headersSent || !response.writable) return void response.destroy();
  const isRefusal = cause instanceof HttpRefusal;
  const status = isRefusal ? cause.status : 500;
  const message = cause instanceof Error ? cause.message : String(cause);
  // The rest of a body that is not read would be taken for the next request.
  const headers: Record<string, string> = request.complete ? {} : { connection: "close" };
  const error = { name: isRefusal ? cause.name : "Error", message };
  sendJson(response, status, JSON.stringify({ ok: false, error }), headers);
}

function listen(server: Server, port: number, field: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => reject(listenError(cause, port, field)));
    server.listen({ host: HOST, port }, resolve);
  });
}

function listenError(cause: Error, port: number, field: string): RunError {
  const code = "code" in cause ? String(cause.code) : cause.message;
  const [summary, expected] =
    code === "EADDRINUSE"
      ? ["is in use", "a free port, or 0 for any"]
      : code === "EACCES"
        ? ["needs rights that this user does not have", "a port from 1024"]
        : [`cannot be listened on (${code})`, "a port of this machine"];
  return new RunError(summary, { field, value: port, expected, cause });
}
