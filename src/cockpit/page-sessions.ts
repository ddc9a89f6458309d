import type { IncomingMessage, ServerResponse } from "node:http";
import type { Runtime } from "../core/runtime/runtime.js";
import { AccessControl } from "./access-control.js";
import { HttpRefusal, readJsonBody, sendJson } from "./http-answers.js";
import { checkCsrfHeader, readCookie } from "./request-checks.js";

/** Options of {@link PageSessions}. */
interface PageSessionsOptions {
  /** Cookies of one host are shared by its ports: the cookie's name has the port. */
  readonly port: number;
  readonly runtime: Runtime;
  /** A sentence for who has no session: how to get a fresh link. */
  readonly newLink: string;
  /** Called when a browser has used a link. */
  readonly onSession?: (() => void) | undefined;
}

/** The sessions of the pages of one server: a link's token gives a cookie. */
export class PageSessions {
  readonly #access: AccessControl;
  readonly #cookieName: string;
  readonly #newLink: string;
  readonly #onSession: () => void;

  constructor({ port, runtime, newLink, onSession = () => {} }: PageSessionsOptions) {
    this.#access = new AccessControl(runtime);
    this.#cookieName = `marketwright_${port}`;
    this.#newLink = newLink;
    this.#onSession = onSession;
  }

  /** Returns a token for one session. */
  createToken(): string {
    return this.#access.createToken();
  }

  /** Answers `POST /session`. @throws HttpRefusal for a token that is wrong or used */
  async begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    checkCsrfHeader(request);
    const body = await readJsonBody(request);
    const token = typeof body === "object" && body !== null && "token" in body ? body.token : "";
    const session = typeof token === "string" ? this.#access.beginSession(token) : undefined;
    // A link that is opened again in the browser which used it goes on with its session.
    if (session === undefined && this.#has(request))
      return sendJson(response, 200, '{"ok":true,"data":null}');
    if (session === undefined)
      throw new HttpRefusal(
        401,
        `The link was used before, or is not one of this page. ${this.#newLink}`,
      );
    this.#onSession();
    const cookie = `${this.#cookieName}=${session}; HttpOnly; SameSite=Strict; Path=/`;
    sendJson(response, 200, '{"ok":true,"data":null}', { "set-cookie": cookie });
  }

  /** Checks that a request has a session. @throws HttpRefusal */
  check(request: IncomingMessage): void {
    if (!this.#has(request))
      throw new HttpRefusal(401, `There is no session: open a link. ${this.#newLink}`);
  }

  #has(request: IncomingMessage): boolean {
    const cookie = readCookie(request, this.#cookieName);
    return cookie !== undefined && this.#access.isSession(cookie);
  }
}
