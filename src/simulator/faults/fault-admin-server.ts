import type { IncomingMessage } from "node:http";
import fastify, { type FastifyReply } from "fastify";
import { checkShape } from "../../core/config/config-shape.js";
import { ConfigError, MarketwrightError, RunError } from "../../core/errors.js";
import { isKnownHost } from "../../core/http/host-header.js";
import { HTTP_BOUNDS } from "../../core/http/http-bounds.js";
import { isFromWebPage } from "../../core/http/web-page.js";
import { checkFaultNames } from "./check-fault-names.js";
import type { FaultNames } from "./fault-names.js";
import type { FaultSchedule } from "./fault-schedule.js";
import { faultShape } from "./fault-shape.js";

/** The only address that it listens on. */
const HOST = "127.0.0.1";
const PATH = "/faults";
const LARGEST_BODY_BYTES = 65_536;
const TOO_LARGE = 413;
const EXAMPLE = 'a fault, such as {"kind":"answer-lost","forMs":10000}';
const MOST_CONNECTIONS = 64;

/** A running admin endpoint. */
export interface FaultAdminServer {
  readonly port: number;
  /** `http://127.0.0.1:8621/faults` */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the faults of an exchange to programs of this machine
 * (docs/reference/exchange-faults.md#the-admin-endpoint). It answers no web page.
 * @param spoken the names of the interfaces that the exchange serves.
 * @param port 0 takes a free one.
 * @throws RunError if the port cannot be opened
 */
export async function serveFaultAdmin(
  schedule: FaultSchedule,
  spoken: readonly FaultNames[],
  port: number,
): Promise<FaultAdminServer> {
  const { maxHeaderSize, connectionsCheckingInterval, requestTimeout, headersTimeout, timeout } =
    HTTP_BOUNDS;
  const app = fastify({
    bodyLimit: LARGEST_BODY_BYTES,
    requestTimeout,
    connectionTimeout: timeout,
    http: { maxHeaderSize, connectionsCheckingInterval, headersTimeout },
    forceCloseConnections: true,
    exposeHeadRoutes: false,
  });
  app.server.maxConnections = MOST_CONNECTIONS;
  // curl names a form, whatever it sends.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  app.addHook("onRequest", (request, reply, done) => {
    const refusal = findRefusal(request.raw);
    if (refusal === undefined) done();
    else void sendError(reply, 403, refusal);
  });
  app.get(PATH, () => ({ faults: schedule.list() }));
  app.post(PATH, (request, reply) => {
    const fault = checkShape(faultShape, readFault(request.body));
    checkFaultNames(fault, spoken);
    return reply.code(201).send(schedule.add(fault));
  });
  app.delete(PATH, () => ({ faults: schedule.endAll() }));
  app.delete(`${PATH}/:id`, (request) => {
    const { id } = request.params as { readonly id: string };
    return schedule.end(id);
  });
  app.setNotFoundHandler((request, reply) =>
    sendError(
      reply,
      404,
      new ConfigError("is not a request of this endpoint", {
        field: "request",
        value: `${request.method} ${request.url}`,
        expected: `GET, POST or DELETE ${PATH}, or DELETE ${PATH}/ID`,
      }),
    ),
  );
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, _request, reply) => {
    if (error instanceof MarketwrightError)
      return sendError(reply, error.field === "id" ? 404 : 400, error);
    if (error.statusCode === TOO_LARGE) return sendError(reply, TOO_LARGE, bodyTooLarge());
    return sendError(reply, error.statusCode ?? 500, new RunError(error.message));
  });
  try {
    await app.listen({ host: HOST, port });
  } catch (cause) {
    throw new RunError("the port of the faults cannot be opened", {
      field: "faults.adminPort",
      value: port,
      expected: "a free port, or 0 for any free port",
      cause,
    });
  }
  const address = app.server.address();
  const open = typeof address === "object" && address !== null ? address.port : port;
  return { port: open, url: `http://${HOST}:${open}${PATH}`, close: () => app.close() };
}

/**
 * Refuses a request that a web page may have sent through the user's browser: one under another
 * host name, or one with an origin.
 */
function findRefusal({ headers }: IncomingMessage): ConfigError | undefined {
  if (!isKnownHost(headers.host, []))
    return new ConfigError("is not a name of this machine", {
      field: "Host",
      value: headers.host,
      expected: "localhost or an IP address",
    });
  return isFromWebPage(headers)
    ? new ConfigError("requests from web pages are refused", {
        field: "Origin",
        value: headers.origin,
        expected: "a request of a program, without Origin",
      })
    : undefined;
}

function readFault(body: unknown): unknown {
  const fault = readJson(body);
  if (typeof fault === "object" && fault !== null && !Array.isArray(fault)) return fault;
  throw new ConfigError("is not a mapping", { field: "body", value: fault, expected: EXAMPLE });
}

function readJson(body: unknown): unknown {
  try {
    return JSON.parse(typeof body === "string" ? body : "");
  } catch (cause) {
    throw new ConfigError("is not JSON", {
      field: "body",
      value: body ?? "",
      expected: EXAMPLE,
      cause,
    });
  }
}

function bodyTooLarge(): ConfigError {
  return new ConfigError("is too large", {
    field: "body",
    expected: `at most ${LARGEST_BODY_BYTES} bytes`,
  });
}

function sendError(
  reply: FastifyReply,
  status: number,
  { message, field, value, expected }: MarketwrightError,
): FastifyReply {
  return reply.code(status).send({ error: { message, field, value, expected } });
}
