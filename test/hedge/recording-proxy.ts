import { createServer, request as httpRequest, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** A request that reached the server behind a {@link RecordingProxy}. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  /** Query and body, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A server on loopback that records every request and websocket, and passes it on. */
export class RecordingProxy {
  readonly requests: RecordedRequest[] = [];
  /** Paths with the query of the websockets. */
  readonly sockets: string[] = [];
  readonly connections = new Set<Socket>();
  /** Returns true to pass an answer on; false cuts the connection after the server has acted. */
  answers: (request: RecordedRequest) => boolean = () => true;
  readonly #http: Server;

  private constructor(target: URL) {
    this.#http = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        const [path = "", query = ""] = (incoming.url ?? "").split("?");
        const recorded = {
          method: incoming.method ?? "",
          path,
          params: Object.fromEntries([...new URLSearchParams(query), ...new URLSearchParams(body)]),
          headers: incoming.headers,
        };
        this.requests.push(recorded);
        const passed = httpRequest(
          {
            host: target.hostname,
            port: target.port,
            method: incoming.method,
            path: incoming.url,
            headers: incoming.headers,
          },
          (answer) => {
            if (!this.answers(recorded)) {
              outgoing.destroy();
              return;
            }
            outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
            answer.pipe(outgoing);
          },
        );
        passed.on("error", () => outgoing.destroy());
        passed.end(body);
      });
    });
    this.#http.on("connection", (connection) => {
      this.connections.add(connection);
      connection.on("close", () => this.connections.delete(connection));
    });
    this.#http.on("upgrade", (request, client: Socket, head) => {
      this.sockets.push(request.url ?? "");
      const server = connect(Number(target.port), target.hostname, () => {
        const headers = request.rawHeaders.reduce(
          (text, part, at) => `${text}${part}${at % 2 === 0 ? ": " : "\r\n"}`,
          "",
        );
        server.write(`GET ${request.url} HTTP/1.1\r\n${headers}\r\n`);
        server.write(head);
        client.pipe(server).pipe(client);
      });
      client.on("error", () => server.destroy());
      server.on("error", () => client.destroy());
      client.on("close", () => server.destroy());
      server.on("close", () => client.destroy());
    });
  }

  static async start(target: string): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(new URL(target));
    await new Promise<void>((resolve) => proxy.#http.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get host(): string {
    return `127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Cuts every open connection. */
  cut(): void {
    for (const connection of this.connections) connection.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}
