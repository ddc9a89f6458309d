import { createServer, type Server, type ServerResponse } from "node:http";
import { RunError } from "../core/errors.js";
import { isKnownHost } from "../core/http/host-header.js";
import { HTTP_BOUNDS } from "../core/http/http-bounds.js";
import type { Metrics } from "./metrics.js";

/**
 * Most concurrent connections. A monitor needs one or two. Without a limit, one reader could take
 * every file descriptor that the bot needs for its orders and its state.
 */
const MAX_CONNECTIONS = 64;
/** Longest time that an idle connection is kept for the next scrape. */
const KEEP_ALIVE_MS = 20_000;
const TEXT = "text/plain; charset=utf-8";

const UNKNOWN_HOST =
  "The Host header names neither an address nor a loopback name: add the name to metrics.allowedHosts in the bot's file.\n";

/** The quoting state of the bot, with the reason if it does not quote. */
export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

/** A running metrics endpoint. */
export interface MetricsServer {
  /** Address it listens on; the port is the real one when 0 was configured. */
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Listen address and content of the endpoint. */
interface MetricsServerOptions {
  readonly host: string;
  readonly port: number;
  readonly metrics: Metrics;
  readonly readiness: () => Readiness;
  /** Host names that requests may use, beside addresses and loopback names. */
  readonly allowedHosts?: readonly string[];
  /** Called before each page, to set the gauges to their current values. */
  readonly sample?: () => void;
}

/**
 * Serves `/metrics`, `/healthz` and `/readyz`.
 * @throws RunError when the port is taken or the address is not this machine's.
 */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { host, port, metrics, readiness, sample, allowedHosts = [] } = options;
  const hosts = [host, ...allowedHosts];
  const server = createServer(
    { ...HTTP_BOUNDS, keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => {
      const path = (request.url ?? "/").split("?", 1)[0];
      if (!isKnownHost(request.headers.host, hosts)) answer(response, 403, TEXT, UNKNOWN_HOST);
      else if (request.method !== "GET" && request.method !== "HEAD") {
        response.setHeader("allow", "GET, HEAD");
        answer(response, 405, TEXT, "GET only\n");
      } else if (path === "/healthz") answer(response, 200, TEXT, "ok\n");
      else if (path === "/readyz") ready(response, readiness());
      else if (path === "/metrics") {
        sample?.();
        metrics.page().then(
          (page) => answer(response, 200, metrics.registry.contentType, page),
          (cause: unknown) =>
            answer(
              response,
              500,
              TEXT,
              `${cause instanceof Error ? cause.message : String(cause)}\n`,
            ),
        );
      } else answer(response, 404, TEXT, "one of /metrics, /healthz, /readyz\n");
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = HTTP_BOUNDS.timeout;
  await listen(server, host, port);
  const address = server.address();
  return {
    host,
    port: typeof address === "object" && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function ready(response: ServerResponse, { ready: isReady, reasons }: Readiness): void {
  const body = JSON.stringify({ ready: isReady, reasons });
  answer(response, isReady ? 200 : 503, "application/json; charset=utf-8", `${body}\n`);
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => reject(listenError(cause, host, port)));
    server.listen({ host, port }, resolve);
  });
}

function listenError(cause: Error, host: string, port: number): RunError {
  const code = "code" in cause ? String(cause.code) : cause.message;
  if (code === "EADDRINUSE")
    return new RunError("is in use", {
      field: "metrics.port",
      value: port,
      expected: `a free port on ${host}, or 0 for any`,
      cause,
    });
  if (code === "EACCES")
    return new RunError("needs rights that this user does not have", {
      field: "metrics.port",
      value: port,
      expected: "a port from 1024",
      cause,
    });
  return new RunError(`cannot be listened on (${code})`, {
    field: "metrics.host",
    value: host,
    expected: "an address of this machine",
    cause,
  });
}
