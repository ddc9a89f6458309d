import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

/** A request as the server received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** The query of GET and DELETE, the body of POST: undecoded. */
  readonly params: string;
  readonly headers: IncomingMessage["headers"];
}

/** A real HTTP and websocket server on a free loopback port, for a test to answer as it likes. */
export class LocalServer {
  readonly requests: ReceivedRequest[] = [];
  readonly sockets: {
    readonly url: string;
    readonly socket: WebSocket;
    readonly received: string[];
    readonly headers: IncomingMessage["headers"];
  }[] = [];
  /** Answers a request; the default is an empty 204. */
  onRequest: (request: ReceivedRequest, response: ServerResponse) => void = (_, response) => {
    response.writeHead(204).end();
  };
  onSocket: (url: string, socket: WebSocket) => void = () => undefined;
  /** Returns true to accept a websocket. */
  admits: (url: string) => boolean = () => true;
  /** The response to a rejected websocket. */
  refusal = "HTTP/1.1 401 Unauthorized\r\n\r\n";
  readonly #http: Server;
  readonly #ws = new WebSocketServer({ noServer: true });
  readonly #connections = new Set<Socket>();

  private constructor() {
    this.#http = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        const [path = "", query = ""] = (request.url ?? "").split("?");
        const received = {
          method: request.method ?? "",
          path,
          params: request.method === "POST" ? body : query,
          headers: request.headers,
        };
        this.requests.push(received);
        this.onRequest(received, response);
      });
    });
    this.#http.on("connection", (connection) => {
      this.#connections.add(connection);
      connection.on("close", () => this.#connections.delete(connection));
    });
    this.#http.on("upgrade", (request, connection, head) => {
      const url = request.url ?? "";
      if (!this.admits(url)) {
        connection.end(this.refusal);
        return;
      }
      this.#ws.handleUpgrade(request, connection, head, (socket) => {
        const received: string[] = [];
        socket.on("message", (data) => received.push(data.toString()));
        this.sockets.push({ url, socket, received, headers: request.headers });
        this.onSocket(url, socket);
      });
    });
  }

  static async start(): Promise<LocalServer> {
    const server = new LocalServer();
    await new Promise<void>((resolve) => server.#http.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get host(): string {
    return `127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  async stop(): Promise<void> {
    for (const { socket } of this.sockets) socket.terminate();
    for (const connection of this.#connections) connection.destroy();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}

/** Answers with JSON. */
export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** Waits until something holds, as events of real sockets arrive. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 6000; turn += 1) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`never came true: ${holds}`);
}
