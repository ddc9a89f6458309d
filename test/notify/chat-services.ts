import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createLiveRuntime } from "#core/live-runtime.js";

const { clock } = createLiveRuntime();

/** A request that a service got. */
export interface Posted {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly raw: string;
  readonly body: Record<string, unknown>;
}

/** An answer of a service. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A local HTTP server; `answer` may never resolve, as a service that hangs. */
export class LocalService {
  readonly posted: Posted[] = [];
  /** Replaces the service's own answer while it is set. */
  fault: ((posted: Posted) => Answer | Promise<Answer>) | undefined;
  readonly #server: Server;
  readonly #answer: (posted: Posted) => Answer | Promise<Answer>;

  constructor(answer: (posted: Posted) => Answer | Promise<Answer>) {
    this.#answer = answer;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString("utf8");
    const posted: Posted = {
      path: request.url ?? "",
      headers: request.headers,
      raw,
      body: JSON.parse(raw === "" ? "{}" : raw),
    };
    const answer = await (this.fault ?? this.#answer)(posted);
    this.posted.push(posted);
    response.writeHead(answer.status, answer.headers).end(answer.text);
  }
}

export const TELEGRAM_TOKEN = "123456:AAtelegram-token-of-the-tests-1";

/** One update of a chat. */
export interface ChatUpdate {
  readonly text: string;
  readonly from: number;
  readonly chat: number;
  /** Seconds since 1970. */
  readonly date: number;
}

/**
 * Telegram's bot interface as its pages describe it: `getUpdates` with an offset, `sendMessage`
 * with HTML whose entities must be whole, at most 4096 characters, and errors with `ok: false`.
 */
export class TelegramService extends LocalService {
  readonly sent: { readonly text: string; readonly chat_id: unknown }[] = [];
  readonly #updates: Record<string, unknown>[] = [];
  #nextId = 700;
  #wake: () => void = () => {};

  constructor() {
    super((posted) => this.#respond(posted));
  }

  /** A user sends a message. */
  write({ text, from, chat, date }: ChatUpdate): void {
    this.#updates.push({
      update_id: this.#nextId++,
      message: { message_id: 1, date, text, from: { id: from }, chat: { id: chat } },
    });
    this.#wake();
  }

  async #respond({ path, body }: Posted): Promise<Answer> {
    const method = path.split("/").at(-1);
    if (!path.startsWith(`/bot${TELEGRAM_TOKEN}/`)) return refusal(401, "Unauthorized");
    if (method === "sendMessage") return this.#send(body);
    if (method !== "getUpdates") return refusal(404, "Not Found");
    const offset = Number(body.offset ?? 0);
    const read = () => this.#updates.filter(({ update_id: id }) => Number(id) >= offset);
    if (read().length === 0) await this.#nextUpdate(Number(body.timeout ?? 0));
    return accepted(read());
  }

  /** Waits for a message, at most for the time-out of the request. */
  async #nextUpdate(seconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = clock.setTimer(seconds * 1000, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  #send(body: Record<string, unknown>): Answer {
    const { chat_id: id, text, parse_mode: mode } = body;
    if (typeof id !== "number") return refusal(400, "Bad Request: chat_id is empty");
    if (typeof text !== "string" || text === "")
      return refusal(400, "Bad Request: message text is empty");
    const bare = mode === "HTML" ? text.replace(/<\/?(b|code)>/g, "") : text;
    if (mode === "HTML" && /[<>]|&(?!(amp|lt|gt);)/.test(bare))
      return refusal(400, "Bad Request: can't parse entities: unsupported start tag");
    if (bare.length > 4096) return refusal(400, "Bad Request: message is too long");
    this.sent.push({ text, chat_id: id });
    return accepted({ message_id: this.sent.length });
  }
}

function accepted(result: unknown): Answer {
  return { status: 200, text: JSON.stringify({ ok: true, result }) };
}

/** An error of Telegram. */
export function refusal(code: number, description: string, retryAfter?: number): Answer {
  const parameters = retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } };
  return {
    status: code,
    text: JSON.stringify({ ok: false, error_code: code, description, ...parameters }),
  };
}

/** Slack's incoming webhook: a JSON object with a text, answered by the word `ok`. */
export function slackAnswer({ headers, body }: Posted): Answer {
  if (!String(headers["content-type"]).startsWith("application/json"))
    return { status: 400, text: "invalid_payload" };
  const { text } = body;
  if (typeof text !== "string" || text === "") return { status: 400, text: "no_text" };
  if (/<|>|&(?!(amp|lt|gt);)/.test(text)) return { status: 400, text: "invalid_payload" };
  return { status: 200, text: "ok" };
}

/** Discord's webhook: at most 2000 characters, answered by 204. */
export function discordAnswer({ body }: Posted): Answer {
  const { content, allowed_mentions: mentions } = body;
  if (typeof content !== "string" || content.length === 0 || content.length > 2000)
    return {
      status: 400,
      text: JSON.stringify({ code: 50035, message: "Invalid Form Body" }),
    };
  if (JSON.stringify(mentions) !== '{"parse":[]}')
    return { status: 400, text: JSON.stringify({ code: 50035, message: "mentions" }) };
  return { status: 204, text: "" };
}
