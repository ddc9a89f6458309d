import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Serves the files of a folder over HTTP on loopback, as a plain web server does. */
export class StaticServer {
  readonly #folder: string;
  readonly #server = createServer((request, response) => {
    const file = this.#fileFor(new URL(request.url ?? "/", this.origin).pathname);
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type }).end(readFileSync(file));
  });

  constructor(folder: string) {
    this.#folder = folder;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #fileFor(path: string): string | undefined {
    const file = join(this.#folder, normalize(decodeURIComponent(path)));
    const served = path.endsWith("/") ? join(file, "index.html") : file;
    return existsSync(served) && statSync(served).isFile() ? served : undefined;
  }
}
