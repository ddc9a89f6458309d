import { mkdtempSync, writeFileSync } from "node:fs";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CockpitServer, startCockpitServer } from "#cockpit/cockpit-server.js";
import { createLiveRuntime } from "#core/live-runtime.js";

const runtime = createLiveRuntime();

/** The whole response to a request. */
export interface Response {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** One server-sent event. */
export interface PageEvent {
  readonly name: string;
  readonly data: unknown;
}

/** An open page, as a browser's EventSource is. */
export interface EventPage {
  readonly status: number;
  readonly events: PageEvent[];
  readonly response: IncomingMessage;
  close(): void;
}

interface RequestOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly port: number;
}

/** Starts a request without sending its body, so that each header can be chosen. */
export function begin({ method = "GET", path = "/", headers = {}, port }: RequestOptions): {
  readonly sent: ClientRequest;
  readonly answered: Promise<IncomingMessage>;
} {
  const sent = httpRequest({ host: "127.0.0.1", port, method, path, headers, agent: false });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once("response", resolve);
    sent.once("error", reject);
  });
  return { sent, answered };
}

/** One request and its whole response. */
export async function ask(options: RequestOptions): Promise<Response> {
  const { sent, answered } = begin(options);
  sent.end(options.body);
  const response = await answered;
  let text = "";
  response.setEncoding("utf8");
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

/** A cockpit server with a small page, and what a browser does with it. */
export class OpenedCockpit {
  readonly #server: CockpitServer;

  private constructor(server: CockpitServer) {
    this.#server = server;
  }

  static async start(env: Readonly<Record<string, string | undefined>>): Promise<OpenedCockpit> {
    const pageFolder = mkdtempSync(join(tmpdir(), "mw-"));
    writeFileSync(join(pageFolder, "index.html"), "<!doctype html><title>a page</title>");
    writeFileSync(join(pageFolder, "cockpit.js"), "export {};\n");
    writeFileSync(join(pageFolder, "notes.txt"), "not served");
    return new OpenedCockpit(await startCockpitServer({ port: 0, env, runtime, pageFolder }));
  }

  get port(): number {
    return this.#server.port;
  }

  createToken(): string {
    return this.#server.createToken();
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return ask({ port: this.port, path, headers });
  }

  post(
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return ask({
      port: this.port,
      method: "POST",
      path,
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { "x-marketwright": "1", ...headers },
    });
  }

  /** Uses a fresh link. @returns the cookie */
  async session(): Promise<string> {
    const { headers } = await this.post("/session", { token: this.createToken() });
    return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  }

  /** Opens the event stream. */
  page(cookie: string): Promise<EventPage> {
    return openPage(this.port, cookie);
  }
}

/** Opens the event stream of a cockpit, as a page does. */
export async function openPage(port: number, cookie: string): Promise<EventPage> {
  const { sent, answered } = begin({ port, path: "/events", headers: { cookie } });
  sent.end();
  const response = await answered;
  const events: PageEvent[] = [];
  let held = "";
  response.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (held + chunk).split("\n\n");
    held = parts.pop() ?? "";
    for (const part of parts) {
      const found = /^event: (\w+)\ndata: (.*)$/s.exec(part);
      if (found !== null)
        events.push({ name: found[1] ?? "", data: JSON.parse(found[2] ?? "null") });
    }
  });
  response.on("error", () => {});
  sent.on("error", () => {});
  return {
    status: response.statusCode ?? 0,
    events,
    response,
    close: () => sent.destroy(),
  };
}
