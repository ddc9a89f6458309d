import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "#exchange/operations.js";
import { documentedExchange } from "./documented-exchange.js";

const isMine = (name: string) => !["account", "timestamp", "signature"].includes(name);

/** Every parameter with a pattern, of any operation: in the query, or a property of a body. */
function requestHexes(
  paths: object,
): { path: string; name: string; schema: { pattern: string } }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    // biome-ignore lint/suspicious/noExplicitAny: the document is plain JSON.
    Object.values<any>(methods).flatMap(({ parameters = [], requestBody }) => {
      const bodies = Object.values<{ schema: { properties: object } }>(requestBody?.content ?? {});
      const properties = bodies.flatMap(({ schema }) =>
        Object.entries(schema.properties).map(([name, own]) => ({ name, schema: own })),
      );
      return [...parameters, ...properties]
        .filter(({ schema }) => schema.pattern !== undefined)
        .map((found) => ({ path, ...found }));
    }),
  );
}

describe("/openapi.json", () => {
  it("is an OpenAPI 3.1 document by an independent validator", async () => {
    const { document, close } = await documentedExchange();
    try {
      expect(document.openapi).toBe("3.1.0");
      const validator = new Validator();
      expect(await validator.validate(document)).toMatchObject({ valid: true });
      expect(validator.version).toBe("3.1");
    } finally {
      await close();
    }
  });

  it("has every operation of the client with the same parameters, none more under /v1, and each of them answers", async () => {
    const { operations, send, close } = await documentedExchange();
    try {
      const documented = new Map(
        operations.map((operation) => [`${operation.method} ${operation.path}`, operation]),
      );
      for (const { method, path, parameters } of Object.values(OPERATIONS)) {
        const found = documented.get(`${method} ${path}`);
        expect(found?.parameters.map(({ name }) => name).sort(), `${method} ${path}`).toEqual(
          parameters
            .map(({ name }) => name)
            .filter(isMine)
            .sort(),
        );
      }
      expect([...documented.keys()].filter((key) => key.includes(" /v1/")).length).toBe(
        Object.keys(OPERATIONS).length,
      );
      for (const { method, path } of operations) {
        expect((await send(method, path)).status, `${method} ${path}`).not.toBe(404);
      }
    } finally {
      await close();
    }
  });

  it("names the address by which it was asked for, and what has to be signed", async () => {
    const { document, operations, server: own, close } = await documentedExchange();
    try {
      expect(document.servers).toEqual([
        { url: new URL(own.restUrl).origin, description: "this exchange" },
      ]);
      const [server] = document.servers;
      expect((await fetch(`${server.url}/v1/time`)).status).toBe(200);
      const { requestSignature } = document.components.securitySchemes;
      expect(requestSignature).toMatchObject({ type: "apiKey", in: "query", name: "signature" });
      expect(
        operations.some(({ isSigned }) => isSigned) && operations.some(({ isSigned }) => !isSigned),
      ).toBe(true);
      for (const { method, path, isSigned } of operations) {
        const { security } = document.paths[path][method.toLowerCase()];
        expect(security, `${method} ${path}`).toEqual(isSigned ? [{ requestSignature: [] }] : []);
      }
    } finally {
      await close();
    }
  });

  it("writes a tuple as generators of clients read it: every schema is an object, and the bounds close the list", async () => {
    const { document, close } = await documentedExchange();
    try {
      const { items } = document.components.schemas.OrderBook.properties.bids;
      expect(items).toMatchObject({
        type: "array",
        minItems: 2,
        maxItems: 2,
        items: items.prefixItems[0],
      });
      expect(items.prefixItems).toHaveLength(2);
      const schemas: unknown[] = [document.components.schemas];
      for (const schema of schemas) {
        for (const [key, value] of Object.entries(schema as object)) {
          if (["items", "prefixItems"].includes(key))
            expect(typeof value, JSON.stringify(schema)).toBe("object");
          if (typeof value === "object" && value !== null) schemas.push(value);
        }
      }
    } finally {
      await close();
    }
  });

  it("has no default for a parameter that is signed: a generated client would send it beside the signature, and be refused", async () => {
    const { operations, close } = await documentedExchange();
    try {
      const defaults = (isSigned: boolean) =>
        operations
          .filter((operation) => operation.isSigned === isSigned)
          .flatMap(({ parameters }) => parameters.map(({ schema }) => schema.default));
      expect(defaults(true).every((value) => value === undefined)).toBe(true);
      expect(defaults(false)).toContain(100);
      const history = operations.find(({ path }) => path === "/v1/historyOrders");
      expect(history?.parameters.find(({ name }) => name === "limit")?.description).toContain(
        "100 when left out",
      );
    } finally {
      await close();
    }
  });

  it("offers one form of body: a generator of Python clients writes a module that cannot be imported for two", async () => {
    const { document, operations, close } = await documentedExchange();
    try {
      for (const { method, path } of operations.filter(({ method }) => method === "POST")) {
        const { content } = document.paths[path][method.toLowerCase()].requestBody;
        expect(Object.keys(content), path).toEqual(["application/x-www-form-urlencoded"]);
      }
    } finally {
      await close();
    }
  });

  it("says that signatures and hashes are taken with 0x or without, in either case, so that no generated client refuses its own", async () => {
    const { document, close } = await documentedExchange();
    try {
      const digits: Record<string, string> = {
        signature: "aB".repeat(65),
        orderSignature: `${"cD".repeat(64)}1C`,
        info: "eF".repeat(32),
      };
      const found = requestHexes(document.paths).filter(({ name }) => name in digits);
      expect(new Set(found.map(({ name }) => name))).toEqual(new Set(Object.keys(digits)));
      for (const { path, name, schema } of found) {
        for (const spelling of [
          `0x${digits[name]}`,
          digits[name],
          `0X${digits[name]?.toUpperCase()}`,
          digits[name]?.toLowerCase(),
        ]) {
          expect(
            new RegExp(schema.pattern).test(spelling ?? ""),
            `${path} ${name}: ${spelling}`,
          ).toBe(true);
        }
        expect(new RegExp(schema.pattern).test(`${digits[name]}0`), `${path} ${name}`).toBe(false);
      }
    } finally {
      await close();
    }
  });

  it("leaves out what the exchange does not offer: a reader would try it in vain", async () => {
    const { document, send, close } = await documentedExchange({
      faucet: { enabled: false },
      withdrawals: { enabled: false },
    });
    try {
      expect(Object.keys(document.paths)).not.toContain("/faucet");
      expect(Object.keys(document.paths)).not.toContain("/withdraw");
      expect((await send("POST", "/faucet", "", "application/x-www-form-urlencoded")).status).toBe(
        404,
      );
    } finally {
      await close();
    }
  });
});

describe("/docs", () => {
  it("is one page that names every operation and record, and loads nothing", async () => {
    const { document, operations, send, close } = await documentedExchange();
    try {
      const { status, body, headers } = await send("GET", "/docs");
      expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
      for (const { method, path } of operations)
        expect(body).toContain(`<code>${method} ${path}</code>`);
      for (const name of Object.keys(document.components.schemas))
        expect(body).toContain(`id="${name}"`);
      for (const [, target] of body.matchAll(/href="#([^"]+)"/g))
        expect(body).toContain(`id="${target}"`);
      expect(body).not.toMatch(/<script|src=|https?:\/\//);
    } finally {
      await close();
    }
  });
});
