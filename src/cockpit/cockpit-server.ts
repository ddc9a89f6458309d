import type { IncomingMessage, ServerResponse } from "node:http";
import type { Runtime } from "../core/runtime/runtime.js";
import { BotDirectory } from "./bot-directory.js";
import { CommandForwarder } from "./command-forwarder.js";
import { HttpRefusal, readJsonBody, sendBody, sendJson, writeHead } from "./http-answers.js";
import { serveLocally } from "./local-server.js";
import { type PageFile, readPageFiles } from "./page-files.js";
import { PageSessions } from "./page-sessions.js";
import { MOST_PAGES, PageStreams } from "./page-streams.js";
import { checkCsrfHeader } from "./request-checks.js";

/** Most connections: each page holds its stream, and one more for a moment. */
const MAX_CONNECTIONS = 4 * MOST_PAGES;

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
  const { port, site, close } = await serveLocally(
    { port: options.port, portField: "cockpit.port", maxConnections: MAX_CONNECTIONS },
    (opened) => new Cockpit(opened, options),
  );
  return { port, createToken: () => site.sessions.createToken(), close };
}

/** Answers the requests of one server. */
class Cockpit {
  readonly sessions: PageSessions;
  readonly #directory: BotDirectory;
  readonly #pages: PageStreams;
  readonly #commands: CommandForwarder;
  readonly #files: ReadonlyMap<string, PageFile>;

  constructor(
    port: number,
    { env, runtime, pageFolder, onSession, onTrouble }: CockpitServerOptions,
  ) {
    const { clock } = runtime;
    this.sessions = new PageSessions({
      port,
      runtime,
      newLink: "marketwright cockpit prints a fresh one.",
      onSession,
    });
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
  }

  close(): void {
    this.#pages.close();
    this.#directory.close();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
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
    if (path === "/session") return this.sessions.begin(request, response);
    checkCsrfHeader(request);
    this.sessions.check(request);
    if (path !== "/command" && path !== "/preview")
      throw new HttpRefusal(404, `There is no ${path}.`);
    const body = await readJsonBody(request);
    const answer = await (path === "/command"
      ? this.#commands.command(body)
      : this.#commands.preview(body));
    sendJson(response, answer.status, answer.json);
  }

  #events(request: IncomingMessage, response: ServerResponse): void {
    this.sessions.check(request);
    if (this.#pages.isFull)
      throw new HttpRefusal(503, `${MOST_PAGES} pages are open: close one of them.`);
    writeHead(response, 200, { "content-type": "text/event-stream" });
    this.#pages.add(response);
  }
}
