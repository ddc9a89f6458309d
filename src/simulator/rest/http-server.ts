import type { IncomingMessage } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import fastify, { type ConnectionError, type FastifyReply, type FastifyRequest } from "fastify";
import { WebSocketServer } from "ws";
import { RunError } from "../../core/errors.js";
import { isKnownHost } from "../../core/http/host-header.js";
import { HTTP_BOUNDS } from "../../core/http/http-bounds.js";
import { isFromWebPage } from "../../core/http/web-page.js";
import type { EmbeddedExchange } from "../exchange.js";
import { EXCHANGE_FAULT_FORMAT } from "../faults/exchange-fault-format.js";
import type { FaultFormat } from "../faults/fault-format.js";
import type { FaultInjector } from "../faults/fault-injector.js";
import { sendFaultyAnswer } from "../faults/send-faulty-answer.js";
import { serveDocumentation } from "../openapi/serve-documentation.js";
import { SocketSink } from "../streams/socket-sink.js";
import type { StreamSink } from "../streams/stream-sink.js";
import { WaitingSockets } from "../streams/waiting-sockets.js";
import {
  ApiError,
  type ApiResponse,
  formatErrorBody,
  JSON_TYPE,
  toErrorResponse,
} from "./api-error.js";
import { decideCors } from "./cross-origin.js";
import type { ApiRequest } from "./parameters.js";

/** Far above any request or stream message of the interface. */
const LARGEST_MESSAGE_BYTES = 65_536;
/** Methods that change nothing. */
const READING_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** An interface of an exchange: its own, or a dialect's. */
export type ServedInterface = Pick<
  EmbeddedExchange,
  "config" | "respond" | "connect" | "start" | "stop"
>;

/** An exchange that listens on a port. */
export interface ExchangeServer {
  /** The actual port, which the configuration may leave open. */
  readonly port: number;
  /** Host and port: `127.0.0.1:8620`. */
  readonly authority: string;
  /** Base address of REST: `http://127.0.0.1:8620/v1`. */
  readonly restUrl: string;
  /** Base address of the streams: `ws://127.0.0.1:8620/v1`. */
  readonly streamUrl: string;
  /** Stops the exchange, closes every connection and frees the port. */
  close(): Promise<void>;
}

/** Options of a server besides the exchange. */
export interface ServerOptions {
  /** Called with internal errors of the exchange, which its clients see as 500. */
  readonly onFault?: (error: unknown) => void;
  /**
   * Strikes requests and streams on purpose; the caller makes it from `faults` of the configuration
   * (docs/reference/exchange-faults.md).
   */
  readonly faults?: FaultInjector | undefined;
  /** The interface that is served, as the faults see it; the exchange's own when left out. */
  readonly faultFormat?: FaultFormat;
  /** Serves `/openapi.json` and `/docs`, which describe its own interface. Default: true. */
  readonly documents?: boolean;
}

/**
 * Serves an exchange on its configured host and port, and starts it once the port is open.
 * @throws RunError when the port is in use or the host is not this machine's
 */
export async function serveExchange(
  exchange: ServedInterface,
  {
    onFault = () => {},
    faults,
    faultFormat = EXCHANGE_FAULT_FORMAT,
    documents = true,
  }: ServerOptions = {},
): Promise<ExchangeServer> {
  const { host, port, maxConnections } = exchange.config;
  const hosts = [host, ...exchange.config.allowedHosts];
  const { maxHeaderSize, connectionsCheckingInterval, requestTimeout, headersTimeout, timeout } =
    HTTP_BOUNDS;
  const app = fastify({
    bodyLimit: LARGEST_MESSAGE_BYTES,
    requestTimeout,
    connectionTimeout: timeout,
    http: { maxHeaderSize, connectionsCheckingInterval, headersTimeout },
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    clientErrorHandler: refuseGarbage,
    frameworkErrors: (error, _request, reply) =>
      sendAnswer(reply, { status: error.statusCode ?? 400, body: badRequest(error.message) }),
  });
  // The exchange parses bodies itself, since the signature is over their exact characters.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  const fail = (error: unknown): ApiResponse => {
    onFault(error);
    return toErrorResponse(new ApiError(2010, "the exchange failed"), exchange.config.choices);
  };
  const answer = (request: ApiRequest): ApiResponse | Promise<ApiResponse> => {
    try {
      const answered = exchange.respond(request);
      return answered instanceof Promise ? answered.catch(fail) : answered;
    } catch (error) {
      return fail(error);
    }
  };
  const answered = (request: FastifyRequest, reply: FastifyReply) => {
    const asked = toApiRequest(request);
    if (faults === undefined) {
      const found = answer(asked);
      return found instanceof Promise
        ? found.then((late) => sendAnswer(reply, late))
        : sendAnswer(reply, found);
    }
    const send = (found: ApiResponse) => sendAnswer(reply, found);
    const found = faults.answer(faultFormat.toRequest(asked), () => answer(asked));
    return found instanceof Promise
      ? found.then((late) => sendFaultyAnswer(reply, late, send))
      : sendFaultyAnswer(reply, found, send);
  };
  app.server.maxConnections = maxConnections;
  app.addHook("onRequest", (request, reply, done) => {
    const refusal = refusalOf(request.raw, hosts);
    if (refusal !== null) {
      void sendAnswer(reply, refusal);
      return;
    }
    const { mayRead, headers } = decideCors(request.raw, exchange.config.corsOrigins);
    reply.headers(headers);
    if (mayRead && request.method === "OPTIONS") void reply.code(204).send();
    else done();
  });
  if (documents) serveDocumentation(app, exchange.config);
  app.all("*", answered);
  // Methods that the server parses but does not route.
  app.setNotFoundHandler(answered);
  app.setErrorHandler((error: { statusCode?: number; message: string }, _request, reply) => {
    const status = error.statusCode ?? 500;
    return sendAnswer(
      reply,
      status < 500 ? { status, body: badRequest(error.message) } : fail(error),
    );
  });
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: LARGEST_MESSAGE_BYTES,
  });
  const wrap = (sink: StreamSink, url: string): StreamSink =>
    faults === undefined ? sink : faults.wrap(sink, faultFormat.toStream(url));
  const waiting = new WaitingSockets();
  app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const open = (): void => {
      waiting.delete(request.socket);
      if (socket.destroyed) return;
      try {
        upgrade(exchange, { sockets, wrap }, request, socket, head);
      } catch (error) {
        refuse(socket, fail(error));
      }
    };
    const refusal = refusalOf(request, hosts);
    if (refusal !== null) return refuse(socket, refusal);
    if (faults === undefined) return open();
    const opening = faults.upgrade(faultFormat.toStream(request.url ?? "/"), open);
    if (opening === "waits") waiting.add(request.socket);
    else if (opening !== "opened") refuse(socket, opening.refused);
  });
  try {
    await app.listen({ host, port });
  } catch (cause) {
    throw listenError(cause, host, port);
  }
  exchange.start();
  const address = app.server.address();
  const open = typeof address === "object" && address !== null ? address.port : port;
  const authority = `${host.includes(":") ? `[${host}]` : host}:${open}`;
  return {
    port: open,
    authority,
    restUrl: `http://${authority}/v1`,
    streamUrl: `ws://${authority}/v1`,
    async close() {
      exchange.stop();
      for (const client of sockets.clients) {
        client.terminate();
      }
      waiting.destroyAll();
      await app.close();
    },
  };
}

/**
 * Returns the refusal of a request that a web page may have sent through the user's browser. That
 * is one under a host name that a page made to resolve to this machine, or one that changes
 * something and comes from a page. Only the browser's user reaches a loopback port, and unsigned
 * requests (`POST /faucet`, `POST /v1/account`) have no other protection.
 */
function refusalOf(request: IncomingMessage, hosts: readonly string[]): ApiResponse | null {
  if (!isKnownHost(request.headers.host, hosts))
    return forbidden("the Host header is not a host of this exchange: see allowedHosts");
  const isChange = !READING_METHODS.has(request.method ?? "");
  return isChange && isFromWebPage(request.headers)
    ? forbidden("web pages may only read: this request would change state")
    : null;
}

function forbidden(message: string): ApiResponse {
  return { status: 403, body: badRequest(message) };
}

function toApiRequest(request: FastifyRequest): ApiRequest {
  const url = request.raw.url ?? "/";
  const mark = url.indexOf("?");
  const contentType = request.headers["content-type"];
  return {
    method: request.method,
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? "" : url.slice(mark + 1),
    body: typeof request.body === "string" ? request.body : "",
    contentType,
    headers: request.headers,
    ip: request.ip,
  };
}

function sendAnswer(reply: FastifyReply, { status, body, headers }: ApiResponse): FastifyReply {
  // Fastify removes the content type of an empty response, so the headers are set on the raw
  // response.
  for (const [name, value] of Object.entries(headers ?? {})) {
    reply.raw.setHeader(name, value);
  }
  return body === ""
    ? reply.code(status).send()
    : reply
        .code(status)
        .type(headers?.["content-type"] ?? JSON_TYPE)
        .send(body);
}

interface StreamServer {
  readonly sockets: WebSocketServer;
  /** Returns the sink of a stream at this address, with faults if there are any. */
  wrap(sink: StreamSink, url: string): StreamSink;
}

/** Opens a stream; a refused one gets an HTTP response before there is a websocket. */
function upgrade(
  exchange: ServedInterface,
  { sockets, wrap }: StreamServer,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const sink = new SocketSink();
  const url = request.url ?? "/";
  const connection = exchange.connect(url, wrap(sink, url), request.socket.remoteAddress ?? "");
  if ("refused" in connection) {
    refuse(socket, connection.refused);
    return;
  }
  // A handshake that ws refuses, or a peer that disconnects during it, ends the stream as well.
  const leave = () => connection.closed();
  socket.once("close", leave);
  sockets.handleUpgrade(request, socket, head, (websocket) => {
    socket.off("close", leave);
    sink.attach(websocket, connection);
  });
}

/**
 * Answers data that is not HTTP in the exchange's own form, if it can still be written, and ends
 * the connection.
 */
function refuseGarbage(error: ConnectionError, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const status =
    error.code === "HPE_HEADER_OVERFLOW"
      ? 431
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? 408
        : 400;
  refuse(socket, { status, body: badRequest(STATUS_CODES[status] ?? "Bad Request") });
}

function badRequest(message: string): string {
  return formatErrorBody(1111, "Bad params", message);
}

function refuse(socket: Duplex, { status, body, headers = {} }: ApiResponse): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    ...Object.entries({ "content-type": JSON_TYPE, ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

function listenError(cause: unknown, host: string, port: number): RunError {
  const code =
    typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  if (code === "EADDRINUSE") {
    return new RunError("the exchange's port is in use", {
      field: "port",
      value: port,
      expected: "a free port, or 0 for any free port",
      cause,
    });
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new RunError("is not an address of this machine", {
      field: "host",
      value: host,
      expected: "an address of this machine, such as 127.0.0.1",
      cause,
    });
  }
  return new RunError("the exchange cannot listen", {
    field: "host, port",
    value: `${host}:${port}`,
    expected: "a free port",
    cause,
  });
}
