import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { RunError } from "../core/errors.js";
import { HTTP_BOUNDS } from "../core/http/http-bounds.js";
import type { Runtime } from "../core/runtime/runtime.js";
import { AccessControl } from "./access-control.js";
import { BotDirectory } from "./bot-directory.js";
import { CommandForwarder } from "./command-forwarder.js";
import { HttpRefusal, readJsonBody, sendBody, sendJson, writeHead } from "./http-answers.js";
import { type PageFile, readPageFiles } from "./page-files.js";
import { MOST_PAGES, PageStreams } from "./page-streams.js";
import { checkCsrfHeader, checkOrigin, readCookie } from "./request-checks.js";

/** The only address that it listens on. */
const HOST = "127.0.0.1";
/** Most connections: each page holds its stream, and one more for a moment. */
const MAX_CONNECTIONS = 4 * MOST_PAGES;
/** From the first byte of a request to its last. */
const REQUEST_MS = 10_000;
/** Longest time that an idle connection is kept. */
const KEEP_ALIVE_MS = 5_000;

/** A running cockpit server. */
export interface CockpitServer {
  readonly port: number;
  /** A token for a fresh link. */
  createToken(): string;
  close(): Promise<void>;
}

/** Options of {@link startCockpitServer}. */
interface CockpitServerOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** Names the folder of the running bots' entries. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtime: Runtime;
  /** Folder of the built page. */
  readonly pageFolder: string;
  /** Called when a browser has used a link. */
  readonly onSession?: () => void;
  readonly onTrouble?: (why: string) => void;
}

/**
 * Serves the page of all running bots of this user. It reaches the bots only through their control
 * sockets.
 * @throws RunError if the port is taken, or may not be used.
 */
export async function startCockpitServer(options: CockpitServerOptions): Promise<CockpitServer> {
  const server = createServer({
    ...HTTP_BOUNDS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = HTTP_BOUNDS.timeout;
  await listen(server, options.port);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  const cockpit = new Cockpit(port, options);
  server.on("request", cockpit.handle);
  return {
    port,
    createToken: () => cockpit.access.createToken(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cockpit.close();
        server.closeAllConnections();
      }),
  };
}

/** Answers the requests of one server. */
class Cockpit {
  readonly access: AccessControl;
  readonly #port: number;
  readonly #directory: BotDirectory;
  readonly #pages: PageStreams;
  readonly #commands: CommandForwarder;
  readonly #files: ReadonlyMap<string, PageFile>;
  readonly #onSession: () => void;

  constructor(
    port: number,
    { env, runtime, pageFolder, onSession, onTrouble }: CockpitServerOptions,
  ) {
    const { clock } = runtime;
    this.#port = port;
    this.access = new AccessControl(runtime);
    this.#pages = new PageStreams(clock, () => this.#directory);
    this.#directory = new BotDirectory({
      env,
      clock,
      listener: {
        onBots: () => this.#pages.sendBots(),
        onFrame: (feed) => this.#pages.sendFrame(feed),
        onGone: (id) => this.#pages.sendGone(id),
      },
      onTrouble: onTrouble ?? (() => {}),
    });
    this.#commands = new CommandForwarder(this.#directory, clock);
    this.#files = readPageFiles(pageFolder);
    this.#onSession = onSession ?? (() => {});
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    this.#answer(request, response).catch((cause: unknown) => refuse(request, response, cause));
  };

  close(): void {
    this.#pages.close();
    this.#directory.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    checkOrigin(request, this.#port);
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    if (request.method === "POST") return this.#post(path, request, response);
    if (request.method !== "GET")
      throw new HttpRefusal(405, "The cockpit answers GET and POST alone.");
    if (path === "/events") return this.#events(request, response);
    const file = this.#files.get(path);
    if (file !== undefined) return sendBody(response, 200, file.type, file.body);
    throw new HttpRefusal(
      404,
      path === "/"
        ? "The page is missing in this build: npm run build makes it."
        : `There is no ${path}.`,
    );
  }

  async #post(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    checkCsrfHeader(request);
    if (path === "/session") return this.#session(request, await readJsonBody(request), response);
    this.#checkSession(request);
    if (path !== "/command" && path !== "/preview")
      throw new HttpRefusal(404, `There is no ${path}.`);
    const body = await readJsonBody(request);
    const answer = await (path === "/command"
      ? this.#commands.command(body)
      : this.#commands.preview(body));
    sendJson(response, answer.status, answer.json);
  }

  #session(request: IncomingMessage, body: unknown, response: ServerResponse): void {
    const token = typeof body === "object" && body !== null && "token" in body ? body.token : "";
    const session = typeof token === "string" ? this.access.beginSession(token) : undefined;
    // A link that is opened again in the browser which used it goes on with its session.
    if (session === undefined && this.#hasSession(request))
      return sendJson(response, 200, '{"ok":true,"data":null}');
    if (session === undefined)
      throw new HttpRefusal(
        401,
        "The link was used before, or is not one of this cockpit. marketwright cockpit prints a fresh one.",
      );
    this.#onSession();
    const cookie = `${this.#cookieName}=${session}; HttpOnly; SameSite=Strict; Path=/`;
    sendJson(response, 200, '{"ok":true,"data":null}', { "set-cookie": cookie });
  }

  #events(request: IncomingMessage, response: ServerResponse): void {
    this.#checkSession(request);
    if (this.#pages.isFull)
      throw new HttpRefusal(503, `${MOST_PAGES} pages are open: close one of them.`);
    writeHead(response, 200, { "content-type": "text/event-stream" });
    this.#pages.add(response);
  }

  #checkSession(request: IncomingMessage): void {
    if (this.#hasSession(request)) return;
    throw new HttpRefusal(401, "There is no session. marketwright cockpit prints a fresh link.");
  }

  #hasSession(request: IncomingMessage): boolean {
    const cookie = readCookie(request, this.#cookieName);
    return cookie !== undefined && this.access.isSession(cookie);
  }

  /** Cookies of one host are shared by its ports. */
  get #cookieName(): string {
    return `marketwright_${this.#port}`;
  }
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

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => reject(listenError(cause, port)));
    server.listen({ host: HOST, port }, resolve);
  });
}

function listenError(cause: Error, port: number): RunError {
  const code = "code" in cause ? String(cause.code) : cause.message;
  const [summary, expected] =
    code === "EADDRINUSE"
      ? ["is in use", "a free port, or 0 for any"]
      : code === "EACCES"
        ? ["needs rights that this user does not have", "a port from 1024"]
        : [`cannot be listened on (${code})`, "a port of this machine"];
  return new RunError(summary, { field: "cockpit.port", value: port, expected, cause });
}
