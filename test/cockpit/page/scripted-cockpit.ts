import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type {
  BotEntry,
  CommandPreview,
  Frame,
  PageRequest,
  PageResponse,
} from "../../../assets/cockpit/frame.js";

const PAGE = new URL("../../../dist/cockpit-page/", import.meta.url);
const COOKIE = "session=scripted";
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** A POST of the page. */
export interface PagePost {
  readonly path: string;
  readonly body: {
    readonly id?: string;
    readonly request?: PageRequest;
    readonly confirm?: string;
  };
}

/** The HTTP interface of a cockpit that sends what a test tells it to. */
export class ScriptedCockpit {
  readonly #server: Server;
  readonly #streams = new Set<ServerResponse>();
  /** One use, as the real one. */
  #token: string | undefined = "first-token";
  #bots: readonly BotEntry[] = [];
  readonly posts: PagePost[] = [];
  /** Frames that a page which connects gets at once. */
  readonly frames = new Map<string, Frame>();
  answer: (post: PagePost) => PageResponse = ({ path, body }) =>
    path === "/preview" ? { ok: true, data: emptyPreview(body.request) } : { ok: true, data: {} };

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(port = 0): Promise<ScriptedCockpit> {
    let cockpit: ScriptedCockpit | undefined;
    const server = createServer((request, response) => void cockpit?.handle(request, response));
    cockpit = new ScriptedCockpit(server);
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return cockpit;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get link(): string {
    return `http://127.0.0.1:${this.port}/#token=first-token`;
  }

  list(bots: readonly BotEntry[]): void {
    this.#bots = bots;
    this.#send("bots", bots);
  }

  frame(id: string, frame: Frame): void {
    this.frames.set(id, frame);
    this.#send("frame", { id, frame });
  }

  gone(id: string): void {
    this.#send("gone", { id });
  }

  /** Ends the streams of all pages, as a restart does. */
  disconnect(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  async close(): Promise<void> {
    this.disconnect();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    response.setHeader("content-security-policy", POLICY);
    response.setHeader("x-content-type-options", "nosniff");
    response.setHeader("referrer-policy", "no-referrer");
    response.setHeader("cache-control", "no-store");
    if (request.method === "POST") return this.#post(path, request, response);
    if (path === "/") return file(response, "index.html", "text/html");
    if (path === "/assets/cockpit.js") return file(response, "cockpit.js", "text/javascript");
    if (path === "/assets/cockpit.css") return file(response, "cockpit.css", "text/css");
    if (path !== "/events") {
      response.writeHead(404).end();
      return;
    }
    if (request.headers.cookie !== COOKIE) {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ ok: false, error: { message: "This page has no session." } }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
    write(response, "bots", this.#bots);
    for (const [id, frame] of this.frames) write(response, "frame", { id, frame });
  }

  async #post(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    if (request.headers["x-marketwright"] !== "1") {
      response.writeHead(403).end();
      return;
    }
    if (path === "/session") {
      const isRight = body.token === this.#token;
      this.#token = undefined;
      response.writeHead(
        isRight ? 204 : 401,
        isRight ? { "set-cookie": `${COOKIE}; HttpOnly; SameSite=Strict; Path=/` } : {},
      );
      response.end(
        isRight ? "" : "This link is used up: marketwright cockpit FILE prints another.",
      );
      return;
    }
    const post = { path, body };
    this.posts.push(post);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(this.answer(post)));
  }

  #send(event: string, data: unknown): void {
    for (const stream of this.#streams) write(stream, event, data);
  }
}

/** The preview of a command without an effect. */
export function emptyPreview(request: PageRequest | undefined): CommandPreview {
  const command =
    request?.command === "resume" || request?.command === "flatten" ? request.command : "halt";
  return { command, markets: [], haltsEnded: [], haltsKept: [], flattenStopped: [] };
}

function write(stream: ServerResponse, event: string, data: unknown): void {
  stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

function file(response: ServerResponse, name: string, type: string): void {
  response.writeHead(200, { "content-type": `${type}; charset=utf-8` });
  response.end(readFileSync(new URL(name, PAGE)));
}
