import type { FastifyInstance } from "fastify";
import type { ExchangeConfig } from "../config/config.js";
import { openApiDocument } from "./document.js";
import { docsPage } from "./page.js";

/**
 * Serves the interface's description: `/openapi.json` for programs, `/docs` for people. Neither
 * counts against a rate limit.
 */
export function serveDocumentation(app: FastifyInstance, config: ExchangeConfig): void {
  const document = openApiDocument(config);
  const page = docsPage(document);
  app.get("/openapi.json", ({ headers, protocol }, reply) => {
    // The URL of the request itself, since the port may be any, and the host another machine's name
    // for it.
    const servers = [
      {
        url: headers.host === undefined ? "/" : `${protocol}://${headers.host}`,
        description: "this exchange",
      },
    ];
    return reply
      .type("application/json; charset=utf-8")
      .send(JSON.stringify({ ...document, servers }));
  });
  app.get("/docs", (_request, reply) =>
    // The page loads and runs nothing.
    reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'")
      .send(page),
  );
}
