import type { IncomingMessage } from "node:http";
import fastify from "fastify";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { RunError } from "../../../core/errors.js";
import { isKnownHost } from "../../../core/http/host-header.js";
import { HTTP_BOUNDS } from "../../../core/http/http-bounds.js";
import { isFromWebPage } from "../../../core/http/web-page.js";
import type { Clock } from "../../../core/runtime/runtime.js";
import type { Hex } from "../../../core/units.js";
import type { ChainRpcConfig } from "../chain-config.js";
import type { EmbeddedChain } from "../embedded-chain.js";
import { CallBudget } from "./call-budget.js";
import { RpcFilters } from "./rpc-filters.js";
import { RpcSession, type RpcSessionDeps, rpcErrorText } from "./rpc-session.js";

const JSON_TYPE = "application/json; charset=utf-8";
/**
 * The maximum number of messages of one websocket that wait for a response. Above it the connection
 * is closed.
 */
const MOST_WAITING = 1000;
const MOST_UNREAD_BYTES = 16_777_216;

/** The share of the chain's time that all clients of a port may use. */
const BUDGET = { mostMs: 30_000, share: 0.8, mostWaiting: 256 } as const;

/** Dependencies of a chain server besides its configuration. */
export interface ChainServerDeps {
  readonly clock: Clock;
  /** The exchange's contracts, in lower case. */
  readonly ownContracts: ReadonlySet<Hex>;
  /** Names of this host, besides addresses and loopback names, under which it accepts requests. */
  readonly allowedHosts?: readonly string[];
}

/** A chain that listens on a port. */
export interface ChainServer {
  readonly port: number;
  /** For HTTP: `http://127.0.0.1:8545`. */
  readonly url: string;
  /** For websockets: `ws://127.0.0.1:8545`. */
  readonly streamUrl: string;
  /** Closes every connection and frees the port. The chain keeps running. */
  close(): Promise<void>;
}

/**
 * Serves a chain on a port for any wallet or tool: JSON-RPC 2.0 over HTTP (POST,
 * `application/json`) and websockets. Web pages have no access, since the port signs for any
 * caller.
 * @throws RunError when it cannot listen there
 */
export async function serveChain(
  chain: EmbeddedChain,
  config: ChainRpcConfig,
  { clock, ownContracts, allowedHosts = [] }: ChainServerDeps,
): Promise<ChainServer> {
  const { host, port, maxBodyBytes, maxConnections, devMethods, deployments, foreignGas } = config;
  const policy = {
    devMethods,
    deployments,
    callGasLimit: chain.genesis.callGasLimit,
    foreignGas,
    ownContracts,
  };
  const shared: RpcSessionDeps = {
    chain,
    policy,
    filters: new RpcFilters(chain),
    budget: new CallBudget({ clock, ...BUDGET }),
  };
  const overHttp = new RpcSession(shared, null);
  const { maxHeaderSize, connectionsCheckingInterval, requestTimeout, headersTimeout, timeout } =
    HTTP_BOUNDS;
  const hosts = [host, ...allowedHosts];
  const refusalOf = ({ headers }: IncomingMessage): string | undefined => {
    if (isFromWebPage(headers)) return "requests from web pages are refused";
    return isKnownHost(headers.host, hosts)
      ? undefined
      : "the Host header is not a host of this chain: see allowedHosts of the exchange";
  };
  const app = fastify({
    bodyLimit: maxBodyBytes,
    requestTimeout,
    connectionTimeout: timeout,
    http: { maxHeaderSize, connectionsCheckingInterval, headersTimeout },
    forceCloseConnections: true,
    exposeHeadRoutes: false,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
  app.post("/", async (request, reply) => {
    const refusal = refusalOf(request.raw);
    if (refusal !== undefined)
      return reply.code(403).type(JSON_TYPE).send(rpcErrorText(-32600, refusal));
    const answer = await overHttp.answer(typeof request.body === "string" ? request.body : "");
    return answer === null ? reply.code(204).send() : reply.type(JSON_TYPE).send(answer);
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).type(JSON_TYPE).send(rpcErrorText(-32600, "expected POST /")),
  );
  app.setErrorHandler((error: { statusCode?: number; message: string }, _request, reply) => {
    const status = error.statusCode ?? 500;
    return reply
      .code(status)
      .type(JSON_TYPE)
      .send(rpcErrorText(status < 500 ? -32600 : -32603, error.message));
  });
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxBodyBytes,
    verifyClient: ({ req }: { req: IncomingMessage }) => refusalOf(req) === undefined,
  });
  app.server.on("upgrade", (request: IncomingMessage, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (websocket) => attend(websocket, shared));
  });
  app.server.maxConnections = maxConnections;
  try {
    await app.listen({ host, port });
  } catch (cause) {
    throw new RunError("the chain's port cannot be opened", {
      field: "chain.rpc",
      value: `${host}:${port}`,
      expected: "a free port of this machine, or 0 for any free port",
      cause,
    });
  }
  const address = app.server.address();
  const open = typeof address === "object" && address !== null ? address.port : port;
  const authority = `${host.includes(":") ? `[${host}]` : host}:${open}`;
  return {
    port: open,
    url: `http://${authority}`,
    streamUrl: `ws://${authority}`,
    async close() {
      for (const client of sockets.clients) client.terminate();
      await app.close();
    },
  };
}

/** Answers a websocket's messages in the order of arrival. */
function attend(socket: WebSocket, port: RpcSessionDeps): void {
  const send = (text: string): void => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > MOST_UNREAD_BYTES) socket.terminate();
    else socket.send(text);
  };
  const session = new RpcSession(port, send);
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  socket.on("message", (data: RawData) => {
    waiting += 1;
    if (waiting > MOST_WAITING) {
      socket.terminate();
      return;
    }
    const text = data.toString();
    last = last.then(async () => {
      // Nobody would receive the response, and the request may be expensive.
      const answer = socket.readyState === socket.OPEN ? await session.answer(text) : null;
      waiting -= 1;
      if (answer !== null) send(answer);
    });
  });
  // An error of ws, such as a message that is too large, ends the connection. There is no client to
  // inform.
  socket.on("error", () => socket.terminate());
  // A stopped chain has no subscription to end.
  socket.once("close", () => void last.then(() => session.close()).catch(() => {}));
}
