import type { FastifyInstance } from "fastify";
import type { ExchangeConfig } from "../config/config.js";
import { openApiDocument } from "./document.js";
import { docsPage } from "./page.js";

/**
 * Offers the interface's description beside the interface: `/openapi.json` for programs, `/docs`
 * for people. Neither is counted.
 */
export function serveDocumentation(app: FastifyInstance, config: ExchangeConfig): void {
  const document = openApiDocument(config);
  const page = docsPage(document);
  app.get("/openapi.json", ({ headers, protocol }, reply) => {
    // By whatever name it was asked for, it can be asked by that again: the port may be any, and
    // the host another machine's name for it.
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
    // The page needs nothing from anywhere and runs nothing.
    reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'")
      .send(page),
  );
}
