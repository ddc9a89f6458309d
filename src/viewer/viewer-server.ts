import type { IncomingMessage, ServerResponse } from "node:http";
import { HttpRefusal, sendBody, sendJson } from "../cockpit/http-answers.js";
import { serveLocally } from "../cockpit/local-server.js";
import { type PageFile, readPageFiles } from "../cockpit/page-files.js";
import { PageSessions } from "../cockpit/page-sessions.js";
import { maskSecrets } from "../core/crypto/secrets.js";
import { ConfigError } from "../core/errors.js";
import type { Runtime } from "../core/runtime/runtime.js";
import type { ViewedJournals } from "./viewed-journals.js";
import { answerViewerRequest } from "./viewer-requests.js";

/** A few pages, each with the requests of a quick reader. */
const MAX_CONNECTIONS = 64;

/** Options of {@link startViewerServer}. */
interface ViewerServerOptions {
  /** 0 takes a free one. */
  readonly port: number;
  readonly runtime: Runtime;
  /** Folder of the built page. */
  readonly pageFolder: string;
  readonly journals: ViewedJournals;
}

/** A running server of a journal's page. */
export interface ViewerServer {
  readonly port: number;
  /** A token for a link that works once. */
  createToken(): string;
  close(): Promise<void>;
}

/**
 * Serves the page of a journal to this user. Its requests read the journal, and nothing else.
 * @throws RunError if the port is taken, or may not be used
 */
export async function startViewerServer(options: ViewerServerOptions): Promise<ViewerServer> {
  const { port, site, close } = await serveLocally(
    { port: options.port, portField: "--port", maxConnections: MAX_CONNECTIONS },
    (opened) => new ViewerSite(opened, options),
  );
  return { port, createToken: () => site.sessions.createToken(), close };
}

/** Answers the requests of one server. */
class ViewerSite {
  readonly sessions: PageSessions;
  readonly #journals: ViewedJournals;
  readonly #files: ReadonlyMap<string, PageFile>;

  constructor(port: number, { runtime, pageFolder, journals }: ViewerServerOptions) {
    this.sessions = new PageSessions({
      port,
      runtime,
      newLink: "Start marketwright journal again for a fresh one.",
    });
    this.#journals = journals;
    this.#files = readPageFiles(pageFolder);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method === "POST" && pathname === "/session")
      return this.sessions.begin(request, response);
    if (request.method !== "GET")
      throw new HttpRefusal(405, "The page of a journal answers GET alone, and POST /session.");
    const file = this.#files.get(pathname);
    if (file !== undefined) return sendBody(response, 200, file.type, file.body);
    if (pathname === "/")
      throw new HttpRefusal(404, "The page is missing in this build: npm run build makes it.");
    this.sessions.check(request);
    const answer = await this.#answerTo(pathname, searchParams);
    sendJson(response, 200, maskSecrets(JSON.stringify(answer)));
  }

  async #answerTo(path: string, query: URLSearchParams): Promise<object> {
    try {
      const answer = await answerViewerRequest(this.#journals, path, query);
      if (answer !== undefined) return answer;
    } catch (cause) {
      if (!(cause instanceof ConfigError)) throw cause;
      throw new HttpRefusal(400, cause.message);
    }
    throw new HttpRefusal(404, `There is no ${path}.`);
  }
}
